#pragma once
// Triangular solves on a device, and the product that often follows and reuses their operand.

#include "trifac/engine/device/products.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The unknowns of a one-block solve stay in packed strips for a following update.
template <class Runtime, class T>
class solves {
 public:
  using on_type = launcher<Runtime, T>;
  using handle = typename on_type::handle;
  using operand = typename on_type::operand;
  using scratch = typename on_type::scratch;
  using view = typename on_type::view;

  explicit solves(products<Runtime, T>& with) : products_(with), on_(with.on()) {}

  /// B := L⁻¹·B.
  void solve_lower(operand L, view B, diagonal diag) {
    if (by_library(L, B, triangle::lower, diag)) return forget();
    substitute(L, B, diag, is_complex<T>, rows_of_product_);
  }
  /// B := U⁻¹·B: reversing rows and columns makes U lower triangular.
  void solve_upper(operand U, view B, diagonal diag) {
    if (by_library(U, B, triangle::upper, diag)) return forget();
    substitute_upper(U, B, diag);
  }
  /// X := U⁻¹·L⁻¹·X. After a failed factorization X must stay unchanged, but the library ignores
  /// the status: it works on a copy, and the kernel that copies back does nothing after a failure.
  void solve_both(operand L, operand U, view X) {
    if (uses_library(X)) {
      const scratch memory = on_.template borrow<T>(X.rows() * X.cols());
      const view Y(memory.get(), 0, X.rows(), X.cols(), 1, X.rows());
      products_.copy(X, Y);
      if (by_library(L, Y, triangle::lower, diagonal::non_unit) &&
          by_library(U, Y, triangle::upper, diagonal::non_unit))
        return products_.copy(Y, X);
    }
    substitute(L, X, diagonal::non_unit, is_complex<T>, rows_of_product_);
    substitute_upper(U, X, diagonal::non_unit);
  }
  /// B := B·U⁻¹, as Uᵀ·Xᵀ = Bᵀ; not by the library, which has no rule for a zero pivot.
  void solve_right_upper(operand U, view B) {
    substitute(U.transposed(), B.transposed(), diagonal::non_unit, false, columns_of_product_);
  }

  /// C := C − A·B.
  void update(view C, operand A, operand B) {
    if (products_.update_by_library(C, A, B)) return forget();
    const bool has_left = columns_of_product_.holds(A.view.transposed()) && !A.conjugated;
    const bool has_right = rows_of_product_.holds(B.view) && !B.conjugated;
    const index_t depth = A.cols(), padded = round_up(depth, on_.shape().solve_n);
    // Strips from a solve and strips packed here have the same pitch if nothing was padded.
    const bool usable = (has_left && has_right) || ((has_left || has_right) && padded == depth);
    const bool in_one = (C.runs_along_rows() ? C.rows() : C.cols()) <= products_.most_columns();
    if (!usable || !in_one || C.empty() || (C.runs_along_rows() && is_complex<T>)) {
      products_.update(C, A, B);
    } else {
      scratch packed;
      if (!has_left) packed = products_.pack(A);
      if (!has_right) packed = products_.pack(adjoint(B.view));
      handle left = has_left ? columns_of_product_.strips.get() : packed.get();
      handle right = has_right ? rows_of_product_.strips.get() : packed.get();
      if (C.runs_along_rows()) {
        C = C.transposed();
        std::swap(left, right);
      }
      products_.update_by_strips(C, left, right, depth, padded, product_part::whole);
    }
    forget();
  }

  /// B := B·U⁻¹ by the library, as Bᵀ := U⁻ᵀ·Bᵀ; false if it does not support that.
  bool right_by_library(operand U, view B) {
    return by_library(U.transposed(), B.transposed(), triangle::lower, diagonal::non_unit);
  }

  /// Call when the matrix changes: the strips of earlier solves become invalid.
  void forget() { rows_of_product_.unknowns = columns_of_product_.unknowns = {}; }

 private:
  bool uses_library(view B) const {
    return products_.uses_library(B.rows(), B.cols(), B.rows(), products<Runtime, T>::least_solve);
  }
  /// B := A⁻¹·B by the library; false if it does not support that.
  bool by_library(operand A, view B, triangle part, diagonal diag) {
    if constexpr (Runtime::has_library)
      return !B.empty() && uses_library(B) && on_.library().solve(A, B, part, diag);
    return false;
  }
  void substitute_upper(operand U, view B, diagonal diag) {
    const view turned = U.view.upside_down().transposed().upside_down().transposed();
    substitute({turned, U.conjugated}, B.upside_down(), diag, is_complex<T>, rows_of_product_);
    rows_of_product_.unknowns = {};  // stored in reverse order
  }

  static constexpr index_t solve_block = 256;  // unknowns of one substitution

  /// Unknowns of the last solve in packed strips.
  struct solved {
    view unknowns;
    scratch strips;

    bool holds(const view& A) const { return !unknowns.empty() && unknowns.is(A); }
  };

  /// L·X = B by blocks. The unknowns of a single block stay in `into`, conjugated if requested.
  void substitute(operand L, view B, diagonal diag, bool conjugated, solved& into) {
    into.unknowns = {};
    if (B.empty()) return;
    for (index_t k = 0; k < B.rows(); k += solve_block) {
      const index_t b = std::min(solve_block, B.rows() - k), below = B.rows() - k - b;
      const view B1 = B.block(k, 0, b, B.cols());
      substitute_block(L.block(k, k, b, b), B1, diag, conjugated, into.strips);
      if (below > 0)
        products_.update(B.block(k + b, 0, below, B.cols()), L.block(k + b, k, below, b), B1);
    }
    if (B.rows() <= solve_block) into.unknowns = B;
  }
  void substitute_block(operand L, view B, diagonal diag, bool conjugated, scratch& strips) {
    const tile_shape& s = on_.shape();
    const index_t count = B.cols(), padded = round_up(B.rows(), s.solve_n);
    const int unit = diag == diagonal::unit, height = static_cast<int>(padded);
    on_.template reserve<T>(triangle_, padded * padded);
    on_.template reserve<T>(strips, round_up(count, s.strip()) * padded);
    auto& kernels = products_.kernels();
    kernels.launch("pack_triangle", {static_cast<std::size_t>(padded)},
                   s.diagonal_items == 1 ? extent{} : on_.line(padded), L.view,
                   static_cast<int>(L.conjugated != conjugated), unit, triangle_, height);
    kernels.launch("substitute", {parts_of(count, s.strip())},
                   {static_cast<std::size_t>(s.solve_items())}, B, static_cast<int>(conjugated),
                   unit, triangle_, height, strips);
  }

  products<Runtime, T>& products_;
  const on_type& on_;
  scratch triangle_;
  solved rows_of_product_, columns_of_product_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
