#pragma once
// The table of small kernels: which one factors or solves with a matrix, by order, type and
// instruction set. Plans, calls of an order known at compile time and the short way of small
// matrices all ask it. tests/small_kernels.txt lists what it says for every order up to 130.

#include <complex>
#include <type_traits>

#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The largest order of a kernel, for each type.
struct largest_order {
  index_t s, d, c, z;

  template <class T>
  constexpr index_t of() const {
    return std::is_same_v<T, float>                  ? s
           : std::is_same_v<T, double>               ? d
           : std::is_same_v<T, std::complex<float>>  ? c
           : std::is_same_v<T, std::complex<double>> ? z
                                                     : 0;
  }
};

/// How a matrix is factored, or solved with, on a backend that runs our nests. The kernels before
/// `panels` are one call on the calling thread. A matrix with a pivot that is not ordinary is left
/// to one_panel.
enum class cholesky_kernel {
  scalars,    ///< simd/cholesky/scalars.inl
  one_panel,  ///< simd/cholesky/panel.inl, one packed panel on the stack
  panels,     ///< cholesky_blocked over packed panels
  blocks,     ///< a nest by blocks on views
  elements,   ///< a nest by elements, which reads A as it goes
};
enum class lu_kernel {
  scalars,       ///< simd/lu/scalars.inl
  in_registers,  ///< simd/lu/in_registers.inl; leaves matrices with ties to one_panel
  one_panel,     ///< simd/lu/panel.inl, one packed panel on the stack
  panels,        ///< lu_blocked over packed panels
  blocks,        ///< a nest on views
};
enum class solve_kernel {
  scalars,    ///< simd/core/scalars.inl
  at_once,    ///< simd/core/small_solve.inl: both substitutions over a copy of B
  pieces,     ///< the same, threads taking turns with pieces of B's columns
  few_sides,  ///< simd/core/few_right_hand_sides.inl
  blocks,     ///< substitutions by blocks
};

// What "special path" names below is switched off by bench/compare --without NAME, which shows what
// it gains (docs/benchmarks.md).

/// Scalars instead of the panel's kernel; special paths cholesky-scalars and lu-scalars. Each order
/// costs 1 s of compile time. Orders known at compile time, too, and solves with such factors.
inline constexpr largest_order cholesky_by_scalars = {8, 8, 0, 0}, lu_by_scalars = {6, 6, 0, 0};

/// The panel's kernel at once instead of by a nest; special paths cholesky-one-panel and
/// lu-one-panel. Cholesky's are those that fit 144 KiB of the stack.
inline constexpr largest_order cholesky_in_one_panel = {176, 128, 112, 80};
inline constexpr index_t lu_in_one_panel = 64;

/// The instruction set with vectors of 64 bytes, or none in this processor family.
inline constexpr isa widest_vectors = isa_from_string("avx512", static_cast<isa>(isa_names.size()));

/// Eight columns of up to three vectors of rows, where there are 32 registers and lanes are
/// selected by an index in one; special path lu-registers.
constexpr largest_order lu_in_registers(isa set) {
  return set == widest_vectors ? largest_order{48, 24, 0, 0} : largest_order{};
}

/// The instruction set of one_panel, which makes no difference to the bits. A vector of more rows
/// than a micro-panel has columns (16 floats) copies A first: up to 16 rows that costs 6 to 24 %,
/// so the next narrower set is taken.
template <class T>
constexpr isa lu_panel_isa(isa set, index_t rows) {
  const bool copies = set == widest_vectors && sizeof(real_t<T>) == 4;
  return copies && rows <= 16 ? static_cast<isa>(static_cast<int>(set) - 1) : set;
}

/// Most rows of a solve at_once, and most right-hand sides of a call of its kernel; special path
/// solve-at-once. At order 500 LU gains nothing. Right-hand sides that fill no more than half of a
/// vector: above some 80 rows few_sides is faster.
inline constexpr index_t small_solve_rows = 256, small_solve_columns = 64, half_empty_rows = 80;
template <class T>
inline constexpr index_t half_a_vector = 16 / index_t{sizeof(real_t<T>)};

/// Largest n·r solved by scalars (B stays in registers); special path solve-scalars.
inline constexpr index_t few_elements_of_solve = 24;

/// Most right-hand sides of few_sides; special path few-sides. With 8, blocks fill their
/// vectors and are as fast.
inline constexpr index_t most_few_right_hand_sides = 6;

template <class T>
constexpr cholesky_kernel best_cholesky_kernel(index_t n) {
  if (!has_kernels<T>) return cholesky_kernel::blocks;
  if (n <= cholesky_by_scalars.of<T>()) return cholesky_kernel::scalars;
  return n <= cholesky_in_one_panel.of<T>() ? cholesky_kernel::one_panel : cholesky_kernel::panels;
}

/// Of an m×n matrix without pivoting.
template <class T>
constexpr lu_kernel best_panels_of_lu(index_t m, index_t n) {
  if (!has_kernels<T>) return lu_kernel::blocks;
  return m <= lu_in_one_panel && n <= lu_in_one_panel ? lu_kernel::one_panel : lu_kernel::panels;
}
/// With partial pivoting.
template <class T>
constexpr lu_kernel best_lu_kernel(isa set, index_t m, index_t n) {
  if (has_kernels<T> && m == n) {
    if (n <= lu_by_scalars.of<T>()) return lu_kernel::scalars;
    if (n <= lu_in_registers(set).of<T>()) return lu_kernel::in_registers;
  }
  return best_panels_of_lu<T>(m, n);
}

/// Of a solve with r right-hand sides and a factor whose rows or columns are contiguous;
/// by_scalars: cholesky_by_scalars, lu_by_scalars, or none with one triangle.
template <class T>
constexpr solve_kernel best_solve_kernel(index_t n, index_t r, const largest_order& by_scalars) {
  if (!has_kernels<T>) return solve_kernel::blocks;
  if (n <= by_scalars.of<T>() && n * r <= few_elements_of_solve) return solve_kernel::scalars;
  if (n <= (r > half_a_vector<T> ? small_solve_rows : half_empty_rows))
    return r <= small_solve_columns ? solve_kernel::at_once : solve_kernel::pieces;
  return r <= most_few_right_hand_sides ? solve_kernel::few_sides : solve_kernel::blocks;
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
