// Images that no state can have been taken of are told apart from those that one can.
#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

// Sessions, one within another and one that is gone, with everything that a state can have.
StateImage image_of_everything() {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open({.lock_delay = second});
  world.open({.within = a});
  world.lock(a, {"x", "y"});
  world.lock(b, {"x"});
  world.lock(b, {"y"}, {1});
  world.share(a, {"read"});
  world.share(b, {"read"}, {2});
  world.ask(a, Upgrade{.name = "read", .wait = second});
  world.ask(a, Acquire{.names = {"pool"}, .terms = {.hold = {.max_hold = seconds(5)}, .slots = 3}});
  world.ask(b, Acquire{.names = {"pool"}, .terms = {.slots = 3}});
  world.ask(
      a,
      Acquire{.space = Namespace::election, .names = {"boss"}, .terms = {.hold = {.value = "a"}}});
  world.ask(a, Put{.key = "file", .value = "1", .tied = true});
  world.lock(c, {"late"});
  world.apply({.what = ExpireSession{c}});
  return world.state.image();
}

LockImage& lock(StateImage& image, std::string_view name) {
  for (LockImage& one : image.locks)
    if (one.name == name) return one;
  throw std::logic_error("no such lock");
}
SessionImage& a(StateImage& image) { return image.sessions.at(0); }
SessionImage& b(StateImage& image) { return image.sessions.at(1); }

struct Spoiling {
  const char* problem;
  void (*spoil)(StateImage&);
};

constexpr std::uint64_t far = std::uint64_t{1} << 62;

