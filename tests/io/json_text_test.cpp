// JSON as Baton writes it: a number looks as a person would write it, and is the same when read.
#include "io/json_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <limits>

namespace baton::io {
namespace {

namespace json = boost::json;

TEST(JsonText, WholeNumbersHaveNoFractionAndNoExponent) {
  EXPECT_EQ(json_text(10.0), "10");
  EXPECT_EQ(json_text(0.0), "0");
  EXPECT_EQ(json_text(-0.0), "0");
  EXPECT_EQ(json_text(-3.0), "-3");
  EXPECT_EQ(json_text(1e6), "1000000");
  EXPECT_EQ(json_text(1e20), "100000000000000000000");
  EXPECT_EQ(json_text(std::uint64_t{1} << 63), "9223372036854775808");
}

TEST(JsonText, OthersHaveTheFewestDigitsThatReadTheSame) {
  EXPECT_EQ(json_text(29.4), "29.4");
  EXPECT_EQ(json_text(0.1), "0.1");
  EXPECT_EQ(json_text(0.00025), "0.00025");
  EXPECT_EQ(json_text(1e-6), "0.000001");
  EXPECT_EQ(json_text(1.0 / 3), "0.3333333333333333");
  for (const double number : {2.0 / 3, 1e-7, 1e22, 5e-324, 1.7976931348623157e308, 123456.789}) {
    EXPECT_EQ(json::parse(json_text(number)).to_number<double>(), number) << json_text(number);
  }
}

TEST(JsonText, WhatIsNoNumberIsNull) {
  EXPECT_EQ(json_text(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_text(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonText, IsOneLine) {
  EXPECT_EQ(json_text({{"a", {1, 2.0, {{"b", 0.5}}}}, {"c\n\"", true}, {"d", json::object{}}}),
            R"({"a":[1,2,{"b":0.5}],"c\n\"":true,"d":{}})");
}

}  // namespace
}  // namespace baton::io
