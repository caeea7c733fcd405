// Traces in files. Those of real processes are made in tests/cli/network.
#include <fstream>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

// Process 0 asks 1 and is answered; each has written down its own part.
constexpr const char* header =
    R"({"baton":"trace","version":1,"algorithm":"central","n":2,"seed":0,"message_time":1000000})"
    "\n";
constexpr const char* part_0 =
    R"({"t":10,"p":0,"e":"request","m":"x","lamport":1,"vector":[1,0]}
{"t":10,"p":0,"e":"send","to":1,"id":2,"m":"Request","lamport":2,"vector":[2,0]}
{"t":90,"p":0,"e":"receive","from":1,"id":3,"m":"Grant","lamport":5,"vector":[3,2]}
{"t":90,"p":0,"e":"enter","m":"x","lamport":6,"vector":[4,2]}
)";
constexpr const char* part_1 =
    R"({"t":7040,"p":1,"e":"receive","from":0,"id":2,"m":"Request","lamport":3,"vector":[2,1]}
{"t":7040,"p":1,"e":"send","to":0,"id":3,"m":"Grant","lamport":4,"vector":[2,2]}
)";

class TraceCommand : public testing::Test {
 protected:
  TraceCommand() {
    write("0", std::string(header) + part_0);
    write("1", std::string(header) + part_1);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string both() const { return path("0") + " " + path("1"); }

  Folder folder_;
};

TEST_F(TraceCommand, MergesWhatEachProcessWrote) {
  const Outcome outcome = baton("trace merge " + both());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "baton trace: a message time is 40 us, the median of 2 messages\n");
  EXPECT_EQ(
      outcome.out,
      R"({"baton":"trace","version":1,"algorithm":"central","n":2,"seed":0,"message_time":1000000,"events":6}
{"t":0,"p":0,"e":"request","m":"x","lamport":1,"vector":[1,0]}
{"t":0,"p":0,"e":"send","to":1,"id":1,"m":"Request","lamport":2,"vector":[2,0]}
{"t":1000000,"p":1,"e":"receive","from":0,"id":1,"m":"Request","lamport":3,"vector":[2,1]}
{"t":1000000,"p":1,"e":"send","to":0,"id":2,"m":"Grant","lamport":4,"vector":[2,2]}
{"t":2000000,"p":0,"e":"receive","from":1,"id":2,"m":"Grant","lamport":5,"vector":[3,2]}
{"t":2000000,"p":0,"e":"enter","m":"x","lamport":6,"vector":[4,2]}
)");
}

TEST_F(TraceCommand, DrawsWhatWasMergedInEveryWay) {
  ASSERT_EQ(baton("trace merge " + both() + " -o " + path("all")).code, 0);
  EXPECT_TRUE(has(baton("trace draw " + path("all")).out, "0 sends Request"));
  EXPECT_TRUE(is_seven_bit(baton("trace draw --ascii " + path("all")).out));
  EXPECT_TRUE(has(baton("trace draw --trace shiviz " + path("all")).out, "send Request to p1"));
  EXPECT_TRUE(has(baton("trace draw --trace chrome " + path("all")).out, "critical section"));
  EXPECT_EQ(baton("trace draw --trace json " + path("all")).out, contents(path("all")));
  EXPECT_EQ(baton("trace draw " + path("all") + " --svg " + path("svg")).code, 0);
  EXPECT_TRUE(has(contents(path("svg")), "<svg"));
}

TEST_F(TraceCommand, DrawsWhatTheSimulatorWrote) {
  const std::string run = "sim central -n 3 --workload one ";
  ASSERT_EQ(baton(run + "--trace json -o " + path("sim")).code, 0);
  const std::string drawn = baton("trace draw " + path("sim")).out;
  EXPECT_TRUE(has(drawn, "central, 3 processes, seed 1"));
  EXPECT_TRUE(has(baton(run + "--trace").out, drawn));
}

TEST_F(TraceCommand, SaysWhatIsMissing) {
  const Outcome outcome = baton("trace merge " + path("0"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "there is no file of process 1")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "sending of 1 message from 1 to 0")) << outcome.err;
}

TEST_F(TraceCommand, RefusesWhatIsNotOneRun) {
  expect_refused("trace", "merge or draw");
  expect_refused("trace mrege " + both(), "did you mean 'merge'");
  expect_refused("trace merge", "say which files");
  expect_refused("trace merge " + path("none"), "cannot read '" + path("none") + "': No such file");
  expect_refused("trace draw " + both(), "draw takes one file");
  expect_refused("trace merge " + both() + " --trace nonsense", "nonsense");

  write("text", "hello\n");
  expect_refused("trace merge " + path("0") + " " + path("text"), "line 1");
  expect_refused("trace draw " + path("1"), "was never sent");
  write("copy", std::string(header) + part_1);
  expect_refused("trace merge " + both() + " " + path("copy"), "both of process 1");
  std::string other = std::string(header) + part_1;
  other.replace(other.find("central"), 7, "raymond");
  write("other", other);
  expect_refused("trace merge " + path("0") + " " + path("other"), "different groups");
}

}  // namespace
}  // namespace baton::test
