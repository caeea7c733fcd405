// Commands that look at the service and operate it: locks, sessions, status, break, elections.
#include "cli/lab/on_terminal.h"
#include "cli/service/tool.h"

namespace baton::test {
namespace {

class Looking : public Tool {};

TEST_F(Looking, HoldersWaitersAndWhoWaitsForWhom) {
  EXPECT_EQ(baton("locks").out, "no lock is held\n");
  const auto holder = hold("a --label first");
  Running waiter("$BATON lock a --label second -- true");
  EXPECT_TRUE(eventually([&] { return use_of("a") == "1+1"; }));

  const Outcome table = baton("locks");
  EXPECT_EQ(table.code, 0);
  EXPECT_TRUE(has(table.out, "holds")) << table.out;
  EXPECT_TRUE(has(table.out, "waits, 1.")) << table.out;
  EXPECT_TRUE(has(table.out, "first")) << table.out;
  EXPECT_TRUE(has(table.out, "second")) << table.out;
  EXPECT_TRUE(has(table.out, std::to_string(holder->id()))) << table.out;
  EXPECT_TRUE(has(table.out, "which holds 'a'")) << table.out;

  const auto info = json("locks");
  const auto& lock = info.at("locks").as_array()[0];
  const auto& edge = info.at("waits_for").as_array()[0];
  EXPECT_EQ(edge.at("from"), lock.at("waiters").as_array()[0].at("session_id"));
  EXPECT_EQ(edge.at("to"), lock.at("holders").as_array()[0].at("session_id"));
  EXPECT_EQ(json("locks b").at("locks").as_array().size(), 0U);
  EXPECT_EQ(json("locks --prefix a").at("locks").as_array().size(), 1U);

  const auto sessions = json("sessions").at("sessions").as_array();
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].at("process"), holder->id());
  EXPECT_TRUE(has(baton("sessions").out, "connected"));
}

TEST_F(Looking, WatchingShowsEveryState) {
  Running watcher("$BATON locks a --watch --json");
  EXPECT_TRUE(eventually([&] { return lines(watcher.out()) == 1; }));
  const auto holder = hold("a");
  EXPECT_TRUE(eventually([&] { return lines(watcher.out()) == 2; })) << watcher.out();
  watcher.send(SIGINT);
  EXPECT_EQ(watcher.wait(), 0);
}

TEST_F(Looking, WhatOthersWriteDoesNotReachTheTerminalAsItIs) {
  const std::string label = "\"$(printf 'one\\ntwo\\033[31m\\302\\233\\303\\274')\"";
  const auto holder = hold("a --label " + label);
  const Outcome shown = baton("locks");
  EXPECT_TRUE(has(shown.out, "one two?[31m?ü\n")) << shown.out;
  EXPECT_TRUE(has(baton("sessions").out, "one two?[31m?ü\n"));
  const Outcome busy = baton("lock a --try -- true");
  EXPECT_EQ(busy.code, 75);
  EXPECT_TRUE(has(busy.err, "'one two?[31m?ü'")) << busy.err;
  EXPECT_EQ(json("locks a").at("locks").at(0).at("holders").at(0).at("label"),
            "one\ntwo\033[31m\302\233ü");
}

TEST_F(Looking, TablesFitTheTerminal) {
  std::string label = "every-night-at-three";
  while (label.size() < 150) label += " copy /var/lib/very/long/path";
  const std::string name = std::string(100, 'n') + "/of-a-lock";
  const auto holder = hold(name + " --label '" + label + "'");
  Running waiter("$BATON lock " + name + " other --label '" + label + "' -- true");
  EXPECT_TRUE(eventually([&] { return use_of(name) == "1+1"; }));
  baton("put " + name + " value");
  const std::vector<std::string> commands{"locks", "sessions", "status", "ls -l",
                                          "lock " + name + " --try -- true"};
  for (const unsigned columns : {80U, 120U}) {
    for (const std::string& command : commands) {
      const Outcome outcome = on_terminal(command, columns);
      EXPECT_GE(lines(outcome.out), 3U) << outcome.out;
      expect_fits(outcome.out, columns, command);
    }
    EXPECT_EQ(lines(on_terminal("sessions", columns).out), 4U) << "a session has one line";
    EXPECT_TRUE(has(on_terminal("locks", columns).out, "…"));
  }
  // Programs get all of it.
  EXPECT_TRUE(has(baton("locks").out, label + "\n"));
  EXPECT_TRUE(has(baton("locks").out, name + "  "));
}

TEST_F(Looking, AHolderOverHttpIsKnownByItsAddress) {
  Running server("$BATON serve --listen unix:$F/socket --http unix:$F/http --journal memory:");
  ASSERT_TRUE(eventually([&] { return has_file("http") && has_file("socket"); })) << server.err();
  const Outcome taken =
      shell("curl -s --unix-socket $F/http http://baton/v1/lock -d '{\"name\":\"a\"}'");
  ASSERT_TRUE(has(taken.out, "fence")) << taken.out << taken.err;
  setenv("BATON_URL", ("unix:" + file("socket").string()).c_str(), 1);
  for (const std::string command : {"locks", "sessions"}) {
    const std::string table = baton(command).out;
    EXPECT_TRUE(has(table, "  http unix socket  ")) << table;
    EXPECT_FALSE(has(table, "@")) << table;
  }
  const auto holder = json("locks").at("locks").at(0).at("holders").at(0);
  EXPECT_EQ(holder.at("host"), "unix socket");
  EXPECT_TRUE(has(baton("lock a --try -- true").err, "'a' is held by http unix socket, for "));
}

