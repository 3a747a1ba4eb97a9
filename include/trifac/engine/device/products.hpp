#pragma once
// Products on a device, from packed strips or by the vendor's library; and copies.

#include <utility>

#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/copy.hpp"
#include "trifac/engine/kernel/lu_pivot.hpp"
#include "trifac/engine/kernel/pack.hpp"
#include "trifac/engine/kernel/solve.hpp"
#include "trifac/engine/kernel/substitute_tile.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The elements of C that a product computes: WHOLE, LOWER, UPPER of kernel/packed_update.hpp.
enum class product_part : int { whole, lower, upper };

template <class Runtime, class T>
class products {
 public:
  using on_type = launcher<Runtime, T>;
  using handle = typename on_type::handle;
  using operand = typename on_type::operand;
  using scratch = typename on_type::scratch;
  using view = typename on_type::view;

  explicit products(const on_type& on)
      : on_(on),
        kernels_(on, "update",
                 {kernel::packed_update, kernel::pack, kernel::copy, kernel::lu_pivot,
                  kernel::substitute_tile, kernel::solve}) {}

  /// C := C − A·B; m×n, m×k, k×n. In pieces of depth `deepest`.
  void update(view C, operand A, operand B) {
    if (C.runs_along_rows()) {  // Cᵀ −= Bᵀ·Aᵀ
      C = C.transposed();
      A = std::exchange(B, A.transposed()).transposed();
    }
    if (C.empty()) return;
    if (const index_t most = most_columns(); C.cols() > most) {
      for (index_t j = 0; j < C.cols(); j += most) {
        const index_t some = std::min(most, C.cols() - j);
        update(C.block(0, j, C.rows(), some), A, B.block(0, j, B.rows(), some));
      }
      return;
    }
    for (index_t p = 0; p < A.cols(); p += deepest) {
      const index_t depth = std::min(deepest, A.cols() - p);
      const auto rows = pack(A.block(0, p, A.rows(), depth));
      // The kernel conjugates its right operand.
      auto right = B.block(p, 0, depth, B.cols()).transposed();
      right.conjugated = !right.conjugated;
      const auto cols = pack(right);
      update_by_strips(C, rows.get(), cols.get(), depth, depth, product_part::whole);
    }
  }
  /// Lower triangle of C := C − A·Aᴴ; C: n×n, A: n×k.
  void update_lower(view C, view A) {
    if (C.empty()) return;
    const bool upper = C.runs_along_rows();
    if (upper) C = C.transposed();
    for (index_t p = 0; p < A.cols(); p += deepest) {
      const index_t depth = std::min(deepest, A.cols() - p);
      const auto rows = pack({A.block(0, p, A.rows(), depth), upper});
      update_by_strips(C, rows.get(), rows.get(), depth, depth,
                       upper ? product_part::upper : product_part::lower);
    }
  }
  /// Of one update_by_strips, whose columns are the second axis of the launch.
  index_t most_columns() const {
    const tile_shape& s = on_.shape();
    return most_groups * s.tile_columns() * s.tiles;
  }
  /// C −= A·Bᴴ from the first `depth` columns of packed strips of `columns` columns.
  void update_by_strips(view C, handle A, handle B, index_t depth, index_t columns,
                        product_part part) {
    const tile_shape& s = on_.shape();
    kernels_.launch(
        "update",
        {parts_of(C.rows(), s.strip() * s.strips), parts_of(C.cols(), s.tile_columns() * s.tiles)},
        {static_cast<std::size_t>(s.items_x), static_cast<std::size_t>(s.items_y)}, C, A, B,
        static_cast<int>(depth), columns, static_cast<int>(part));
  }
  /// Packs the rows of A into strips.
  scratch pack(operand A) {
    const tile_shape& s = on_.shape();
    const index_t strip = s.strip();
    scratch strips = on_.template borrow<T>(round_up(A.rows(), strip) * A.cols());
    if (A.cols() == 0 || A.rows() == 0) return strips;
    kernels_.launch("pack", {parts_of(A.rows(), strip), parts_of(A.cols(), pack_columns)},
                    {static_cast<std::size_t>(s.items_x * s.items_y > 1 ? strip : 1)}, A.view,
                    static_cast<int>(A.conjugated), strips);
    return strips;
  }

