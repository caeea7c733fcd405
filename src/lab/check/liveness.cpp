#include "lab/check/liveness.h"

#include <unordered_map>
#include <unordered_set>

namespace baton::check {

namespace {

using Number = StateStore::Number;

// Finds strongly connected components by Tarjan's algorithm and calls found(component) for each. It
// keeps a stack of its own, since the graph may be deep.
template <class Permits, class Edges, class Found>
class Components {
 public:
  Components(Number numbers, Permits permits, Edges edges, Found found)
      : permits_(permits), edges_(edges), found_(found), order_(numbers, 0), low_(numbers, 0) {}

  // False: found() stopped the search.
  bool search(Number root) {
    if (order_[root] != 0 || !permits_(root)) return true;
    visit(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const auto edges = edges_(frame.number);
      if (frame.next < static_cast<std::size_t>(edges.end() - edges.begin())) {
        const Number to = edges.begin()[frame.next++].to;
        if (!permits_(to)) continue;
        if (order_[to] == 0) {
          visit(to);
        } else if (order_[to] != closed) {
          low_[frame.number] = std::min(low_[frame.number], order_[to]);
        }
        continue;
      }
      const Number number = frame.number;
      frames_.pop_back();
      if (!frames_.empty()) {
        const Number before = frames_.back().number;
        low_[before] = std::min(low_[before], low_[number]);
      }
      if (low_[number] == order_[number] && !close(number)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t closed = 0xFFFF'FFFF;

  struct Frame {
    Number number;
    std::size_t next;
  };

  void visit(Number number) {
    order_[number] = low_[number] = ++count_;
    open_.push_back(number);
    frames_.push_back({number, 0});
  }
  bool close(Number root) {
    std::vector<Number> component;
    Number number = 0;
    do {
      number = open_.back();
      open_.pop_back();
      order_[number] = closed;
      component.push_back(number);
    } while (number != root);
    return found_(component);
  }

  Permits permits_;
  Edges edges_;
  Found found_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> low_;
  std::vector<Number> open_;
  std::vector<Frame> frames_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::size_t StateGraph::depth(Number number) const {
  std::size_t depth = 0;
  for (; number != StateStore::none; number = store_->parent_of(number)) ++depth;
  return depth;
}

std::vector<Number> StateGraph::way_to(Number number) const {
  std::vector<Number> way;
  for (; number != StateStore::none; number = store_->parent_of(number)) way.push_back(number);
  return {way.rbegin(), way.rend()};
}

std::optional<Lasso> StateGraph::without_way_out(std::uint32_t bits, bool rest) const {
  // Searches backwards from every state that is out or has a step that is.
  std::vector<std::uint32_t> in_degree(store_->numbers() + 1, 0);
  each([&](Number number) {
    for (const LiveEdge& edge : edges(number)) ++in_degree[edge.to + 1];
  });
  std::vector<std::uint64_t> begin(in_degree.begin(), in_degree.end());
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<Number> before(begin.back());
  std::vector<std::uint64_t> fill(begin.begin(), begin.end());
  std::vector<bool> is_out(store_->numbers(), false);
  std::vector<Number> reached;
  each([&](Number number) {
    bool out = rest && (live(number).pending & bits) == 0;
    for (const LiveEdge& edge : edges(number)) {
      before[fill[edge.to]++] = number;
      out = out || (edge.enters && !rest);
    }
    is_out[number] = out;
    if (out) reached.push_back(number);
  });
  while (!reached.empty()) {
    const Number number = reached.back();
    reached.pop_back();
    for (std::uint64_t i = begin[number]; i < begin[number + 1]; ++i) {
      if (is_out[before[i]]) continue;
      is_out[before[i]] = true;
      reached.push_back(before[i]);
    }
  }
  const auto is_lost = [&](Number number) {
    return !is_out[number] && (live(number).pending & bits) != 0;
  };
  // Prefers a state without any further step: there a reader sees at once that nothing helps.
  auto lost = nearest([&](Number number) { return is_lost(number) && live(number).possible == 0; });
  if (!lost) lost = nearest(is_lost);
  if (!lost) return std::nullopt;
  return Lasso{way_to(*lost), {}};
}

std::optional<Lasso> StateGraph::for_ever(std::uint32_t bit) const { return fair_run(bit, true); }

std::optional<Lasso> StateGraph::again_and_again(std::uint32_t bit) const {
  return fair_run(bit, false);
}

std::optional<Lasso> StateGraph::fair_run(std::uint32_t bit, bool throughout) const {
  const auto stuck = nearest([&](Number number) {
    return live(number).possible == 0 && (live(number).pending & bit) != 0;
  });
  if (stuck) return Lasso{way_to(*stuck), {}};
  std::optional<Lasso> run;
  std::vector<bool> inside(store_->numbers(), false);
  const auto permits = [&](Number number) {
    return !throughout || (live(number).pending & bit) != 0;
  };
  const auto is_fair = [&](const std::vector<Number>& component) {
    std::uint64_t always_possible = ~std::uint64_t{0};
    std::uint64_t taken = 0;
    bool has_edge = false;
    bool pending = false;
    for (const Number number : component) {
      always_possible &= live(number).possible;
      pending = pending || (live(number).pending & bit) != 0;
      for (const LiveEdge& edge : edges(number)) {
        if (!inside[edge.to] || edge.fair == LiveEdge::outside) continue;
        has_edge = true;
        if (edge.fair != LiveEdge::unfair) taken |= std::uint64_t{1} << edge.fair;
      }
    }
    return has_edge && pending && (always_possible & ~taken) == 0;
  };
  const auto found = [&](const std::vector<Number>& component) {
    for (const Number number : component) inside[number] = true;
    if (is_fair(component)) run = around(component, bit);
    for (const Number number : component) inside[number] = false;
    return !run;
  };
  Components components(
      store_->numbers(), permits, [&](Number number) { return edges(number); }, found);
  for (const StateStore::Range& range : store_->all()) {
    for (Number number = range.first; number < range.last; ++number) {
      if (!components.search(number)) return run;
    }
  }
  return run;
}

// A walk through a component until it has passed everything that it must.
class StateGraph::Walk {
 public:
  Walk(const StateGraph& graph, const std::vector<Number>& component, std::uint32_t bit)
      : graph_(graph), members_(component.begin(), component.end()), bit_(bit) {
    to_take_ = ~std::uint64_t{0};
    for (const Number number : component) {
      to_take_ &= graph.live(number).possible;
      to_miss_ |= graph.live(number).possible;
    }
    to_miss_ &= ~to_take_;
  }

  bool is_done() const { return to_take_ == 0 && to_miss_ == 0 && !to_pend_; }
  void arrive(Number number) {
    to_miss_ &= graph_.live(number).possible;
    if ((graph_.live(number).pending & bit_) != 0) to_pend_ = false;
  }

  // Searches breadth first for the nearest wanted state or edge, or for `back`. Adds the states on
  // the way. False if there is none.
  bool go(Number from, std::optional<Number> back, std::vector<Number>& loop) {
    std::unordered_map<Number, Step> came_by;
    std::deque<Number> queue{from};
    while (!queue.empty()) {
      const Number at = queue.front();
      queue.pop_front();
      for (const LiveEdge& edge : graph_.edges(at)) {
        if (!members_.contains(edge.to) || edge.fair == LiveEdge::outside) continue;
        if (!(back ? edge.to == *back : is_wanted(edge))) {
          if (came_by.try_emplace(edge.to, at, edge.fair).second) queue.push_back(edge.to);
          continue;
        }
        std::vector<Step> leg{{edge.to, edge.fair}};
        for (Number here = at; here != from;) {
          const auto [before, fair] = came_by.at(here);
          leg.push_back({here, fair});
          here = before;
        }
        for (auto step = leg.rbegin(); step != leg.rend(); ++step) {
          loop.push_back(step->first);
          if (step->second != LiveEdge::unfair) to_take_ &= ~(std::uint64_t{1} << step->second);
          arrive(step->first);
        }
        return true;
      }
    }
    return false;
  }

 private:
  // A state with the kind of the step that leads there, or with the state that it came from.
  using Step = std::pair<Number, std::uint8_t>;

  bool is_wanted(const LiveEdge& edge) const {
    const bool takes = edge.fair != LiveEdge::unfair && (to_take_ >> edge.fair & 1) != 0;
    const bool misses = (to_miss_ & ~graph_.live(edge.to).possible) != 0;
    const bool pends = to_pend_ && (graph_.live(edge.to).pending & bit_) != 0;
    return takes || misses || pends;
  }

  const StateGraph& graph_;
  std::unordered_set<Number> members_;
  std::uint32_t bit_;
  std::uint64_t to_take_ = 0;  // kinds of steps that are possible in every state, still to be taken
  // Kinds of steps that are possible in some states, still to be seen impossible.
  std::uint64_t to_miss_ = 0;
  bool to_pend_ = true;
};

// Takes every kind of step that is possible in every state of the component, passes a state where
// each other kind is impossible and one where the bit is pending, and comes back.
Lasso StateGraph::around(const std::vector<Number>& component, std::uint32_t bit) const {
  Number start = component.front();
  std::size_t least = depth(start);
  // A look at all states of a large component would take long, and any start will do.
  for (std::size_t i = 0; i < std::min<std::size_t>(component.size(), 10'000); ++i) {
    if (const std::size_t steps = depth(component[i]); steps < least) {
      least = steps;
      start = component[i];
    }
  }
  Lasso lasso{way_to(start), {}};
  Walk walk(*this, component, bit);
  walk.arrive(start);
  Number at = start;
  while (!walk.is_done() && walk.go(at, std::nullopt, lasso.loop)) at = lasso.loop.back();
  if (lasso.loop.empty() || at != start) walk.go(at, start, lasso.loop);
  return lasso;
}

std::uint64_t StateGraph::memory() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.states.capacity() * sizeof(LiveState) + part.ends.capacity() * 4 +
             part.edges.capacity() * sizeof(LiveEdge);
  }
  return bytes;
}

}  // namespace baton::check
