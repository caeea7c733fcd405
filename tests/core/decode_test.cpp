// What is encoded can be read back, and nothing else can.
#include "core/decode.h"

#include <gtest/gtest.h>

#include <random>

namespace baton::reflect {
namespace {

enum class Colour : std::uint8_t { red, green };
struct Leaf {
  NodeId node;
  std::int32_t number = 0;
  bool flag = false;
};
struct Empty {};
struct Whole {
  std::uint64_t large = 0;
  Colour colour{};
  std::string text;
  std::vector<Leaf> leaves;
  std::optional<Timestamp> stamp;
  NodeSet nodes;
  std::variant<Empty, Leaf, std::pair<std::uint8_t, Clock>> choice;
};

constexpr std::uint32_t size = 70;

Whole drawn(std::mt19937_64& random) {
  Whole value;
  value.large = random() >> (random() % 64);
  value.colour = random() % 2 == 0 ? Colour::red : Colour::green;
  for (std::size_t left = random() % 5; left > 0; --left) {
    value.text.push_back(static_cast<char>(random() % 256));
  }
  for (std::size_t left = random() % 4; left > 0; --left) {
    const NodeId node{static_cast<std::uint32_t>(random() % size)};
    value.leaves.push_back({random() % 4 == 0 ? nobody : node, static_cast<std::int32_t>(random()),
                            random() % 2 == 0});
    value.nodes.insert(node);
  }
  if (random() % 2 == 0) value.stamp = Timestamp{{random() % 1000}, {3}};
  if (random() % 3 == 0) value.choice = Leaf{{1}, -1, true};
  if (random() % 3 == 0) value.choice = std::pair<std::uint8_t, Clock>{7, {9}};
  return value;
}

TEST(Decode, ReadsBackWhatIsEncoded) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = encoded(drawn(random));
    const auto back = decoded<Whole>(bytes, size);
    ASSERT_TRUE(back);
    EXPECT_EQ(encoded(*back), bytes);
  }
}

TEST(Decode, TakesNothingThatIsCutShortOrHasMore) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = encoded(drawn(random));
    for (std::size_t end = 0; end < bytes.size(); ++end) {
      EXPECT_FALSE(decoded<Whole>(bytes.substr(0, end), size));
    }
    EXPECT_FALSE(decoded<Whole>(bytes + '\0', size));
  }
}

// Equal values have equal encodings: so whatever is taken is the encoding of what it is taken for.
TEST(Decode, WhatIsTakenIsWhatItSays) {
  std::mt19937_64 random(3);
  int taken = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes = encoded(drawn(random));
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (const auto value = decoded<Whole>(bytes, size)) {
      ++taken;
      EXPECT_EQ(encoded(*value), bytes);
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(Decode, NobodyOutsideTheGroup) {
  EXPECT_TRUE(decoded<NodeId>(encoded(NodeId{4}), 5));
  EXPECT_FALSE(decoded<NodeId>(encoded(NodeId{5}), 5));
  EXPECT_TRUE(decoded<NodeId>(encoded(nobody), 5));
  NodeSet set;
  set.insert({5});
  EXPECT_FALSE(decoded<NodeSet>(encoded(set), 5));
}

TEST(Decode, NumbersThatDoNotFit) {
  EXPECT_TRUE(decoded<std::uint8_t>(encoded(std::uint64_t{255}), 1));
  EXPECT_FALSE(decoded<std::uint8_t>(encoded(std::uint64_t{256}), 1));
  EXPECT_FALSE(decoded<std::int8_t>(encoded(std::int64_t{-129}), 1));
  EXPECT_EQ(decoded<std::int8_t>(encoded(std::int64_t{-128}), 1).value_or(0), -128);
  EXPECT_FALSE(decoded<bool>(encoded(2U), 1));
  EXPECT_FALSE(decoded<std::uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 1));
  EXPECT_EQ(decoded<std::uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1),
            ~std::uint64_t{0});
  EXPECT_FALSE(decoded<std::uint64_t>(std::string("\x80\x00", 2), 1)) << "not the shortest";
}

// A length that is only claimed makes no room for it.
TEST(Decode, AHugeLengthIsNoRoom) {
  EXPECT_FALSE(decoded<std::vector<Leaf>>(encoded(~std::uint64_t{0}), 5));
}

}  // namespace
}  // namespace baton::reflect
