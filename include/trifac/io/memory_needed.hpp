#pragma once
// memory_needed(): the memory that a file's matrix, its factorization and a solve take, from the
// header of the file.

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <limits>

#include "trifac/cholesky.hpp"
#include "trifac/engine/base/as_size.hpp"
#include "trifac/io/read_matrix.hpp"
#include "trifac/lu.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// Bytes for reading a file's m×n matrix as T, factoring it in place on one thread and solving with
/// `right_hand_sides` columns (0 if negative): m·n elements, and the larger of the text of a Matrix
/// Market file, which is freed before the factorization, and workspace, interchanges and right-hand
/// sides. Some 2 MiB for buffers come to them. Reads the header only. The largest std::size_t if
/// the sum has no number. Throws read_error.
template <Scalar T>
requires std::floating_point<real_t<T>> std::size_t memory_needed(const std::filesystem::path& path,
                                                                  factorization what,
                                                                  index_t right_hand_sides = 0) {
  const matrix_file about = describe_matrix(path);
  const index_t m = about.rows, n = about.cols;
  right_hand_sides = std::max<index_t>(right_hand_sides, 0);
  if (!trifac::detail::fits_memory<T>(m, n) || !trifac::detail::fits_memory<T>(m, right_hand_sides))
    return std::numeric_limits<std::size_t>::max();
  const auto bytes = [](index_t count, std::size_t of_one) {
    return trifac::detail::as_size(count) * of_one;
  };
  const std::size_t workspace =
      what == factorization::cholesky
          ? cholesky_workspace_bytes<T>(std::min(m, n))
          : lu_workspace_bytes<T>(m, n) + bytes(std::min(m, n), sizeof(index_t));
  return bytes(m * n, sizeof(T)) +
         std::max(detail::text_bytes(path), workspace + bytes(m * right_hand_sides, sizeof(T)));
}

/// The same with the type of the file's numbers: complex if they are, float for single precision
/// (.npy only), else double.
inline std::size_t memory_needed(const std::filesystem::path& path, factorization what,
                                 index_t right_hand_sides = 0) {
  const matrix_file about = describe_matrix(path);
  const auto as = [&]<class R>(R) {
    return about.field == field::complex
               ? memory_needed<std::complex<R>>(path, what, right_hand_sides)
               : memory_needed<R>(path, what, right_hand_sides);
  };
  return about.single_precision ? as(float()) : as(double());
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
