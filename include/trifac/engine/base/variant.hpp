#pragma once
// The names of the algorithms.

#include <array>
#include <cstddef>
#include <string_view>

namespace trifac {

/// The algorithms, for A = L·Lᴴ and P·A = L·U; their loop nests are in cholesky/ and lu/, recursive
/// LU in panel/.
enum class variant {
  best,  ///< the fastest known for the size, type and backend

  // Cholesky, element by element (sources: docs/sources.md)
  banachiewicz,           ///< by rows: row i of L from rows 0 … i−1
  crout,                  ///< by columns: diagonal, then the rows below
  crout_distributed_sum,  ///< by columns; each row accumulates the sum of squares for its diagonal
                          ///< element

  // Cholesky by blocks
  left_looking,  ///< block columns, each updated by all previous ones just before it is factored
  top_looking,   ///< block rows, each read and written only when it is factored

  // Cholesky and LU by blocks
  right_looking,  ///< block columns, each updating all later ones as soon as it is factored
  recursive,      ///< recursive halving (LAPACK: potrf2, getrf2)

  // Cholesky and LU: what `best` selects on CPUs for s, d, c, z
  packed,  ///< right-looking over wide panels, which one kernel factors and packs for their
           ///< updates; right_looking if the type or backend has no such kernels, and for scaled
           ///< selection

  // LU without pivoting
  unblocked,   ///< kij elimination
  four_block,  ///< blocks of four kinds: diagonal, left column, top row, interior
};

inline constexpr std::array<std::string_view, 11> variant_names = {
    "best",         "banachiewicz", "crout",         "crout_distributed_sum",
    "left_looking", "top_looking",  "right_looking", "recursive",
    "packed",       "unblocked",    "four_block"};

constexpr std::string_view to_string(variant v) {
  return variant_names[static_cast<std::size_t>(v)];
}

inline constexpr std::array cholesky_variants = {
    variant::best,         variant::banachiewicz,
    variant::crout,        variant::crout_distributed_sum,
    variant::left_looking, variant::right_looking,
    variant::top_looking,  variant::recursive,
    variant::packed};
inline constexpr std::array lu_variants = {variant::best,      variant::right_looking,
                                           variant::recursive, variant::packed,
                                           variant::unblocked, variant::four_block};

constexpr bool is_cholesky_variant(variant v) {
  for (const variant one : cholesky_variants)
    if (one == v) return true;
  return false;
}

constexpr bool is_lu_variant(variant v) {
  for (const variant one : lu_variants)
    if (one == v) return true;
  return false;
}

}  // namespace trifac
