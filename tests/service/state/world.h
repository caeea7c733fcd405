// A state with a hand on its clock: tests say what they do, and look at what comes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/state/state.h"

namespace baton::service {

inline constexpr Duration second{1'000'000};
constexpr Duration seconds(std::int64_t count) { return {count * second.value}; }

class World {
 public:
  explicit World(bool gated = false) {
    apply({.what = Lead{.fences_from = {1000}, .gated = gated}});
    apply({.what = Reserve{.below = {1'000'000}}});
    effects.clear();
  }

  // The effects of the last command only.
  void apply(Command command) {
    command.now = now;
    effects.clear();
    state.apply(command, effects);
  }

  void pass(Duration duration) {
    now = now + duration;
    apply({.what = Tick{}});
  }

  SessionId open(OpenSession open = {}) {
    if (open.nonce.empty()) open.nonce = "nonce " + std::to_string(++nonces);
    if (open.ttl.value == 0) open.ttl = seconds(10);
    apply({.request = {1}, .what = std::move(open)});
    return std::get<Opened>(std::get<Reply>(effects.at(0)).result).session;
  }
  SessionId open_named(std::string label, std::string host) {
    return open({.who = {.host = std::move(host), .label = std::move(label)}});
  }

  // Sends it under the next request id, which it returns.
  template <class What>
  RequestId ask(SessionId session, What what) {
    const RequestId request{++requests};
    apply({.session = session, .request = request, .what = std::move(what)});
    return request;
  }
  RequestId lock(SessionId session, std::vector<std::string> names, OwnerId owner = {}) {
    return ask(session, Acquire{.names = std::move(names), .owner = owner});
  }
  RequestId share(SessionId session, std::vector<std::string> names, OwnerId owner = {}) {
    return ask(session, Acquire{.names = std::move(names),
                                .owner = owner,
                                .terms = {.hold = {.mode = Mode::shared}}});
  }
  RequestId unlock(SessionId session, std::vector<std::string> names, OwnerId owner = {}) {
    return ask(session, Release{.names = std::move(names), .owner = owner});
  }

  // What the last command told about a request.
  const Reply* reply(RequestId request) const {
    for (const auto& effect : effects)
      if (const auto* found = std::get_if<Reply>(&effect); found && found->request == request)
        return found;
    return nullptr;
  }
  bool is_granted(RequestId request) const {
    const Reply* found = reply(request);
    return found != nullptr && found->error == Error::none &&
           std::holds_alternative<Grant>(found->result);
  }
  FencingToken fence(RequestId request) const {
    return is_granted(request) ? std::get<Grant>(reply(request)->result).fence : FencingToken{};
  }
  bool is_queued(RequestId request) const {
    for (const auto& effect : effects)
      if (const auto* found = std::get_if<Queued>(&effect); found && found->request == request)
        return true;
    return false;
  }
  // `internal` stands for no answer at all.
  Error error(RequestId request) const {
    return reply(request) == nullptr ? Error::internal : reply(request)->error;
  }
  std::string message(RequestId request) const {
    return reply(request) == nullptr ? "no answer" : reply(request)->message;
  }
  template <class Kind>
  std::vector<Kind> told() const {
    std::vector<Kind> found;
    for (const auto& effect : effects)
      if (const auto* one = std::get_if<Kind>(&effect)) found.push_back(*one);
    return found;
  }

  std::vector<SessionId> holders(const std::string& name, Namespace space = Namespace::lock) const {
    std::vector<SessionId> found;
    if (const auto lock = state.lock(space, name))
      for (const auto& holder : lock->holders)
        if (!holder.expired) found.push_back(holder.party.session);
    return found;
  }

  State state;
  Time now{1'000'000};
  Effects effects;
  std::uint64_t requests = 0;
  int nonces = 0;
};

}  // namespace baton::service
