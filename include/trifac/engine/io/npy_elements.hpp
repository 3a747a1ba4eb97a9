#pragma once
// The elements of a NumPy .npy file as a matrix, from memory or from a stream.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <istream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/npy_head.hpp"
#include "trifac/io/error.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// The number of type Stored at `from`, of any alignment; bytes are reversed if `swapped`.
template <class Stored>
Stored load(const char* from, bool swapped) {
  std::array<char, sizeof(Stored)> bytes;
  std::memcpy(bytes.data(), from, bytes.size());
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Stored>(bytes);
}

/// Calls f(loader), where loader(from) returns one element of the file as a T.
template <class T, class F>
void with_loader(const npy_head& head, const F& f) {
  const bool swapped = head.swapped;
  const auto real = [&]<class Stored>(Stored) {
    f([swapped](const char* from) {
      return T(static_cast<real_t<T>>(load<Stored>(from, swapped)));
    });
  };
  const auto complex = [&]<class Stored>(Stored) {
    if constexpr (is_complex<T>)
      f([swapped](const char* from) {
        return T(static_cast<real_t<T>>(load<Stored>(from, swapped)),
                 static_cast<real_t<T>>(load<Stored>(from + sizeof(Stored), swapped)));
      });
  };
  switch (head.kind) {
    case 'f':
      return head.bytes == 4 ? real(float()) : real(double());
    case 'c':
      return head.bytes == 8 ? complex(float()) : complex(double());
    case 'b':
      return f([](const char* from) { return T(real_t<T>(*from != 0 ? 1 : 0)); });
    case 'i':
      return head.bytes == 1   ? real(std::int8_t())
             : head.bytes == 2 ? real(std::int16_t())
             : head.bytes == 4 ? real(std::int32_t())
                               : real(std::int64_t());
    default:
      return head.bytes == 1   ? real(std::uint8_t())
             : head.bytes == 2 ? real(std::uint16_t())
             : head.bytes == 4 ? real(std::uint32_t())
                               : real(std::uint64_t());
  }
}

/// Fails where the elements of the file are complex and T is not.
template <class T>
void check_npy_type(const npy_head& head, std::string_view name) {
  if (head.kind == 'c' && !is_complex<T>)
    throw type_error(
        read_error::at_byte(name, static_cast<index_t>(head.start),
                            "the file holds complex numbers, which a real matrix cannot take"));
}

/// A zero matrix of the file's shape, if its type and size are acceptable.
template <class T>
matrix<T> allocate_npy(const npy_head& head, std::string_view name, read_limits limits) {
  check_npy_type<T>(head, name);
  return allocate_dense<T>(head.about, limits, [&](const std::string& what) {
    throw read_error::at_byte(name, static_cast<index_t>(head.start), what);
  });
}

/// Decodes the elements of a file into A: whole columns of the file's order as far as a buffer
/// takes some, else parts of one.
template <class T>
class npy_decoder {
  using R = real_t<T>;

 public:
  npy_decoder(const npy_head& head, std::string_view name, const matrix_view<T>& A)
      : head_(head), name_(name), in_order_(head.by_rows ? A.transposed() : A) {}

  /// The elements that follow the head in `file`.
  void decode(std::string_view file) const {
    const char* from = file.data() + head_.start;
    blocks([&](index_t, index_t, index_t bytes) { return std::exchange(from, from + bytes); });
  }

  /// The elements that come next in `stream`.
  void decode(std::istream& stream) const {
    std::string buffer;
    blocks([&](index_t i, index_t j, index_t bytes) {
      buffer.resize(trifac::detail::as_size(bytes));
      if (!stream.read(buffer.data(), static_cast<std::streamsize>(bytes)))
        throw read_error::at_byte(name_, place(i, j) + static_cast<index_t>(stream.gcount()),
                                  "the file ends inside its elements");
      return static_cast<const char*>(buffer.data());
    });
  }

 private:
  /// next(i, j, bytes): where the bytes of the next block are, which begins with element (i, j).
  template <class Next>
  void blocks(const Next& next) const {
    constexpr index_t buffer = index_t{1} << 20;
    if (in_order_.empty()) return;
    const index_t rows = in_order_.rows(), cols = in_order_.cols(), most = buffer / head_.bytes,
                  m = std::min(rows, most), n = std::max<index_t>(most / rows, 1);
    for (index_t j = 0; j < cols; j += n)
      for (index_t i = 0; i < rows; i += m) {
        const index_t k = std::min(m, rows - i), l = std::min(n, cols - j);
        block(next(i, j, k * l * head_.bytes), i, j, k, l);
      }
  }

  /// The byte of an element in the file.
  index_t place(index_t i, index_t j) const {
    return static_cast<index_t>(head_.start) + (i + j * in_order_.rows()) * head_.bytes;
  }

  /// Elements i … i+m−1 of columns j … j+n−1, one after another at `from`: along the smaller stride
  /// of A.
  void block(const char* from, index_t i, index_t j, index_t m, index_t n) const {
    check_range(from, i, j, m * n);
    const matrix_view<T> to = in_order_.block(i, j, m, n);
    with_loader<T>(head_, [&](const auto& element) {
      if (std::abs(to.row_stride()) <= std::abs(to.col_stride()) || m == 1) {
        for (index_t l = 0; l < n; ++l)
          for (index_t k = 0; k < m; ++k) to(k, l) = element(from + (k + l * m) * head_.bytes);
      } else {
        for (index_t k = 0; k < m; ++k)
          for (index_t l = 0; l < n; ++l) to(k, l) = element(from + (k + l * m) * head_.bytes);
      }
    });
  }

  /// Fails if one of `count` elements from (i, j) on is finite but exceeds the range of T.
  void check_range(const char* from, index_t i, index_t j, index_t count) const {
    const bool is_double =
        (head_.kind == 'f' || head_.kind == 'c') && !head_.about.single_precision;
    if (sizeof(R) >= sizeof(double) || !is_double) return;
    for (index_t at = 0; at < count * head_.bytes; at += 8) {
      const double x = load<double>(from + at, head_.swapped);
      if (std::isfinite(x) && std::abs(x) > std::numeric_limits<R>::max())
        throw read_error::at_byte(name_, place(i, j) + at / head_.bytes * head_.bytes,
                                  "the number is too large for T");
    }
  }

  const npy_head& head_;
  std::string_view name_;
  matrix_view<T> in_order_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
