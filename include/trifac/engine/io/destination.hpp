#pragma once
// The caller's memory that a file is read into.

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// A matrix, or a vector as one column.
template <class M>
concept Destination = MatrixLike<M> || VectorLike<M>;

template <class M>
using destination_t = std::remove_const_t<trifac::detail::right_hand_side_t<M>>;

/// True if numbers of a file can be written to M.
template <class M>
inline constexpr bool can_be_read_into = std::floating_point<real_t<destination_t<M>>> &&
                                         !std::is_const_v<trifac::detail::right_hand_side_t<M>> &&
                                         !trifac::detail::owning_right_hand_sides<M>();

/// Asserts why can_be_read_into is false.
template <class M>
constexpr void check_read_into() {
  static_assert(std::floating_point<real_t<destination_t<M>>>,
                "A: a file is read as float, double, long double or complex of these");
  static_assert(!std::is_const_v<trifac::detail::right_hand_side_t<M>>,
                "A is const: the file's matrix overwrites it");
  static_assert(!trifac::detail::owning_right_hand_sides<M>(),
                "A is a temporary: what was read would be lost; give it a name");
}

/// A as a view; throws argument_error for impossible strides.
template <class M>
matrix_view<destination_t<M>> destination(M& A) {
  const auto to = trifac::detail::right_hand_sides(A);
  trifac::detail::throw_unless_ok(trifac::detail::check_view(to, "A"));
  return to;
}

/// Fails where a file's matrix has not the size of the memory for it.
inline void check_shape(const matrix_file& about, index_t rows, index_t cols,
                        std::string_view name) {
  const auto size = [](index_t m, index_t n) {
    return std::to_string(m) + " x " + std::to_string(n);
  };
  if (about.rows != rows || about.cols != cols)
    throw shape_error(read_error::whole(name, "the file's matrix is " +
                                                  size(about.rows, about.cols) +
                                                  ", the memory for it " + size(rows, cols)));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
