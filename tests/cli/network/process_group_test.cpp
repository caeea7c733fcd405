// Real processes that form a group, and what they write down.
#include "cli/network/process_group.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lab/view/chrome.h"
#include "lab/view/diagram.h"
#include "lab/view/json_lines.h"
#include "lab/view/merge.h"
#include "lab/view/shiviz.h"
#include "lab/view/svg.h"

namespace baton::cli {
namespace {

class ProcessGroupTest : public testing::Test {
 protected:
  ProcessGroupTest() {
    std::string name = (std::filesystem::temp_directory_path() / "baton-group-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~ProcessGroupTest() override { std::filesystem::remove_all(folder_); }

  std::vector<view::TracePart> parts(std::uint32_t size) const {
    std::vector<view::TracePart> found;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::string path = folder_ / (std::to_string(i) + ".jsonl");
      std::ifstream file(path);
      auto read = view::read_part(file);
      if (const auto* error = std::get_if<view::TraceError>(&read)) {
        ADD_FAILURE() << path << ": " << error->message();
        return {};
      }
      found.push_back({path, std::get<Trace>(std::move(read))});
    }
    return found;
  }

  std::filesystem::path folder_;
};

void enter_and_leave(ProcessGroup& group, NodeId whom) {
  group.tell(whom, "request x");
  group.hear(whom, "granted");
  group.tell(whom, "release x");
  group.wait_until_quiet();
}

TEST_F(ProcessGroupTest, IsQuietWhenNothingIsUnderWay) {
  ProcessGroup group({.size = 3, .algorithm = "ricart-agrawala"});
  group.wait_until_quiet();
  const MessageCounters before = group.counters();
  for (int i = 0; i < 20; ++i) {
    enter_and_leave(group, {static_cast<std::uint32_t>(i % 3)});
    const MessageCounters now = group.counters();
    EXPECT_EQ(now.sent, now.taken);
    EXPECT_EQ(now.of_algorithm() - before.of_algorithm(), std::uint64_t(4 * (i + 1)));
  }
}

TEST_F(ProcessGroupTest, TracesBecomeOne) {
  {
    ProcessGroup group({.size = 3, .algorithm = "ricart-agrawala", .trace_folder = folder_});
    for (const std::uint32_t whom : {2U, 0U, 1U, 2U}) enter_and_leave(group, {whom});
  }
  auto merged = view::merge(parts(3));
  ASSERT_TRUE(std::holds_alternative<view::MergedTrace>(merged)) << std::get<std::string>(merged);
  const auto& found = std::get<view::MergedTrace>(merged);
  EXPECT_TRUE(found.missing.empty()) << found.missing.front();
  EXPECT_GT(found.message_time_us, 0);

  std::vector<std::uint32_t> entered;
  std::uint32_t inside = 0;
  std::size_t messages = 0;
  for (const TraceEvent& event : found.trace.events) {
    if (event.kind == TraceKind::enter) {
      entered.push_back(event.node.value);
      EXPECT_EQ(++inside, 1U) << "one at a time";
    }
    if (event.kind == TraceKind::exit) --inside;
    messages += event.kind == TraceKind::send && (event.name == "Request" || event.name == "Reply");
  }
  EXPECT_EQ(entered, (std::vector<std::uint32_t>{2, 0, 1, 2}));
  EXPECT_EQ(messages, 16U);

  std::stringstream file;
  view::write_json_lines(found.trace, file);
  const auto read = view::read_json_lines(file);
  ASSERT_TRUE(std::holds_alternative<Trace>(read)) << std::get<view::TraceError>(read).message();
  EXPECT_EQ(std::get<Trace>(read), found.trace);

  std::ostringstream svg;
  EXPECT_EQ(view::write_svg(found.trace, svg), "");
  std::ostringstream shiviz;
  view::write_shiviz(found.trace, shiviz);
  std::ostringstream chrome;
  view::write_chrome(found.trace, chrome);
  EXPECT_NE(shiviz.str().find("send Request"), std::string::npos);
  EXPECT_NE(chrome.str().find("critical section"), std::string::npos);
  const std::string drawn = view::draw(found.trace, {});
  EXPECT_NE(drawn.find("2 asks for x"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("2 sends Request<1,2> to all"), std::string::npos)
      << "what is sent in one step is sent at one time\n"
      << drawn;
}

TEST_F(ProcessGroupTest, VectorTimesAreThoseThatTheMembersWroteDown) {
  {
    ProcessGroup group({.size = 3, .algorithm = "naimi-trehel", .trace_folder = folder_});
    for (const std::uint32_t whom : {2U, 1U, 2U}) enter_and_leave(group, {whom});
  }
  const std::vector<view::TracePart> own = parts(3);
  const auto merged = view::merge(own);
  ASSERT_TRUE(std::holds_alternative<view::MergedTrace>(merged)) << std::get<std::string>(merged);
  std::vector<std::size_t> next(own.size());
  for (const TraceEvent& event : std::get<view::MergedTrace>(merged).trace.events) {
    const TraceEvent& written = own[event.node.value].trace.events[next[event.node.value]++];
    EXPECT_EQ(event.kind, written.kind);
    EXPECT_EQ(event.vector, written.vector);
    EXPECT_EQ(event.lamport, written.lamport);
  }
}

}  // namespace
}  // namespace baton::cli
