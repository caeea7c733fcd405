// Superpeers by repelling tokens: several leaders, evenly spread.
//
// V. Lo, D. Zhou, Y. Liu, C. GauthierDickey and J. Li, "Scalable supernode selection in
// peer-to-peer overlay networks", 2nd International Workshop on Hot Topics in Peer-to-Peer Systems,
// 2005, for the problem; the rule of the field's lectures: tokens that repel each other in the
// plane.
//
// Idea: there are as many tokens as the group wants superpeers. The others and the edges of the
// plane push each token away, and it moves to the process nearest to where the push leads. When no
// token is pushed hard enough any more, the processes with a token are superpeers, and every other
// process joins the nearest superpeer that can still serve it.
//
// Assumes: no message is lost, no process crashes; every process knows the positions of all.
// Promises: exactly as many superpeers as `superpeers` says, none of which ever serves more than
// `cap`, and everyone is served.
// Costs: none published. One turn of a token takes N−1 messages, one more if it moves.
//
// Choices of ours, since the lectures give only the idea:
// - Tokens take turns, token 0 first. Where a token sees the others at rest, every move lowers the
//   energy of all together, so that it must come to an end; tokens that move at once can chase
//   each other for ever, and two may land at one process.
// - The force falls with the third power of the distance, and an edge repels like a mirror image.
//   A force that reaches farther drives all tokens to the edges.
// - A token begins at each of the processes 0, 1, 2 …
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class Superpeer {
 public:
  static constexpr Parameter superpeers{
      .name = "superpeers",
      .help = "how many superpeers there shall be",
      .least = 1,
      .most = nobody.value,
      .usual = [](std::uint32_t size) { return std::int64_t{(size + 4) / 5}; },
      .usual_text = "one in five",
      .depends_on_size = true};
  static constexpr Parameter cap{.name = "cap",
                                 .help = "the most that each superpeer may serve",
                                 .least = 1,
                                 .most = nobody.value,
                                 .usual = always<0>,
                                 .usual_text = "any number",
                                 .depends_on_size = true};

  struct Begin {};
  // The token whose turn it is moves here.
  struct Token {
    std::uint64_t turn;
  };
  // After this turn the token is at the sender.
  struct Here {
    std::uint64_t turn;
  };
  struct Join {};
  struct Welcome {};
  struct Full {};
  using Message = std::variant<Begin, Token, Here, Join, Welcome, Full>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  struct State {
    bool has_begun = false;
    std::vector<NodeId> tokens;    // the process of each token, after the turns heard of
    std::uint64_t turn = 0;        // turns heard of without a gap
    std::uint64_t turns_done = 0;  // the process has acted in all its turns below
    std::uint32_t stays = 0;       // turns in a row in which no token moved
    // What it has heard of later turns.
    std::vector<std::pair<std::uint64_t, NodeId>> early;
    NodeSet served;
    NodeSet refused_by;
    NodeId superpeer = nobody;  // the superpeer that serves this process, or itself
  };

  Superpeer(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

 private:
  bool is_settled() const { return state_.stays >= state_.tokens.size(); }
  void take_turn(Out& out);
  void announce(std::uint64_t turn, Out& out);
  void hear(std::uint64_t turn, NodeId holder, Out& out);
  void note(NodeId holder);
  void settle(Out& out);
  void ask_nearest(Out& out);
  void upon_join(NodeId from, Out& out);
  void upon_welcome(NodeId from, Out& out);
  void upon_full(NodeId from, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