  // Smallest number of multiplications for the library. H200: a product of depth 64 takes 5 to 7 µs
  // by cuBLAS, by our kernels 13 to 23 and twice 13 for packing; a solve with 64 unknowns 14 to 19
  // µs, by ours 85 to 100.
  static constexpr index_t least_product = index_t{1} << 15;  // 32·32·32
  static constexpr index_t least_solve = index_t{1} << 14;    // 32 unknowns, 16 right-hand sides

  /// True if the library should do m·n·k multiplications.
  bool uses_library(index_t m, index_t n, index_t k, index_t least = least_product) const {
    const product_kernels choice = on_.settings().products;
    if (!Runtime::has_library || choice == product_kernels::own) return false;
    return choice == product_kernels::library || m * n * k >= least;
  }
  /// C := C − A·B by the library; false if it does not support that. Also computes after a failure.
  bool update_by_library(view C, operand A, operand B) {
    if constexpr (Runtime::has_library) {
      if (C.row_stride() != 1) {  // Cᵀ −= Bᵀ·Aᵀ
        C = C.transposed();
        A = std::exchange(B, A.transposed()).transposed();
      }
      if (!C.empty() && uses_library(C.rows(), C.cols(), A.cols()))
        return on_.library().update(C, A, B);
    }
    return false;
  }
  /// Lower triangle of C := C − A·Aᴴ, likewise.
  bool update_lower_by_library(view C, view A) {
    if constexpr (Runtime::has_library) {
      if (C.empty() || !uses_library(C.rows(), C.rows(), A.cols())) return false;
      // A Hermitian C stored as its transpose is conj(C), with conjugate factors.
      if (C.row_stride() == 1) return on_.library().update_triangle(C, operand(A), triangle::lower);
      return on_.library().update_triangle(C.transposed(), operand(A, is_complex<T>),
                                           triangle::upper);
    }
    return false;
  }

  /// B := A; with `guarded`, only if a fallback was requested.
  void copy(view A, view B, bool guarded = false) {
    if (B.runs_along_rows()) return copy(A.transposed(), B.transposed(), guarded);
    launch_by_columns("copy", A, B, static_cast<int>(guarded));
  }

  /// B := B + A.
  void add(view A, view B) {
    if (B.runs_along_rows()) return add(A.transposed(), B.transposed());
    launch_by_columns("add", A, B);
  }

  /// Lower triangle of B := that of A, which has at least as many rows as columns.
  void copy_lower(view A, view B) {
    const bool along_rows = B.runs_along_rows();
    launch_by_columns("copy_triangle", along_rows ? A.transposed() : A,
                      along_rows ? B.transposed() : B, along_rows ? -1 : 1);
  }
  /// A := [0; I; 0], the identity starting at row `first`.
  void set_identity(view A, index_t first) {
    kernels_.launch("set_identity", on_.lines(A.rows()), on_.line(A.rows()), A, first);
  }

  /// The program of products and of triangular solves, which consist largely of products.
  lazy_program<Runtime, T>& kernels() { return kernels_; }
  const on_type& on() const { return on_; }

 private:
  static constexpr index_t deepest = 512;        // columns packed at a time: bounds the scratch
  static constexpr index_t pack_columns = 64;    // PACK_COLUMNS in kernel/pack.hpp
  static constexpr index_t most_groups = 65535;  // CUDA's, on the second axis

  /// Launches a kernel of kernel/copy.hpp whose items run down the columns. More rows than one
  /// launch takes (4 million, which no triangle has) are launched one after another.
  template <class... Arguments>
  void launch_by_columns(const char* name, view A, view B, const Arguments&... more) {
    const extent line = on_.line(A.rows());
    const index_t items = static_cast<index_t>(line.x), most = most_groups * items;
    const index_t cols = A.cols();
    for (index_t i = 0; i < A.rows() && cols > 0; i += most) {
      const index_t some = std::min(most, A.rows() - i);
      kernels_.launch(name, {static_cast<std::size_t>(cols), parts_of(some, items)}, line,
                      A.block(i, 0, some, cols), B.block(i, 0, some, cols), more...);
    }
  }

  const on_type& on_;
  lazy_program<Runtime, T> kernels_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
