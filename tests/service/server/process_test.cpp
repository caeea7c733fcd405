// The server as a process of its own: killed, paused, started wrongly, supervised.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "baton/journal.pb.h"
#include "service/journal/open.h"
#include "service/server/raw_client.h"
#include "service/server/snapshot.h"
#include "service/state/versions.h"
#include "support/serve_process.h"

namespace baton::server {
namespace {

using support::Environment;
using Process = support::ServeProcess;

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() /
                ("baton-process-test-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string url() const { return "unix:" + (directory / "socket").string(); }
  std::vector<std::string> usual() const {
    return {"--listen", url(), "--journal", (directory / "journal.db").string()};
  }
  std::filesystem::path log_file() const { return directory / "log"; }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(log_file()).rdbuf();
    return text.str();
  }
  // Connects as soon as there is a server.
  RawClient client() const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
      RawClient one(url());
      if (one.is_connected() && one.greet()) return one;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "no server: " << log();
    return {};
  }

  std::filesystem::path directory;
};

// What one client has been told, over all servers.
struct Told {
  std::uint64_t session = 0;
  std::uint64_t held_fence = 0;
  std::uint64_t last_fence = 0;
  int last_put = 0;
};

// Takes and releases a lock, and counts up in a file, until the server is gone.
void work(RawClient& client, int id, Told& told, std::atomic<int>& acknowledged) {
  const std::string mine = std::to_string(id);
  while (true) {
    const auto granted = client.acquire("turn-" + mine);
    if (!granted) return;
    ASSERT_EQ(granted->error(), 0U) << granted->message();
    ASSERT_GT(granted->granted().fence(), told.last_fence) << "a fence went back";
    told.last_fence = granted->granted().fence();
    const auto stored = client.put("count-" + mine, std::to_string(told.last_put + 1));
    if (!stored) return;
    ASSERT_EQ(stored->error(), 0U);
    ++told.last_put;
    ++acknowledged;
    if (!client.release("turn-" + mine)) return;
  }
}

