#pragma once
// Options of an LU factorization, and how it chooses its pivots.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "trifac/engine/base/progress.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/profile.hpp"

namespace trifac {

/// How LU chooses its pivots.
enum class pivoting {
  none,       ///< never exchanges rows; stops at a zero pivot. For diagonally dominant matrices.
  partial,    ///< the largest of each column, of equal ones the first (LAPACK: getrf)
  tournament  ///< the rows of a panel are chosen before it is factored, by local LUs of groups of
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

/// Options of an LU factorization.
struct lu_options {
  trifac::pivoting pivoting = trifac::pivoting::partial;
  trifac::selection selection = trifac::selection::plain;
  index_t block = 0;   ///< width of a panel; 0: chosen from the size and type only. `best`: at most
                       ///< 256 columns
  index_t leaves = 0;  ///< groups of rows in the first round; 0: chosen from the panel's shape only
  index_t arity = 0;   ///< groups whose candidates meet in one local LU of a later round; 0: all
  double max_l = 64;   ///< tournaments: a panel in which some |l_ij|, the diagonal block's too, is
                       ///< larger is factored again with partial pivoting. So after a success no
                       ///< |l_ij| exceeds max_l (or √2 for complex types, partial pivoting's own)
  bool growth = false;  ///< also determine growth(), which costs O(m·n)
  bool norm = false;    ///< also determine norm(), which costs as much: for reciprocal_condition
  /// At least lu_workspace_bytes; empty: the thread's own (workspace_cache.hpp).
  std::span<std::byte> workspace = {};
  const trifac::profile* profile = nullptr;  ///< gives block where it is 0
  /// Is told how far the factorization is, and may end it (progress.hpp).
  progress_ref progress = {};
};

}  // namespace trifac
