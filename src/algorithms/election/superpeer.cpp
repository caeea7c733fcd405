#include "algorithms/election/superpeer.h"

#include <algorithm>

#include "algorithms/election/repulsion.h"

namespace baton {

Superpeer::Superpeer(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {
  for (std::uint32_t i = 0; i < setup.value(superpeers); ++i) state_.tokens.push_back({i});
}

void Superpeer::elect(Out& out) {
  if (state_.superpeer != nobody) {
    out.emit(Elected{state_.superpeer});
  } else {
    out.send({0}, Begin{});
  }
}

void Superpeer::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Begin&) {
                    state_.has_begun = true;
                    take_turn(out);
                  },
                  [&](const Token& token) { announce(token.turn, out); },
                  [&](const Here& here) { hear(here.turn, from, out); },
                  [&](const Join&) { upon_join(from, out); },
                  [&](const Welcome&) { upon_welcome(from, out); },
                  [&](const Full&) { upon_full(from, out); }},
             message);
}

// Acts if it is the turn of a token at this process.
void Superpeer::take_turn(Out& out) {
  const std::uint64_t turn = state_.turn;
  const std::size_t token = turn % state_.tokens.size();
  const bool has_begun = state_.has_begun || turn > 0;
  if (!has_begun || is_settled() || state_.tokens[token] != self_) return;
  if (turn < state_.turns_done) return;
  state_.turns_done = turn + 1;
  const NodeId to = pushed_to(*setup_, state_.tokens, token);
  if (to == self_) {
    announce(turn, out);
  } else {
    out.send(to, Token{turn});
  }
}

void Superpeer::announce(std::uint64_t turn, Out& out) {
  out.broadcast(self_, setup_->size, Here{turn});
  hear(turn, self_, out);
}

// Different processes report the turns, so the report of a later one may come first.
void Superpeer::hear(std::uint64_t turn, NodeId holder, Out& out) {
  if (turn < state_.turn || is_settled()) return;
  state_.early.emplace_back(turn, holder);
  const auto is_next = [&](const auto& heard) { return heard.first == state_.turn; };
  while (!is_settled()) {
    const auto next = std::find_if(state_.early.begin(), state_.early.end(), is_next);
    if (next == state_.early.end()) break;
    note(next->second);
  }
  std::erase_if(state_.early, [&](const auto& heard) { return heard.first < state_.turn; });
  if (is_settled()) {
    settle(out);
  } else {
    take_turn(out);
  }
}

void Superpeer::note(NodeId holder) {
  NodeId& place = state_.tokens[state_.turn % state_.tokens.size()];
  state_.stays = place == holder ? state_.stays + 1 : 0;
  place = holder;
  ++state_.turn;
}

// Every process finds out by itself, from the same turns.
void Superpeer::settle(Out& out) {
  state_.early.clear();
  if (std::find(state_.tokens.begin(), state_.tokens.end(), self_) == state_.tokens.end()) {
    ask_nearest(out);
    return;
  }
  state_.superpeer = self_;
  out.emit(Elected{self_});
}

void Superpeer::ask_nearest(Out& out) {
  const auto distance_to = [&](NodeId node) {
    return squared_distance(setup_->place(self_), setup_->place(node));
  };
  NodeId nearest = nobody;
  for (const NodeId superpeer : state_.tokens) {
    if (state_.refused_by.contains(superpeer)) continue;
    if (nearest == nobody || distance_to(superpeer) < distance_to(nearest)) nearest = superpeer;
  }
  if (nearest != nobody) out.send(nearest, Join{});
}

// May come before this process has heard that its token will stay.
void Superpeer::upon_join(NodeId from, Out& out) {
  const auto most = static_cast<std::size_t>(setup_->value(cap));
  const bool has_room = most == 0 || state_.served.size() < most;
  if (!state_.served.contains(from) && !has_room) {
    out.send(from, Full{});
    return;
  }
  state_.served.insert(from);
  out.send(from, Welcome{});
}

void Superpeer::upon_welcome(NodeId from, Out& out) {
  if (state_.superpeer != nobody) return;
  state_.superpeer = from;
  out.emit(Elected{from});
}

void Superpeer::upon_full(NodeId from, Out& out) {
  if (state_.superpeer != nobody) return;
  state_.refused_by.insert(from);
  ask_nearest(out);
}

namespace {

std::string objection(const Setup& setup) {
  const std::int64_t size = setup.size;
  const std::int64_t tokens = setup.value(Superpeer::superpeers);
  const std::int64_t most = setup.value(Superpeer::cap);
  if (tokens > size) {
    return "there cannot be " + std::to_string(tokens) + " superpeers among " +
           std::to_string(size) + " processes";
  }
  const std::int64_t normal = size - tokens;
  if (most == 0 || most * tokens >= normal) return {};
  const std::int64_t enough = (normal + tokens - 1) / tokens;
  return std::to_string(tokens) + " superpeers that serve " + std::to_string(most) +
         " each cannot serve " + std::to_string(normal) + "; take --cap " + std::to_string(enough) +
         " or more --superpeers";
}

}  // namespace

const Info& Superpeer::info() {
  static const Info info{
      .name = "superpeer",
      .title = "Superpeers by repelling tokens",
      .publication = "after Lo, Zhou, Liu, GauthierDickey and Li, Hot-P2P, 2005",
      .idea = "tokens push each other apart; who has one in the end serves those nearby",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::right_leader, Promise::everyone_learns},
      .problem = "tokens move one at a time, and everyone hears of every turn",
      .choice = Choice::several,
      .parameters = {&superpeers, &cap},
      .objection = objection,
      .example = "-n 4 --first 0 --superpeers 2",
      // It is for groups larger than the checker can take.
      .checked = {},
  };
  return info;
}

}  // namespace baton
