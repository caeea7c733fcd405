// Snapshots: damaged ones are refused. What is accepted is a state that goes on, and in which
// nothing is left when all its sessions have ended.
#include "service/server/snapshot.h"

#include "fuzz/conversation.h"

namespace baton::fuzz {

namespace {

void apply(service::State& state, service::Time now, decltype(service::Command::what) what) {
  service::Effects effects;
  service::Command command;
  command.now = now;
  command.what = std::move(what);
  state.apply(command, effects);
}

constexpr service::Duration two_years{2LL * 365 * 24 * 3'600'000'000};

}  // namespace

std::vector<std::string> seeds() {
  service::State state;
  std::uint64_t request = 0;
  const auto apply_for = [&](std::uint64_t session, decltype(service::Command::what) what) {
    service::Effects effects;
    service::Command command;
    command.now = {static_cast<std::int64_t>(++request) * 1000};
    command.session = {session};
    command.request = {request};
    command.what = std::move(what);
    state.apply(command, effects);
  };
  apply_for(0, service::Lead{{1000}, false});
  apply_for(0, service::Reserve{{2000}});
  for (const char* nonce : {"one", "two", "three"}) {
    service::OpenSession open{.nonce = nonce, .who = {"host", 1, "user", "label"}};
    open.ttl = {10'000'000};
    open.lock_delay = {1'000'000};
    open.within = {request > 3 ? 1U : 0U};
    apply_for(0, open);
  }
  const std::string first = server::encode({7, state.image()});
  service::Acquire acquire{.names = {"a", "b"}};
  acquire.wait = service::Duration{5'000'000};
  acquire.terms.hold.max_hold = {9'000'000};
  apply_for(1, acquire);
  apply_for(2, acquire);
  service::Acquire slots{.names = {"pool"}};
  slots.terms.slots = 3;
  apply_for(1, slots);
  apply_for(2, slots);
  service::Acquire shared{.names = {"read"}, .terms = {.hold = {.mode = service::Mode::shared}}};
  apply_for(1, shared);
  apply_for(2, shared);
  apply_for(1, service::Upgrade{"read", {}, {}, false});
  service::Acquire campaign{.space = service::Namespace::election, .names = {"leader"}};
  campaign.terms.hold.value = "me";
  apply_for(3, campaign);
  apply_for(3, service::Put{"file", "value", {}, true});
  apply_for(0, service::Break{service::Namespace::lock, "pool", false});
  const std::string second = server::encode({7, state.image()});
  apply_for(0, service::ExpireSession{{2}});
  apply_for(0, service::BreakSession{{3}, false});
  return {first, second, server::encode({8, state.image()})};
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  server::Snapshot snapshot;
  try {
    snapshot = server::decode_snapshot(fuzz::text_of(data, size));
  } catch (const server::UnreadableSnapshot&) {
    return 0;
  }
  service::State state(snapshot.image);
  const service::StateImage image = state.image();
  fuzz::demand(service::State(image).image() == image, "an image is restored as it was taken");
  fuzz::demand(server::decode_snapshot(server::encode({snapshot.epoch, image})).image == image,
               "a snapshot is read as it was written");
  for (const service::SessionInfo& session : state.sessions()) {
    fuzz::apply(state, state.now(), service::ExpireSession{session.id});
  }
  fuzz::apply(state, state.now() + fuzz::two_years, service::Tick{});
  fuzz::demand(state.session_count() == 0 && state.waiting_count() == 0, "sessions end");
  fuzz::demand(state.lock_count() == 0, "without sessions nothing is held");
  return 0;
}