TEST_F(ProcessTest, AKilledServerHasLostNothingThatItAcknowledged) {
  constexpr int clients = 6;
  std::vector<Told> told(clients);
  for (int round = 0; round < 5; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Process server(usual(), log_file());
    std::atomic<int> acknowledged = 0;
    std::vector<RawClient> all;
    for (int i = 0; i < clients; ++i) {
      const std::string mine = std::to_string(i);
      RawClient one = client();
      if (round == 0) {
        ASSERT_TRUE(one.open("nonce-" + mine));
        told[i].session = one.session;
        const auto held = one.acquire("held-" + mine);
        ASSERT_TRUE(held);
        told[i].held_fence = held->granted().fence();
      } else {
        one.session = told[i].session;
        ASSERT_TRUE(one.resume("nonce-" + mine)) << "the session is lost";
        proto::Read read;
        read.mutable_locks()->set_name("held-" + mine);
        const auto lock = one.read(read);
        ASSERT_EQ(lock->locks_size(), 1);
        EXPECT_EQ(lock->locks(0).holders(0).fence(), told[i].held_fence);
        read.mutable_files()->set_key("count-" + mine);
        const auto file = one.read(read);
        ASSERT_EQ(file->files_size(), 1);
        const int kept = std::stoi(file->files(0).value());
        EXPECT_GE(kept, told[i].last_put);
        EXPECT_LE(kept, told[i].last_put + 1);
        told[i].last_put = kept;
        // It may have been granted, though nobody was told.
        one.skip_requests(1'000'000U * static_cast<std::uint32_t>(round));
        while (one.release("turn-" + mine)->error() == 0) continue;
      }
      all.push_back(std::move(one));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < clients; ++i) {
      threads.emplace_back([&, i] { work(all[i], i, told[i], acknowledged); });
    }
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (acknowledged < 60 + round * 17 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(acknowledged, 60);
    server.signal(SIGKILL);
    server.wait();
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(ProcessTest, StopsCleanlyWhenTold) {
  for (const int number : {SIGTERM, SIGINT}) {
    Process server(usual(), log_file());
    RawClient one = client();
    ASSERT_TRUE(one.open("fast " + std::to_string(number), true));
    server.signal(number);
    EXPECT_EQ(server.wait(), 0) << log();
    EXPECT_FALSE(std::filesystem::exists(directory / "socket"));
  }
  Process server(usual(), log_file());
  RawClient one = client();
  proto::Read read;
  read.mutable_status();
  const auto status = one.read(read);
  EXPECT_EQ(status->status().sessions(), 2U);
  EXPECT_EQ(status->status().waits_for_reports_of_size(), 0) << "nothing to reclaim";
}

// Nobody waits for it, and nothing else comes after it.
TEST_F(ProcessTest, AFastGrantReachesTheDiskByItself) {
  Process server(usual(), log_file());
  RawClient fast = client();
  ASSERT_TRUE(fast.open("fast", true));
  const auto written = [this] { return std::filesystem::file_size(directory / "journal.db-wal"); };
  const auto before = written();
  auto message = fast.acquire_message("x");
  message.mutable_request()->mutable_acquire()->set_fast(true);
  const auto granted = fast.ask(message);
  ASSERT_TRUE(granted && granted->has_granted());
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (written() == before && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GT(written(), before);
}

TEST_F(ProcessTest, AfterACrashFastSessionsReportFirst) {
  RawClient fast;
  {
    Process server(usual(), log_file());
    fast = client();
    ASSERT_TRUE(fast.open("fast", true));
    server.signal(SIGKILL);
    server.wait();
  }
  Process server(usual(), log_file());
  RawClient other = client();
  ASSERT_TRUE(other.open("other"));
  ASSERT_TRUE(other.send(other.acquire_message("x")));

  RawClient again = client();
  again.session = fast.session;
  proto::ClientMessage message;
  message.mutable_resume()->set_session(fast.session);
  message.mutable_resume()->set_nonce("fast");
  ASSERT_TRUE(again.send(message));
  const auto resumed = again.receive();
  ASSERT_TRUE(resumed && resumed->has_resumed());
  EXPECT_TRUE(resumed->resumed().must_report());
  again.skip_requests(10);
  const auto early = again.acquire("y", 0);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->error(), static_cast<std::uint32_t>(Error::bad_request));

  proto::ClientMessage report;
  auto& held = *again.next(report).mutable_reclaim()->add_held();
  held.set_name("x");
  held.set_slots(1);
  held.set_times(1);
  held.set_fence(1000);
  const auto reported = again.ask(report);
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->error(), 0U) << reported->message();
  proto::Read read;
  read.mutable_locks()->set_name("x");
  const auto lock = again.read(read);
  ASSERT_EQ(lock->locks_size(), 1);
  ASSERT_EQ(lock->locks(0).holders_size(), 1);
  EXPECT_EQ(lock->locks(0).holders(0).session(), fast.session);
  ASSERT_EQ(lock->locks(0).waiters_size(), 1);
  EXPECT_EQ(lock->locks(0).waiters(0).session(), other.session);
}

TEST_F(ProcessTest, ASilentSessionExpiresAndItsLockPassesOn) {
  Process server(usual(), log_file());
  RawClient silent = client();
  ASSERT_TRUE(silent.open("silent", false, 1'000'000));
  const auto first = silent.acquire("x");
  RawClient other = client();
  ASSERT_TRUE(other.open("other"));
  const auto second = other.acquire("x");
  ASSERT_TRUE(second);
  EXPECT_GT(second->granted().fence(), first->granted().fence());
  const auto told =
      silent.receive_if([](const proto::ServerMessage& one) { return one.has_session_over(); });
  EXPECT_TRUE(told);
  const auto late = silent.release("x");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->error(), static_cast<std::uint32_t>(Error::session_lost));
}

TEST_F(ProcessTest, APausedServerExpiresNobodyWhoKeptAlive) {
  Process server(usual(), log_file());
  RawClient one = client();
  ASSERT_TRUE(one.open("a", false, 1'000'000));
  ASSERT_TRUE(one.acquire("x"));
  server.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  proto::ClientMessage alive;
  alive.mutable_keep_alive()->set_number(5);
  ASSERT_TRUE(one.send(alive));
  server.signal(SIGCONT);
  const auto answer = one.receive();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->has_alive()) << answer->ShortDebugString();
  EXPECT_EQ(answer->alive().ttl(), 1'000'000);
  EXPECT_EQ(one.release("x")->error(), 0U);
}

