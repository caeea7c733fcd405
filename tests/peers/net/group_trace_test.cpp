// What the members of a group write down, and whether it fits together.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "group_world.h"
#include "lab/view/json_lines.h"
#include "lab/view/merge.h"

namespace baton::net {
namespace {

std::vector<view::TracePart> parts_of(const GroupWorld& world, std::uint32_t size) {
  std::vector<view::TracePart> parts(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    parts[i].source = std::to_string(i);
    parts[i].trace.size = size;
  }
  for (const TraceEvent& event : world.trace()) {
    parts[event.node.value].trace.events.push_back(event);
  }
  return parts;
}

TEST(GroupTraces, BecomeOneWhateverHappensToTheGroup) {
  constexpr std::uint32_t size = 4;
  std::size_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    GroupWorld world({.size = size, .seed = seed, .traced = true});
    world.run(200 * message_time);
    world.suspect({world.draw(size)}, {world.draw(size)});
    world.cut({0}, {world.draw(size - 1) + 1});
    world.run(500 * message_time);
    world.mend();
    world.run(800 * message_time);
    ASSERT_GT(world.entries(), 0U);

    auto merged = view::merge(parts_of(world, size), {.keeps_pauses = true});
    ASSERT_TRUE(std::holds_alternative<view::MergedTrace>(merged)) << std::get<std::string>(merged);
    const auto& found = std::get<view::MergedTrace>(merged);
    EXPECT_TRUE(found.missing.empty()) << found.missing.front();
    std::stringstream file;
    view::write_json_lines(found.trace, file);
    const auto read = view::read_json_lines(file);
    ASSERT_TRUE(std::holds_alternative<Trace>(read)) << std::get<view::TraceError>(read).message();
    dropped += static_cast<std::size_t>(
        std::count_if(found.trace.events.begin(), found.trace.events.end(),
                      [](const TraceEvent& event) { return event.kind == TraceKind::drop; }));
  }
  EXPECT_GT(dropped, 0U) << "what belongs to an earlier view";
}

}  // namespace
}  // namespace baton::net