const Spoiling spoilings[] = {
    {"its time is impossible", [](StateImage& it) { it.now = {-1}; }},
    {"its time is impossible", [](StateImage& it) { it.now = {INT64_MAX}; }},
    {"its fences contradict each other", [](StateImage& it) { it.next_fence = {0}; }},
    {"its fences contradict each other", [](StateImage& it) { it.reserve = {1}; }},
    {"its fences contradict each other", [](StateImage& it) { it.reserve = {far}; }},
    {"its fences contradict each other", [](StateImage& it) { it.fence_floor = it.reserve; }},
    {"its fences contradict each other", [](StateImage& it) { it.joinable_from = it.reserve; }},
    {"its tickets contradict each other",
     [](StateImage& it) { it.ticket_floor = it.next_ticket + 1; }},
    {"its tickets contradict each other", [](StateImage& it) { it.next_ticket = far; }},
    {"its sessions are uncountable", [](StateImage& it) { it.next_session = 0; }},
    {"a session has an impossible number", [](StateImage& it) { it.next_session = 2; }},
    {"a session has an impossible number", [](StateImage& it) { b(it).id = a(it).id; }},
    {"a session has the nonce of another",
     [](StateImage& it) { b(it).terms.nonce = a(it).terms.nonce; }},
    {"a session has the nonce of another", [](StateImage& it) { b(it).terms.nonce.clear(); }},
    {"a lock has no name or no slots", [](StateImage& it) { it.locks[0].name.clear(); }},
    {"a lock has no name or no slots", [](StateImage& it) { it.locks[0].slots = 0; }},
    {"a lock has no name or no slots", [](StateImage& it) { it.locks[0].slots = UINT32_MAX; }},
    {"a lock is there twice", [](StateImage& it) { it.locks.push_back(it.locks[0]); }},
    {"a session has impossible times", [](StateImage& it) { a(it).terms.ttl = {-1}; }},
    {"a session has impossible times", [](StateImage& it) { a(it).ends = {INT64_MAX}; }},
    {"a session is within one that is not there", [](StateImage& it) { b(it).terms.within = {9}; }},
    {"a session is within one that is not there",
     [](StateImage& it) { a(it).terms.within = b(it).id; }},
    {"the requests of a session are in disorder",
     [](StateImage& it) { std::swap(a(it).answers[0], a(it).answers[1]); }},
    {"the requests of a session are in disorder",
     [](StateImage& it) { b(it).waiting.push_back(b(it).waiting[0]); }},
    {"a request waits for another session",
     [](StateImage& it) { b(it).waiting[0].party.session = a(it).id; }},
    {"a waiting request has an impossible number",
     [](StateImage& it) { b(it).waiting[0].id = {0}; }},
    {"a waiting request has an impossible number",
     [](StateImage& it) { b(it).waiting[0].ticket = it.next_ticket; }},
    {"a waiting request has impossible times",
     [](StateImage& it) { a(it).waiting[0].deadline = Time{-1}; }},
    {"a request waits though it is answered",
     [](StateImage& it) { a(it).waiting[0].id = a(it).answers[0].request; }},
    {"a request waits for nothing, or twice for the same",
     [](StateImage& it) { b(it).waiting[0].names.clear(); }},
    {"a request waits for nothing, or twice for the same",
     [](StateImage& it) { b(it).waiting[0].names.push_back("x"); }},
    {"a request waits for no lock", [](StateImage& it) { b(it).waiting[0].names[0] += "z"; }},
    {"a request waits for no lock", [](StateImage& it) { b(it).waiting[0].terms.slots = 2; }},
    {"a request upgrades what is not held",
     [](StateImage& it) { a(it).waiting[0].party.owner = {7}; }},
    {"a lock is neither held nor wanted", [](StateImage& it) { lock(it, "late").holds.clear(); }},
    {"a lock is held twice by the same",
     [](StateImage& it) { lock(it, "read").holds[1].party = lock(it, "read").holds[0].party; }},
    {"a lock has an impossible slot", [](StateImage& it) { lock(it, "pool").holds[0].slot = 3; }},
    {"a lock has an impossible slot", [](StateImage& it) { lock(it, "pool").holds[0].slot = 1; }},
    {"a lock has an impossible slot",
     [](StateImage& it) { lock(it, "pool").holds[0].terms.mode = Mode::shared; }},
    {"a lock is held by too many",
     [](StateImage& it) { lock(it, "read").holds[0].terms.mode = Mode::exclusive; }},
    {"a lock is held by too many", [](StateImage& it) { --lock(it, "read").holds[0].fence.value; }},
    {"a hold has impossible times", [](StateImage& it) { lock(it, "x").holds[0].since = {-1}; }},
    {"a hold has an impossible fence",
     [](StateImage& it) { lock(it, "x").holds[0].fence = it.next_fence; }},
    {"a hold has an impossible fence", [](StateImage& it) { lock(it, "x").holds[0].fence = {0}; }},
    {"a lock is held by nobody",
     [](StateImage& it) { lock(it, "x").holds[0].party.session = {9}; }},
    {"a lock is held by nobody", [](StateImage& it) { lock(it, "late").holds[0].ends = {0}; }},
    {"a file is there twice", [](StateImage& it) { it.files.push_back(it.files[0]); }},
    {"a file has an impossible version", [](StateImage& it) { it.files[0].version = 0; }},
    {"a file has an impossible version", [](StateImage& it) { it.files[0].revision = {far}; }},
    {"a file is tied to no session", [](StateImage& it) { it.files[0].tied = {9}; }},
    {"its changes are uncountable", [](StateImage& it) { it.revision = {far}; }},
    {"its changes are in disorder", [](StateImage& it) { ++it.revision.value; }},
    {"its changes are in disorder",
     [](StateImage& it) { it.changes[0].kind = static_cast<Change::Kind>(9); }},
};

TEST(Image, OfAnyStateIsFine) {
  StateImage image = image_of_everything();
  EXPECT_EQ(image.sessions.size(), 3u);
  EXPECT_EQ(a(image).waiting.size(), 1u);
  EXPECT_EQ(what_is_wrong_with(image), std::nullopt);
  EXPECT_EQ(what_is_wrong_with(State().image()), std::nullopt);
}

// Their numbers are made of keys, and come in any order.
TEST(Image, OfASessionThatDoesNotConfirmHasItsAnswersAsTheyWereGiven) {
  World world;
  const auto script = world.open({.latest_answers = 10});
  for (const std::uint64_t request : {7, 3, 5})
    world.apply({.session = script, .request = {request}, .what = Acquire{.names = {"x"}}});
  EXPECT_EQ(what_is_wrong_with(world.state.image()), std::nullopt);
}

TEST(Image, ThatContradictsItselfIsToldApart) {
  for (std::size_t i = 0; i < std::size(spoilings); ++i) {
    StateImage image = image_of_everything();
    spoilings[i].spoil(image);
    EXPECT_EQ(what_is_wrong_with(image).value_or("nothing"), spoilings[i].problem) << "case " << i;
  }
}

}  // namespace
}  // namespace baton::service