TEST_F(ProcessTest, SaysWhatIsWrongAndDoesNotBegin) {
  const auto expect = [this](const std::vector<std::string>& arguments, const std::string& words) {
    Process server(arguments, log_file());
    EXPECT_EQ(server.wait(), 2) << words;
    EXPECT_NE(log().find(words), std::string::npos) << words << " in: " << log();
  };
  const std::string journal = (directory / "journal.db").string();
  expect({"--journal", journal}, "nothing to listen on");
  expect({"--listen", "nowhere", "--journal", journal}, "neither unix:PATH nor HOST:PORT");
  expect({"--listen", "127.0.0.1:99999", "--journal", journal}, "port between");
  expect({"--listen", "192.0.2.1:1", "--journal", journal}, "no such address");
  expect({"--listen", url(), "--journal", "/proc/nothing/journal.db"}, "/proc/nothing");
  expect({"--listen", "unix:/proc/nothing/socket", "--journal", journal}, "/proc/nothing/socket");
  expect({"--listen", url(), "--config", "/nowhere/file"}, "/nowhere/file");
  for (const char* mode : {"660x", "9", "0440", "1777", "u+w"}) {
    expect({"--listen", url(), "--journal", journal, "--socket-mode", mode}, "--socket-mode");
  }
  expect({"--listen", url(), "--journal", journal, "--socket-group", "nosuchgroup"},
         "no group 'nosuchgroup'");
  std::ofstream(directory / "config") << "colour = \"red\"\n";
  expect({"--listen", url(), "--config", (directory / "config").string()}, "colour");

  Process running(usual(), log_file());
  client();
  const auto other_log = directory / "other log";
  Process second({"--listen", url(), "--journal", "memory:"}, other_log);
  EXPECT_EQ(second.wait(), 2);
  EXPECT_TRUE(client().is_connected()) << "the first goes on";
}

TEST_F(ProcessTest, NobodyWritesIntoItsLog) {
  Process server(usual(), log_file());
  RawClient one = client();
  const std::string before = log();
  proto::ClientMessage opening;
  one.next(opening).mutable_open_session()->mutable_who()->set_label("\xff");
  const auto reply = one.ask(opening);
  ASSERT_TRUE(reply);
  EXPECT_EQ(static_cast<Error>(reply->error()), Error::bad_request);

  RawClient other(url());
  proto::ClientMessage hello;
  hello.mutable_hello()->set_program("PROGRAM");
  std::string bytes;
  io::append_frame(bytes, hello);
  bytes[bytes.find("PROGRAM")] = '\xff';
  ASSERT_TRUE(other.send_bytes(bytes));
  const auto told = other.receive();
  ASSERT_TRUE(told && told->has_goodbye());
  EXPECT_EQ(log(), before);
}

TEST_F(ProcessTest, RefusesAJournalOfANewerVersion) {
  const std::string path = (directory / "journal.db").string();
  {
    auto journal = journal::open(path);
    journal->read([](auto...) {}, [](auto...) {});
    proto::Batch batch;
    batch.set_version(service::record_format + 1);
    std::atomic<bool> is_done = false;
    journal->append(batch.SerializeAsString(), [&](const journal::Fault&) { is_done = true; });
    while (!is_done) std::this_thread::yield();
    journal->close();
  }
  Process server(usual(), log_file());
  EXPECT_EQ(server.wait(), 2);
  EXPECT_NE(log().find("newer version"), std::string::npos) << log();
}

