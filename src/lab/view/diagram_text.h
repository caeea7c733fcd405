// The sentence beside each row of a diagram.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/view/diagram_rows.h"

namespace baton::view {

// A piece of a sentence. A process's name has the process's colour.
struct Span {
  std::string text;
  NodeId colour = nobody;
};
using Sentence = std::vector<Span>;

class Narrator {
 public:
  Narrator(const Trace& trace, const Rows& rows, bool unicode);

  // The whole sentence; or, where there is little room, without messages' bodies and durations.
  Sentence tell(const Row& row, bool briefly = false) const;
  // In message times, with as many decimals as the whole trace needs (1 to 3).
  std::string time(Ticks time) const;
  std::string name(NodeId node) const;

 private:
  void people(Sentence& to, const std::vector<NodeId>& nodes, std::size_t everybody) const;
  // "p0 enters", "p0 and p1 enter"
  void act(Sentence& to, const Row& row, std::string_view one, std::string_view many) const;
  void arrival(Sentence& to, const Row& row, bool briefly) const;
  void request(Sentence& to, const Row& row) const;
  void entry(Sentence& to, const Row& row, bool briefly) const;
  void choice(Sentence& to, const Row& row) const;
  std::string message(const Row& row, bool briefly) const;

  const Trace* trace_;
  const Rows* rows_;
  bool unicode_;
  int decimals_ = 1;
};

}  // namespace baton::view