TEST_F(Looking, StatusSaysWhichScope) {
  const auto user = json("status");
  EXPECT_EQ(user.at("choice").at("scope"), "user");
  EXPECT_EQ(user.at("process"), server_process());
  EXPECT_TRUE(has(baton("status").out, "scope       user"));
  Running server("$BATON serve --listen unix:$F/other --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("other"); }));
  EXPECT_EQ(json("status --url unix:$F/other").at("choice").at("scope"), "chosen");
  setenv("BATON_URL", ("unix:" + file("other").string()).c_str(), 1);
  EXPECT_EQ(json("status").at("choice").at("scope"), "chosen");
}

TEST_F(Looking, Breaking) {
  EXPECT_EQ(baton("break a").code, 1);
  EXPECT_EQ(baton("break --session 77").code, 1);
  expect_refused("break", "say which lock, or which --session");
  expect_refused("break a --session 3", "say which lock, or which --session");
  expect_refused("break --session x", "'x' is not a whole number");
  const auto holder = hold("a --ttl 1m --on-lost ignore");
  const Outcome forced = baton("break a --force");
  EXPECT_EQ(forced.code, 0) << forced.err;
  EXPECT_TRUE(has(forced.out, "by force"));
  EXPECT_EQ(baton("lock a --try -- true").code, 0) << "the holder was not waited for";
  EXPECT_TRUE(is_alive(last_command()));

  const auto other = hold("b");
  const auto session = json("locks b").at("locks").as_array()[0].at("holders").as_array()[0];
  EXPECT_EQ(baton("break --session " + std::to_string(session.at("session_id").as_int64())).code,
            0);
  EXPECT_EQ(other->wait(), 123);
}

TEST_F(Looking, Elections) {
  EXPECT_EQ(baton("leader e").code, 1);
  EXPECT_EQ(
      baton("leader e --json").out,
      "{\"error\":\"not_found\",\"code\":7,\"message\":\"nobody leads 'e'\",\"revision\":0}\n");
  expect_refused("leader", "say which election");
  expect_refused("elect -- true", "say which election");
  expect_refused("elect e f -- true", "one election at a time");
  Running watcher("$BATON leader e --watch");
  Running first("$BATON elect e --value one -- sh -c 'while [ ! -e $F/end ]; do sleep 0.05; done'");
  EXPECT_TRUE(eventually([&] { return baton("leader e").out == "one\n"; }));
  EXPECT_EQ(baton("elect e --try -- true").code, 75);
  const auto term = json("leader e").at("term").as_int64();
  Running second(
      "$BATON elect e --value two -- sh -c 'echo $BATON_ELECTION $BATON_FENCE; $BATON leader e'");
  EXPECT_TRUE(eventually([&] { return has(baton("locks --elections").out, "waits, 1."); }));
  touch("end");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_TRUE(second.out().starts_with("e ")) << second.out();
  EXPECT_GT(std::atoll(second.out().c_str() + 2), term);
  EXPECT_TRUE(has(second.out(), "\ntwo\n")) << second.out();
  EXPECT_TRUE(eventually([&] { return lines(watcher.out()) == 4; })) << watcher.out();
  const std::string seen = watcher.out();
  EXPECT_TRUE(seen.starts_with("elected")) << seen;
  EXPECT_LT(seen.find("one"), seen.find("resigned")) << seen;
  EXPECT_LT(seen.find("resigned"), seen.find("two")) << seen;
  watcher.send(SIGTERM);
  EXPECT_EQ(watcher.wait(), 0);
}

TEST_F(Looking, NoServer) {
  for (const std::string command :
       {"status", "locks", "sessions", "leader x", "get k", "ls", "lock a -- true", "acquire a"}) {
    const std::string url = " --url unix:$F/nowhere";
    const auto dashes = command.find(" -- ");
    const std::string line = dashes == command.npos
                                 ? command + url
                                 : command.substr(0, dashes) + url + command.substr(dashes);
    const Outcome outcome = baton(line);
    EXPECT_EQ(outcome.code, 69) << line << outcome.err;
    EXPECT_TRUE(has(outcome.err, "/nowhere: No such file")) << line << outcome.err;
    // Who wants to do something waits a while, and says for what.
    const bool waits = command.starts_with("lock a") || command.starts_with("acquire");
    EXPECT_EQ(has(outcome.err, "trying again"), waits) << line << outcome.err;
    EXPECT_EQ(lines(outcome.err), waits ? 2U : 1U) << line << outcome.err;
  }
  EXPECT_EQ(baton("status --url nonsense").code, 2);
}

}  // namespace
}  // namespace baton::test
