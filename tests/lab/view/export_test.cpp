#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <sstream>

#include "lab/view/chrome.h"
#include "lab/view/golden.h"
#include "lab/view/sample_traces.h"
#include "lab/view/shiviz.h"

namespace baton::test {
namespace {

namespace json = boost::json;

std::string shiviz(const Trace& trace) {
  std::ostringstream out;
  EXPECT_EQ(view::write_shiviz(trace, out), "");
  return out.str();
}

std::string chrome(const Trace& trace) {
  std::ostringstream out;
  view::write_chrome(trace, out);
  return out.str();
}

TEST(ShiViz, WritesTheLog) { expect_golden("one_asks.shiviz", shiviz(one_asks())); }

// The rules that ShiViz states for its input: every entry matches the expression, and a host's own
// clock counts its events from 1.
TEST(ShiViz, ObeysTheRulesOfShiViz) {
  for (const Trace& trace : {everybody_asks(5), loss_and_crash(), named_and_uneven()}) {
    std::istringstream in(shiviz(trace));
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, view::shiviz_expression);
    std::getline(in, line);
    EXPECT_EQ(line, "");
    std::map<std::string, std::int64_t> events;
    while (std::getline(in, line)) {
      const std::size_t space = line.find(' ');
      ASSERT_NE(space, line.npos) << line;
      const std::string host = line.substr(0, space);
      const json::value clock = json::parse(line.substr(space + 1));
      EXPECT_EQ(clock.at(host).as_int64(), ++events[host]) << line;
      ASSERT_TRUE(std::getline(in, line));
      EXPECT_FALSE(line.empty());
    }
    EXPECT_EQ(events.size(), trace.size);
  }
}

TEST(ShiViz, DeclinesTracesWithoutVectorTimes) {
  std::ostringstream out;
  EXPECT_EQ(view::write_shiviz(one_asks(100), out),
            "ShiViz needs vector times, which traces of more than 64 processes do not have; try a "
            "smaller group, or the export to Perfetto");
  EXPECT_EQ(out.str(), "");
}

TEST(ShiViz, HostsAreDistinctWords) {
  Trace trace = one_asks();
  trace.names = {"a b", "a b", ""};
  const std::string text = shiviz(trace);
  EXPECT_NE(text.find("\na_b {"), text.npos);
  EXPECT_NE(text.find("\na_b#1 {"), text.npos);
  EXPECT_NE(text.find("\n#2 {"), text.npos);
}

TEST(Chrome, WritesTraceEvents) { expect_golden("one_asks.chrome.json", chrome(one_asks())); }

// Events of one process that follow each other more closely than a message's slice is long.
Trace hurried() {
  Trace trace{.algorithm = "hurried", .size = 2};
  TraceRecorder record(trace);
  const auto message = record.send({0}, {1}, {0}, "Token", "()");
  record.receive({1'000}, {0}, message);
  record.local({11'000}, {0}, TraceKind::request);
  record.local({211'000}, {0}, TraceKind::enter);
  return trace;
}

struct Slice {
  double begin, end;
};

TEST(Chrome, SlicesOfAThreadNestAndArrowsBeginAndEndInThem) {
  for (const Trace& trace : {everybody_asks(5), named_and_uneven(), loss_and_crash(), election(),
                             two_inside(), hurried()}) {
    const json::value document = json::parse(chrome(trace));
    std::map<std::int64_t, std::vector<Slice>> slices;
    std::map<std::int64_t, std::string> arrows;
    std::size_t receipts = 0;
    for (const json::value& event : document.at("traceEvents").as_array()) {
      const std::string phase(event.at("ph").as_string());
      if (phase == "M") continue;
      const auto begin = event.at("ts").to_number<double>();
      auto& thread = slices[event.at("tid").as_int64()];
      if (phase == "X") {
        thread.push_back({begin, begin + event.at("dur").to_number<double>()});
      } else if (phase == "s" || phase == "f") {
        arrows[event.at("id").as_int64()] += phase;
        receipts += phase == "f";
        EXPECT_EQ(thread.back().begin, begin) << "an arrow follows its slice";
      }
    }
    for (const auto& [thread, all] : slices) {
      for (const Slice& a : all) {
        for (const Slice& b : all) {
          const bool half = a.begin < b.begin && b.begin < a.end && a.end < b.end - 1e-6;
          EXPECT_FALSE(half) << "thread " << thread << " at " << b.begin;
        }
      }
    }
    for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, "sf");
    EXPECT_EQ(receipts, std::count_if(trace.events.begin(), trace.events.end(),
                                      [](const auto& e) { return e.kind == TraceKind::receive; }));
  }
}

TEST(Chrome, AMessageTimeIsAMillisecond) {
  const json::value document = json::parse(chrome(one_asks()));
  std::vector<std::string> states;
  for (const json::value& event : document.at("traceEvents").as_array()) {
    const json::value* category = event.as_object().if_contains("cat");
    if (category == nullptr || category->as_string() != "state") continue;
    states.push_back(std::string(event.at("name").as_string()) + ' ' +
                     std::to_string(event.at("dur").to_number<double>()));
  }
  EXPECT_EQ(states,
            (std::vector<std::string>{"waiting 2000.000000", "critical section 1000.000000"}));
}

}  // namespace
}  // namespace baton::test
