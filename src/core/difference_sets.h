// Sets of residues whose differences reach every residue: the mathematics behind voting sets.
//
// If each residue modulo N is a difference of two members of D, then any two of the N translates
// i + D intersect. So |D|·(|D|−1) ≥ N−1, and |D| cannot be much below √N.
#pragma once

#include <cstdint>
#include <vector>

namespace baton {

using Residues = std::vector<std::uint32_t>;  // ascending, beginning with 0

// The order q of the projective plane with `size` = q² + q + 1 points, or 0 if there is none that
// we can build: q must be a prime power. The triangle, size 3, counts as the plane of order 1.
std::uint32_t plane_order(std::uint32_t size);

// Singer's difference set: each residue but 0 modulo q² + q + 1 is a difference of exactly one pair
// of its q + 1 members. `order` is a prime power or 1. Takes O(q²) steps.
//
// J. Singer, "A theorem in finite projective geometry and some applications to number theory",
// Transactions of the AMS 43, 1938.
Residues singer_difference_set(std::uint32_t order);

// A set of about √(3N/2) members whose differences reach every residue modulo `size`; the
// smallest possible for most sizes up to 60.
//
// C. J. Colbourn and A. C. H. Ling, "Quorums from difference covers", Information Processing
// Letters 75, 2000, which rests on the rulers of B. Wichmann, "A note on restricted difference
// bases", Journal of the London Mathematical Society 38, 1963.
Residues difference_cover(std::uint32_t size);

}  // namespace baton
