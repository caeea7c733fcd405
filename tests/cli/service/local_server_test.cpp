// With nothing configured it just works: the user's own server, which the first command starts.
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <set>
#include <vector>

#include "cli/service/tool.h"

namespace baton::test {
namespace {

class LocalServer : public Tool {};

TEST_F(LocalServer, AHundredFirstCommandsMeetAtOneServer) {
  std::vector<std::unique_ptr<Running>> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(std::make_unique<Running>("$BATON status --json"));
  }
  std::set<std::int64_t> servers;
  for (auto& one : all) {
    ASSERT_EQ(one->wait(), 0) << one->err();
    servers.insert(boost::json::parse(one->out()).at("process").as_int64());
  }
  EXPECT_EQ(servers.size(), 1U);
  EXPECT_EQ(*servers.begin(), server_process());
}

TEST_F(LocalServer, FirstCommandsExcludeEachOther) {
  std::vector<std::unique_ptr<Running>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(std::make_unique<Running>(
        "$BATON lock a -- sh -c 'mkdir $F/alone && rmdir $F/alone && echo x >>$F/count'"));
  }
  for (auto& one : all) EXPECT_EQ(one->wait(), 0) << one->err();
  EXPECT_EQ(lines(contents(file("count"))), 20U);
}

TEST_F(LocalServer, ADeadOneIsReplacedAtOnce) {
  ASSERT_EQ(baton("put k v").code, 0);
  for (int round = 0; round < 5; ++round) {
    const pid_t server = server_process();
    ASSERT_NE(server, 0);
    kill(server, SIGKILL);
    std::vector<std::unique_ptr<Running>> all;
    for (int i = 0; i < 10; ++i) all.push_back(std::make_unique<Running>("$BATON get k"));
    for (auto& one : all) {
      EXPECT_EQ(one->wait(), 0) << one->err();
      EXPECT_EQ(one->out(), "v");
    }
    EXPECT_NE(server_process(), server);
  }
}

TEST_F(LocalServer, OnlyTheUserCanReachIt) {
  ASSERT_EQ(baton("status").code, 0);
  struct stat is {};
  ASSERT_EQ(stat(meeting_point().c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777U, 0700U);
  ASSERT_EQ(stat((meeting_point() / "socket").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0077U, 0U);
}

TEST_F(LocalServer, ItIsDetachedFromItsStarter) {
  const Outcome outcome = shell("$BATON status --json; cat /proc/self/stat");
  ASSERT_EQ(outcome.code, 0);
  const pid_t server = server_process();
  EXPECT_NE(getsid(server), getsid(0));
  EXPECT_TRUE(is_alive(server));
  for (const int stream : {0, 1, 2}) {
    const auto where = std::filesystem::read_symlink("/proc/" + std::to_string(server) + "/fd/" +
                                                     std::to_string(stream));
    EXPECT_EQ(where, "/dev/null") << stream;
  }
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(server) + "/cwd"), "/");
}

TEST_F(LocalServer, ItSurvivesTheCommandThatNeededItFirst) {
  // Started from within a command that is then stopped with all that it started.
  Running server("$BATON serve --listen unix:$F/other --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("other"); }));
  Running outer(
      "$BATON lock a --url unix:$F/other -- sh -c '$BATON status >/dev/null; touch $F/started; "
      "sleep "
      "600'");
  EXPECT_TRUE(eventually([&] { return has_file("started"); }));
  const pid_t local = server_process();
  ASSERT_NE(local, 0);
  EXPECT_EQ(baton("break a --url unix:$F/other").code, 0);
  EXPECT_EQ(outer.wait(), 123);
  EXPECT_TRUE(is_alive(local));
  EXPECT_EQ(server_process(), local);
}

TEST_F(LocalServer, ItEndsWhenNobodyNeedsIt) {
  setenv("BATON_IDLE_STOP", "1", 1);
  ASSERT_EQ(baton("put k v").code, 0);
  const pid_t server = server_process();
  ASSERT_NE(server, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(server); }));
  EXPECT_FALSE(std::filesystem::exists(meeting_point() / "socket"));
  EXPECT_EQ(baton("get k").out, "v") << "and begins again where it ended";
}

TEST_F(LocalServer, ItDoesNotEndWhileALeaseRuns) {
  setenv("BATON_IDLE_STOP", "1", 1);
  ASSERT_EQ(baton("acquire a --ttl 10m").code, 0);
  const pid_t server = server_process();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_TRUE(is_alive(server));
}

