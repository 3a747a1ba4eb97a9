#pragma once
// The names of the algorithms, and the options that every one of them understands.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "trifac/matrix_view.hpp"
#include "trifac/profile.hpp"

namespace trifac {

/// The algorithms, each a loop nest in algorithm/. The formulas are those of A = L·Lᴴ and P·A =
/// L·U.
enum class variant {
  best,  ///< the fastest known for this size, type and backend

  // Cholesky, element by element (see docs/sources.md for where they come from)
  banachiewicz,           ///< by rows: row i of L from rows 0 … i−1
  crout,                  ///< by columns: diagonal, then the rows below
  crout_distributed_sum,  ///< by columns; each row keeps its own sum of squares for the diagonal to
                          ///< come

  // Cholesky by blocks
  left_looking,  ///< block columns, each updated by all before it just when its turn comes

  // Cholesky and LU by blocks
  right_looking,  ///< block columns, each updating all after it at once
  recursive,      ///< halves of halves (LAPACK: potrf2, getrf2)

  // Cholesky by blocks
  top_looking,  ///< block rows, the laziest: nothing right of or below the diagonal block is
                ///< written early

  // Cholesky and LU: what `best` is on CPUs for s, d, c, z
  fused,  ///< right-looking over wide panels that one kernel factors and packs for their updates;
          ///< right_looking where a type or backend has no such kernels, and for scaled selection

  // LU without pivoting
  unblocked,   ///< kij elimination
  four_block,  ///< blocks of four kinds: diagonal, left column, top row, interior
};

inline constexpr std::array<std::string_view, 11> variant_names = {
    "best",         "banachiewicz",  "crout",     "crout_distributed_sum",
    "left_looking", "right_looking", "recursive", "top_looking",
    "fused",        "unblocked",     "four_block"};

constexpr std::string_view to_string(variant v) {
  return variant_names[static_cast<std::size_t>(v)];
}

constexpr bool is_cholesky_variant(variant v) {
  return v != variant::unblocked && v != variant::four_block;
}

constexpr bool is_lu_variant(variant v) {
  return v == variant::best || v == variant::right_looking || v == variant::recursive ||
         v == variant::fused || !is_cholesky_variant(v);
}

/// How LU chooses its pivots.
enum class pivoting {
  none,       ///< never exchanges rows; stops at a zero pivot. For diagonally dominant matrices.
  partial,    ///< the largest of each column (LAPACK: getrf)
  tournament  ///< the rows of a panel are chosen before it is factored, by games among groups of
              ///< rows (CALU)
};

/// By what a tournament compares rows.
enum class selection {
  plain,  ///< |a_ij|
  scaled  ///< |a_ij| / max_j |a_ij|, the maximum over the panel's columns; 0 for a row of zeros
};

inline constexpr std::array<std::string_view, 3> pivoting_names = {"none", "partial", "tournament"};
inline constexpr std::array<std::string_view, 2> selection_names = {"plain", "scaled"};

constexpr std::string_view to_string(pivoting p) {
  return pivoting_names[static_cast<std::size_t>(p)];
}
constexpr std::string_view to_string(selection s) {
  return selection_names[static_cast<std::size_t>(s)];
}

/// Options of a Cholesky factorization.
struct cholesky_options {
  triangle part = triangle::lower;  ///< which triangle is read and overwritten
  index_t block = 0;   ///< block size; 0: chosen. Changes no bit of `best` and `fused`;
                       ///< other variants by blocks round at the blocks' ends
  index_t cutoff = 0;  ///< by columns: so many last columns run on one thread
  std::span<std::byte> workspace =
      {};  ///< at least cholesky_workspace_bytes; empty: the thread's own (kept_workspace.hpp)
  const trifac::profile* profile = nullptr;  ///< gives block and cutoff where they are 0
};

/// Options of an LU factorization.
struct lu_options {
  trifac::pivoting pivoting = trifac::pivoting::partial;
  trifac::selection selection = trifac::selection::plain;
  index_t block = 0;  ///< width of a panel; 0: chosen from the size, type and instruction set only
  index_t leaves =
      0;  ///< groups of rows that play the first round; 0: chosen from the panel's shape only
  index_t arity = 0;  ///< groups that meet in one game of a later round; 0: all at once
  double max_l = 64;  ///< tournaments: a panel in which some |l_ij|, the diagonal block's too, is
                      ///< larger is factored again with partial pivoting. So after a success no
                      ///< |l_ij| exceeds max_l (or √2 for complex types, partial pivoting's own)
  bool growth = false;  ///< also determine growth(), which costs O(m·n)
  std::span<std::byte> workspace =
      {};  ///< at least lu_workspace_bytes; empty: the thread's own (kept_workspace.hpp)
  const trifac::profile* profile = nullptr;  ///< gives block where it is 0
};

}  // namespace trifac