TEST_F(ProcessTest, TakesSettingsFromFlagsEnvironmentAndFile) {
  std::ofstream(directory / "config") << "name = \"from the file\"\nlog = \"json\"\nlisten = \""
                                      << url() << "\"\njournal = \"memory:\"\n";
  Process server({"--config", (directory / "config").string()}, log_file(),
                 {{"BATON_NAME", "from the environment"}, {"BATON_SCOPE", "tests"}});
  RawClient one = client();
  proto::Read read;
  read.mutable_status();
  const auto status = one.read(read);
  EXPECT_EQ(status->status().server(), "from the environment");
  EXPECT_EQ(status->status().scope(), "tests");
  EXPECT_EQ(status->status().journal(), "memory:");
  EXPECT_EQ(log().substr(0, 9), "{\"time\":\"") << log();
}

// A record that has its name, or a status with its path, could not be read otherwise.
TEST_F(ProcessTest, ItsNameAndItsPathsMayBeAnyBytes) {
  const std::string path = (directory / "\xff.db").string();
  for (int start = 0; start < 2; ++start) {
    Process server({"--listen", url(), "--journal", path, "--name", "\xff"}, log_file());
    RawClient asking = client();
    proto::ClientMessage message;
    message.mutable_read()->mutable_status();
    asking.send(message);
    const auto answer =
        asking.receive_if([](const proto::ServerMessage& one) { return one.has_answer(); });
    ASSERT_TRUE(answer) << log();
    EXPECT_EQ(answer->answer().status().server(), "?");
    EXPECT_NE(answer->answer().status().journal().find("?.db"), std::string::npos);
  }
}

TEST_F(ProcessTest, TheSocketIsForWhomItIsSaidToBe) {
  struct stat seen {};
  const auto rights = [&](const std::vector<std::string>& more, const Environment& environment) {
    std::vector<std::string> all = usual();
    all.insert(all.end(), more.begin(), more.end());
    Process server(all, log_file(), environment);
    client();
    EXPECT_EQ(::stat((directory / "socket").c_str(), &seen), 0);
    server.signal(SIGTERM);
    server.wait();
    return seen.st_mode & 07777U;
  };
  EXPECT_EQ(rights({}, {}), 0700U) << "for nobody else unless told";
  EXPECT_EQ(rights({"--socket-mode", "0666"}, {}), 0666U);
  EXPECT_EQ(rights({}, {{"BATON_SOCKET_MODE", "660"}}), 0660U);
  // Only root may give it to a group that it is not in itself.
  const group* entry = ::geteuid() == 0 ? ::getgrnam("daemon") : ::getgrgid(::getegid());
  ASSERT_NE(entry, nullptr);
  const gid_t wanted = entry->gr_gid;
  EXPECT_EQ(rights({"--socket-group", entry->gr_name}, {}), 0660U);
  EXPECT_EQ(seen.st_gid, wanted);
}

TEST_F(ProcessTest, TellsItsSupervisor) {
  const std::string path = (directory / "notify").string();
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  Process server(usual(), log_file(), {{"NOTIFY_SOCKET", path}});
  const auto next = [socket] {
    pollfd one{socket, POLLIN, 0};
    char text[100] = "";
    if (::poll(&one, 1, 60'000) == 1) ::recv(socket, text, sizeof text - 1, 0);
    return std::string(text);
  };
  EXPECT_EQ(next(), "READY=1");
  EXPECT_TRUE(RawClient(url()).is_connected());
  server.signal(SIGTERM);
  EXPECT_EQ(next(), "STOPPING=1");
  EXPECT_EQ(server.wait(), 0);
  ::close(socket);
}

TEST_F(ProcessTest, ListensOnASocketThatItIsGiven) {
  const std::string path = (directory / "socket").string();
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(::listen(socket, 10), 0);
  Process server({"--journal", "memory:"}, log_file(), {{"LISTEN_FDS", "1"}}, [socket] {
    ::dup2(socket, 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  });
  ::close(socket);
  RawClient one = client();
  EXPECT_TRUE(one.open("a"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(path)) << "it belongs to whoever made it";
}

}  // namespace
}  // namespace baton::server