TEST_F(LocalServer, NobodyBindsBeforeItsPredecessorHasEnded) {
  ASSERT_EQ(baton("status").code, 0);
  end(server_process());
  // One that listens no more, and has yet to close its journal.
  const int lock = open((meeting_point() / "server.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  Running next("$BATON status");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_FALSE(std::filesystem::exists(meeting_point() / "socket"));
  close(lock);
  EXPECT_EQ(next.wait(), 0) << next.err();
}

TEST_F(LocalServer, WhatADeadOneLeftBehindIsNoObstacle) {
  ASSERT_EQ(baton("status").code, 0);
  const pid_t server = server_process();
  kill(server, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(server); }));
  EXPECT_TRUE(std::filesystem::exists(meeting_point() / "socket"));
  EXPECT_EQ(baton("status").code, 0);
}

TEST_F(LocalServer, AClearedDirectoryEndsItsServer) {
  ASSERT_EQ(baton("put k v").code, 0);
  const pid_t server = server_process();
  std::filesystem::remove_all(meeting_point());
  EXPECT_TRUE(eventually([&] { return !is_alive(server); }));
  EXPECT_EQ(baton("get k").code, 1);
}

TEST_F(LocalServer, AJournalThatCannotBeUsedIsSaid) {
  ASSERT_EQ(baton("put k v").code, 0);
  end(server_process());
  std::ofstream(meeting_point() / "journal.db") << "this is no database, and long enough to see it";
  const Outcome outcome = baton("status");
  EXPECT_EQ(outcome.code, 69);
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "journal.db")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "baton local-server --accept-loss")) << outcome.err;
  const Running accepting("$BATON local-server --accept-loss");
  EXPECT_TRUE(eventually([] { return baton("put k w").code == 0; })) << accepting.err();
}

TEST_F(LocalServer, ADirectoryThatCannotBeMadeIsSaid) {
  setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
  const Outcome outcome = baton("status");
  EXPECT_EQ(outcome.code, 69);
  EXPECT_TRUE(has(outcome.err, "/proc/nowhere")) << outcome.err;
}

TEST_F(LocalServer, ALongPathIsNoObstacle) {
  const std::string state = file(std::string(120, 'x')).string();
  setenv("XDG_STATE_HOME", state.c_str(), 1);
  const auto status = json("status");
  EXPECT_LT(status.at("choice").at("url").as_string().size(), 110U);
  EXPECT_EQ(baton("lock a -- true").code, 0);
  const std::string socket = std::string(status.at("choice").at("url").as_string()).substr(5);
  end(static_cast<pid_t>(status.at("process").as_int64()));
  std::filesystem::remove_all(std::filesystem::path(socket).parent_path());
}

TEST_F(LocalServer, AVersionThatIsNotUnderstoodIsNotFought) {
  ASSERT_EQ(baton("status").code, 0);
  end(server_process());
  const auto place = meeting_point();
  // Somebody who has the lock, listens, and hangs up on what it does not understand: the message
  // Goodbye of the client protocol, with Error::version.
  const int lock = open((place / "server.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strcpy(name.sun_path, (place / "socket").c_str());
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(listen(listener, 10), 0);
  std::jthread old([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      const std::string goodbye("\0\0\0\x04\x52\x02\x08\x21", 8);
      send(client, goodbye.data(), goodbye.size(), MSG_NOSIGNAL);
      char byte = 0;
      while (recv(client, &byte, 1, 0) > 0) {
      }
      close(client);
    }
  });
  const Outcome outcome = baton("lock a -- touch $F/never");
  EXPECT_EQ(outcome.code, 69) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "do not understand each other")) << outcome.err;
  EXPECT_FALSE(has_file("never"));
  old.request_stop();
  shutdown(listener, SHUT_RDWR);
  old.join();
  close(listener);
  close(lock);
}

TEST_F(LocalServer, ScopesDoNotSeeEachOther) {
  const auto user = hold("a");
  std::filesystem::create_directory(file("run"));
  Running server("$BATON serve --listen unix:$F/run/socket --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("run/socket"); }));
  EXPECT_EQ(json("status").at("choice").at("scope"), "host") << "the machine's server comes first";
  const auto host = hold("a --ttl 1m");
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
  // It is down for a moment, with its socket or without: nobody goes elsewhere because of that.
  server.send(SIGKILL);
  server.wait();
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = baton("lock a --try -- touch $F/never");
    EXPECT_EQ(outcome.code, 69) << outcome.err;
    EXPECT_FALSE(has_file("never"));
    std::filesystem::remove(file("run/socket"));
  }
}

}  // namespace
}  // namespace baton::test
