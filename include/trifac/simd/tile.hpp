#pragma once
// Tiles of a matrix in registers: loading, storing, and the sum over packed operands that all
// blocked kernels share. The text is tile.inl.

#include "trifac/matrix_view.hpp"
#include "trifac/simd/vector.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Vectors per complex or real vector of elements: real and imaginary parts are kept apart.
template <class T>
inline constexpr int planes = is_complex<T> ? 2 : 1;

/// Which elements of a tile belong to the matrix. For lower and upper, the diagonal meets the
/// tile's column c in lane Offset + c of its first vector.
enum class region { whole, lower, upper };

/// What becomes of rows that are contiguous: transposed in registers, or, where callers see to it
/// that columns are, taken element by element, which makes smaller code.
enum class contiguous_rows { transposed, by_element };

/// Which factor of a complex product is conjugated.
enum class conjugate_side { left, right };

/// Shape of a tile in memory: element (r, c) at ((c · vectors + r / width) · planes + plane) ·
/// width
/// + r % width.
struct tile_copy {
  region part;
  int offset, columns, vectors, width;

  constexpr bool contains(int r, int c) const {
    return part == region::whole || (part == region::lower ? r >= offset + c : r <= offset + c);
  }
  template <class T>
  constexpr index_t index(int r, int c) const {
    return ((c * vectors + r / width) * planes<T>)*width + r % width;
  }
};

/// The elements of C that exist and belong to the tile; zeros for the others.
template <class T>
__attribute__((noinline)) void gather_tile(real_t<T>* copy, matrix_view<T> C, tile_copy shape) {
  for (int c = 0; c < shape.columns; ++c)
    for (int r = 0; r < shape.vectors * shape.width; ++r) {
      const bool exists = r < C.rows() && c < C.cols() && shape.contains(r, c);
      const T x = exists ? C(r, c) : T(0);
      real_t<T>* const at = copy + shape.index<T>(r, c);
      at[0] = detail::real_part(x);
      if constexpr (is_complex<T>) at[shape.width] = x.imag();
    }
}

template <class T>
__attribute__((noinline)) void scatter_tile(const real_t<T>* copy, matrix_view<T> C,
                                            tile_copy shape) {
  const int rows = C.rows() < shape.vectors * shape.width ? static_cast<int>(C.rows())
                                                          : shape.vectors * shape.width;
  for (int c = 0; c < shape.columns && c < C.cols(); ++c)
    for (int r = 0; r < rows; ++r) {
      if (!shape.contains(r, c)) continue;
      const real_t<T>* const at = copy + shape.index<T>(r, c);
      if constexpr (is_complex<T>)
        C(r, c) = T(at[0], at[shape.width]);
      else
        C(r, c) = at[0];
    }
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "trifac/simd/tile.inl"
  #include "trifac/simd/each_isa.inl"

#endif
