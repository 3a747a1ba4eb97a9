#pragma once
// Products C −= A·B and C −= A·Aᴴ of any shape and layout: operands are packed block by block, so
// that the micro-kernel reads them in order. blas/update.hpp says what is computed.

#include <cstddef>
#include <limits>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/update.hpp"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/engine/simd/core/product_loops.hpp"
#include "trifac/engine/simd/core/tile.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Rows of a micro-panel of a packed operand.
template <class Target, class T>
inline constexpr index_t rows_per_micro_panel = lanes_of_vector<Target, T>;

template <class Target, class T>
constexpr index_t count_micro_panels(index_t rows) {
  return (rows + rows_per_micro_panel<Target, T> - 1) / rows_per_micro_panel<Target, T>;
}

/// Elements from one micro-panel with so many columns to the next: whole tiles, and a line more
/// where the micro-panels would meet in a few sets of the L1 cache.
template <class Target, class T>
constexpr index_t micro_stride(index_t cols) {
  constexpr index_t n = Target::template tile<T>.columns, size = sizeof(real_t<T>);
  const index_t tiles = (cols + n - 1) / n * n * planes<T> * rows_per_micro_panel<Target, T>;
  return cols > 128 && tiles * size % 4096 == 0 ? tiles + 64 / size : tiles;
}

/// Memory for packed operands.
template <class T>
struct product_buffer {
  real_t<T>* data;
  index_t count;
};

/// How a product is cut: `depth` columns of A at a time, micro-panels of A that stay in the L2
/// cache, and micro-panels of Bᵀ.
struct product_blocks {
  index_t depth, left_panels, right_panels;
};

/// Columns of packed operands that are multiplied at a time: a row of tiles of B stays in the L1
/// cache.
inline constexpr index_t product_depth = 256;

/// The cut for a buffer of `count` elements, which has room for at least 64 columns of 8
/// micro-panels.
template <class Target, class T>
constexpr product_blocks blocks_of(index_t m, index_t n, index_t k, index_t count) {
  constexpr index_t most_left =
                        (index_t{480} << 10) / (product_depth * Target::vector_bytes) / planes<T>,
                    most_right = 128;
  const index_t left = count_micro_panels<Target, T>(m), right = count_micro_panels<Target, T>(n);
  product_blocks blocks = {detail::min(k, product_depth), detail::min(left, most_left),
                           detail::min(right, most_right)};
  if ((blocks.left_panels + blocks.right_panels) * micro_stride<Target, T>(blocks.depth) <= count)
    return blocks;
  return {detail::min<index_t>(k, 64), detail::min<index_t>(left, 3),
          detail::min<index_t>(right, 5)};
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/product.inl"
  #include "trifac/engine/simd/isa/each.inl"

#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// Scratch for packing: on the stack while that suffices, else as a call's memory; never fails, but
/// where there is no memory it stays small. No bit depends on its size.
template <class T>
class packing_space {
 public:
  static constexpr index_t stack_bytes = index_t{64} << 10;
  static constexpr index_t stack_count = stack_bytes / index_t{sizeof(real_t<T>)};

  explicit packing_space(index_t wanted)
      : wanted_(wanted),
        memory_(wanted > stack_count ? static_cast<std::size_t>(wanted) * sizeof(real_t<T>) : 0) {}

  bool ok() const { return memory_.data() || wanted_ <= stack_count; }
  product_buffer<T> buffer() {
    if (memory_.data()) return {reinterpret_cast<real_t<T>*>(memory_.data()), wanted_};
    return {stack_, stack_count};
  }

 private:
  index_t wanted_;
  detail::call_memory memory_;
  alignas(64) real_t<T> stack_[detail::as_size(stack_count)];
};

/// update for one instruction set.
template <class Target, class T>
void update_on(Target target, matrix_view<T> C, operand<T> A, operand<T> B) {
  if (C.empty() || A.cols() == 0) return;
  const bool swapped = C.runs_along_rows();
  const index_t m = swapped ? C.cols() : C.rows(), n = swapped ? C.rows() : C.cols();
  constexpr index_t unlimited = std::numeric_limits<index_t>::max();
  const product_blocks blocks = blocks_of<Target, T>(m, n, A.cols(), unlimited);
  static_assert(8 * micro_stride<Target, T>(64) <= packing_space<T>::stack_count,
                "without memory update() packs 8 micro-panels of 64 columns on the stack");
  packing_space<T> space((blocks.left_panels + blocks.right_panels) *
                         micro_stride<Target, T>(blocks.depth));
  update(target, C, A, B, space.buffer());
}

/// update_lower for one instruction set, or false and nothing where there is no memory. The stack
/// has room for one micro-panel of any type.
template <class Target, class T>
bool try_update_lower_on(Target target, matrix_view<T> C, matrix_view<const T> A) {
  const index_t depth = detail::min(A.cols(), product_depth);
  static_assert(micro_stride<Target, T>(product_depth) <= packing_space<T>::stack_count,
                "the halves of update_lower_on end with one micro-panel on the stack");
  packing_space<T> space(count_micro_panels<Target, T>(A.rows()) * micro_stride<Target, T>(depth));
  if (space.ok()) update_lower(target, C, operand<T>(A), depth, space.buffer());
  return space.ok();
}

/// The same by halves where memory is short: slower, with the same bits.
template <class Target, class T>
void update_lower_on(Target target, matrix_view<T> C, matrix_view<const T> A) {
  if (C.empty() || A.cols() == 0 || try_update_lower_on(target, C, A)) return;
  const index_t half = C.rows() / 2, rest = C.rows() - half;
  const matrix_view<const T> A1 = A.block(0, 0, half, A.cols()),
                             A2 = A.block(half, 0, rest, A.cols());
  update_lower_on(target, C.block(0, 0, half, half), A1);
  update_on(target, C.block(half, 0, rest, half), operand<T>(A2), adjoint(A1));
  update_lower_on(target, C.block(half, half, rest, rest), A2);
}

#endif

/// C := C − A·B as blas::update, with the kernels for the types that have them. Each element has
/// one chain of sums in the order of k, however C is cut. BLAS: gemm.
template <Scalar T>
void update(matrix_view<T> C, operand<T> A, operand<T> B) {
  if constexpr (has_kernels<T>)
    with_isa([&](auto target) { update_on(target, C, A, B); });
  else
    blas::update(C, A, B);
}

/// The lower triangle of C := C − A·Aᴴ as blas::update_lower. BLAS: syrk, herk.
template <Scalar T>
void update_lower(matrix_view<T> C, matrix_view<const T> A) {
  if constexpr (has_kernels<T>)
    with_isa([&](auto target) { update_lower_on(target, C, A); });
  else
    blas::update_lower(C, A);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
