#include "cli/service/tool.h"

namespace baton::test {
namespace {

class FilesOfTheService : public Tool {};

TEST_F(FilesOfTheService, WhatIsPutIsThere) {
  EXPECT_EQ(baton("get k").code, 1);
  EXPECT_EQ(baton("rm k").code, 1);
  EXPECT_EQ(baton("put k hello").code, 0);
  EXPECT_EQ(baton("get k").out, "hello");
  EXPECT_EQ(shell("printf 'a\\0b' | $BATON put k").code, 0);
  EXPECT_EQ(baton("get k").out, std::string("a\0b", 3));
  EXPECT_EQ(shell("printf c | $BATON put k -").code, 0);
  EXPECT_EQ(baton("get k").out, "c");
  end(server_process());
  EXPECT_EQ(baton("get k").out, "c") << "it lasts";
  EXPECT_EQ(baton("rm k").code, 0);
  EXPECT_EQ(baton("get k").code, 1);
}

TEST_F(FilesOfTheService, VersionsAreCompared) {
  EXPECT_EQ(json("put k one --new").at("version").as_int64(), 1);
  EXPECT_EQ(baton("put k two --new").code, 75);
  EXPECT_EQ(baton("put k two --version 1").code, 0);
  EXPECT_EQ(baton("put k three --version 1").code, 75);
  EXPECT_EQ(baton("rm k --version 1").code, 75);
  EXPECT_EQ(json("get k").at("value"), "two");
  EXPECT_EQ(baton("rm k --version 2").code, 0);
}

TEST_F(FilesOfTheService, GoWithTheLockAroundThem) {
  const Outcome outcome =
      baton("lock a -- sh -c '$BATON put k here --tied; $BATON get k; $BATON ls -l'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("here")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "session ")) << outcome.out;
  EXPECT_EQ(baton("get k").code, 1) << "it went with the lock";

  Running server("$BATON serve --listen unix:$F/other --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("other"); }));
  EXPECT_EQ(baton("lock a --url unix:$F/other -- sh -c '$BATON put k there --tied; $BATON get k "
                  "--url unix:$F/other'")
                .out,
            "there")
      << "at the server of that lock";
  const Outcome wrong =
      baton("lock a --url unix:$F/other -- $BATON put k v --tied --url unix:$F/third");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "but the lock around this command is at")) << wrong.err;
}

TEST_F(FilesOfTheService, GoWithWhatATokenStandsFor) {
  const Outcome taken = baton("acquire a");
  const std::string token = taken.out.substr(0, taken.out.find('\n'));
  EXPECT_EQ(baton("put k v --tied-to " + token).code, 0);
  EXPECT_EQ(baton("put k w --tied-to " + token).code, 0);
  EXPECT_EQ(baton("renew " + token).code, 0) << "the token is as good as before";
  EXPECT_EQ(baton("get k").out, "w");
  EXPECT_EQ(baton("release " + token).code, 0);
  EXPECT_EQ(baton("get k").code, 1);
  const Outcome late = baton("put k v --tied-to " + token);
  EXPECT_EQ(late.code, 1);
  EXPECT_TRUE(has(late.err, "is over")) << late.err;
}

TEST_F(FilesOfTheService, Lists) {
  EXPECT_EQ(baton("ls").out, "");
  for (const std::string key : {"b/1", "a/2", "a/1"}) EXPECT_EQ(baton("put " + key + " x").code, 0);
  EXPECT_EQ(baton("ls").out, "a/1\na/2\nb/1\n");
  EXPECT_EQ(baton("ls a/").out, "a/1\na/2\n");
  EXPECT_TRUE(has(baton("ls -l").out, "version"));
  EXPECT_EQ(json("ls").at("files").as_array().size(), 3U);
  EXPECT_EQ(json("status").at("files").as_int64(), 3);
}

TEST_F(FilesOfTheService, NothingIsMissedByAWatch) {
  EXPECT_EQ(baton("put a/1 x").code, 0);
  const auto after = json("ls").at("revision").as_int64();
  EXPECT_EQ(baton("put a/2 y").code, 0);
  EXPECT_EQ(baton("put b z").code, 0);
  EXPECT_EQ(baton("rm a/1").code, 0);
  const Outcome seen = baton("watch a/ --after " + std::to_string(after) + " --count 2");
  EXPECT_EQ(seen.code, 0);
  EXPECT_EQ(lines(seen.out), 2U) << seen.out;
  EXPECT_TRUE(has(seen.out, "put  a/2  y")) << seen.out;
  EXPECT_TRUE(has(seen.out, "removed  a/1")) << seen.out;

  Running watcher("$BATON watch --json --count 1");
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(baton("put c again").code, 0);
    return lines(watcher.out()) == 1;
  }));
  EXPECT_EQ(watcher.wait(), 0);
  EXPECT_TRUE(has(watcher.out(), "\"key\":\"c\"")) << watcher.out();
}

TEST_F(FilesOfTheService, WhatIsNotTextIsBase64InJson) {
  EXPECT_EQ(shell("printf '\\377\\0\\1' | $BATON put k").code, 0);
  EXPECT_EQ(json("get k").at("value_base64"), "/wAB");
  EXPECT_EQ(json("ls").at("files").at(0).at("value_base64"), "/wAB");
  EXPECT_EQ(json("watch --after 0 --count 1").at("value_base64"), "/wAB");
  EXPECT_EQ(baton("watch --after 0 --count 1").out, "1  put  k  ???\n");
  EXPECT_EQ(baton("get k").out, std::string("\377\0\1", 3));
}

TEST_F(FilesOfTheService, WrongUsage) {
  expect_refused("get", "say which file");
  expect_refused("put", "say which file");
  expect_refused("put k v --new --version 3", "exclude each other");
  expect_refused("put k v --version 0", "too small");
  expect_refused("put k v --tied", "only in a command that 'baton lock'");
  expect_refused("put k v --tied-to nonsense", "is not a token");
  expect_refused("put k v --tied --tied-to nonsense", "exclude each other");
  expect_refused("put k v w", "'w' was not expected");
  expect_refused("rm k --versoin 1", "did you mean '--version'?");
  expect_refused("watch --count 0", "too small");
  EXPECT_EQ(shell("head -c 65537 /dev/zero | $BATON put k").code, 2);
  EXPECT_EQ(shell("$BATON put k </dev/zero").code, 2) << "without an end";
  for (const std::string command : {"get", "rm", "locks", "leader"}) {
    const Outcome outcome = baton(command + " \"$(printf '\\377')\"");
    EXPECT_EQ(outcome.code, 2) << command << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  }
  EXPECT_EQ(shell("head -c 65536 /dev/zero | $BATON put k").code, 0);
}

}  // namespace
}  // namespace baton::test
