#include "core/voting_sets.h"

#include <algorithm>
#include <utility>

#include "core/difference_sets.h"

namespace baton {

namespace {

class Grid final : public VotingSets {
 public:
  explicit Grid(std::uint32_t side) : side_(side) {}

  std::vector<NodeId> of(NodeId node) const override {
    const std::uint32_t row = node.value / side_;
    const std::uint32_t column = node.value % side_;
    std::vector<NodeId> voters;
    voters.reserve(set_size());
    for (std::uint32_t r = 0; r < side_; ++r) {
      if (r != row) {
        voters.push_back({r * side_ + column});
      } else {
        for (std::uint32_t c = 0; c < side_; ++c) voters.push_back({r * side_ + c});
      }
    }
    return voters;
  }

  // The column down to the row, then the row, then the rest of the column.
  std::optional<std::uint32_t> place(NodeId node, NodeId voter) const override {
    const std::uint32_t row = node.value / side_;
    const std::uint32_t voters_row = voter.value / side_;
    const std::uint32_t voters_column = voter.value % side_;
    if (voters_row == row) return row + voters_column;
    if (voters_column != node.value % side_) return std::nullopt;
    return voters_row < row ? voters_row : voters_row + side_ - 1;
  }

  std::uint32_t set_size() const override { return 2 * side_ - 1; }
  std::string describe() const override {
    const std::string side = std::to_string(side_);
    return "row and column of a " + side + "x" + side + " grid, K=" + std::to_string(set_size());
  }

 private:
  std::uint32_t side_;
};

// The translates of one set of residues.
class Cyclic final : public VotingSets {
 public:
  Cyclic(std::uint32_t size, Residues base, std::string origin)
      : size_(size), base_(std::move(base)), origin_(std::move(origin)) {}

  std::vector<NodeId> of(NodeId node) const override {
    std::vector<NodeId> voters;
    voters.reserve(base_.size());
    // The members that wrap around the end come first, so that the whole is ascending.
    const std::uint32_t from = first_to_wrap(node);
    for (std::uint32_t i = from; i < set_size(); ++i) {
      voters.push_back({base_[i] - (size_ - node.value)});
    }
    for (std::uint32_t i = 0; i < from; ++i) voters.push_back({base_[i] + node.value});
    return voters;
  }

  std::optional<std::uint32_t> place(NodeId node, NodeId voter) const override {
    const std::uint32_t residue =
        voter.value >= node.value ? voter.value - node.value : voter.value + (size_ - node.value);
    const auto at = std::lower_bound(base_.begin(), base_.end(), residue);
    if (at == base_.end() || *at != residue) return std::nullopt;
    const auto index = static_cast<std::uint32_t>(at - base_.begin());
    const std::uint32_t from = first_to_wrap(node);
    return index >= from ? index - from : index + (set_size() - from);
  }

  std::uint32_t set_size() const override { return static_cast<std::uint32_t>(base_.size()); }
  std::string describe() const override { return origin_ + ", K=" + std::to_string(set_size()); }

 private:
  std::uint32_t first_to_wrap(NodeId node) const {
    const auto at = std::lower_bound(base_.begin(), base_.end(), size_ - node.value);
    return static_cast<std::uint32_t>(at - base_.begin());
  }

  std::uint32_t size_;
  Residues base_;
  std::string origin_;
};

// The largest side of a square that holds no more than `size`.
std::uint32_t square_side(std::uint32_t size) {
  std::uint32_t side = 0;
  while (std::uint64_t{side + 1} * (side + 1) <= size) ++side;
  return side;
}

}  // namespace

std::shared_ptr<const VotingSets> grid_voting_sets(std::uint32_t size) {
  const std::uint32_t side = square_side(size);
  if (size == 0 || side * side != size) return nullptr;
  return std::make_shared<Grid>(side);
}

std::shared_ptr<const VotingSets> plane_voting_sets(std::uint32_t size) {
  const std::uint32_t order = plane_order(size);
  if (order == 0) return nullptr;
  return std::make_shared<Cyclic>(
      size, singer_difference_set(order),
      "lines of the projective plane of order " + std::to_string(order));
}

std::shared_ptr<const VotingSets> cyclic_voting_sets(std::uint32_t size) {
  if (size == 0) return nullptr;
  return std::make_shared<Cyclic>(size, difference_cover(size), "translates of a difference cover");
}

std::shared_ptr<const VotingSets> best_voting_sets(std::uint32_t size) {
  auto plane = plane_voting_sets(size);
  return plane != nullptr ? plane : cyclic_voting_sets(size);
}

std::uint32_t nearest_grid_size(std::uint32_t size) {
  const std::uint32_t below = std::max(square_side(size), std::uint32_t{1});
  const std::uint32_t above = below + 1;
  // A size of 0 has only the larger neighbour, 1.
  if (size <= below * below) return below * below;
  return above * above - size < size - below * below ? above * above : below * below;
}

std::uint32_t nearest_plane_size(std::uint32_t size) {
  for (std::uint32_t distance = 0;; ++distance) {
    if (distance <= size && plane_order(size - distance) != 0) return size - distance;
    if (plane_order(size + distance) != 0) return size + distance;
  }
}

}  // namespace baton
