#pragma once
// Shared by the public calls: argument checks, and exceptions from statuses.

#include <cstdint>
#include <limits>
#include <new>

#include "trifac/backend.hpp"
#include "trifac/engine/base/lasting_text.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/views/matrix_like.hpp"

// A block on the way of a call that catches exceptions: it returns the status that belongs to one,
// or assigns it to `s`.
#if TRIFAC_EXCEPTIONS
  #define TRIFAC_TRY try
  #define TRIFAC_CATCH                                \
    catch (...) {                                     \
      return ::trifac::detail::status_of_exception(); \
    }
  #define TRIFAC_CATCH_TO(s)                       \
    catch (...) {                                  \
      s = ::trifac::detail::status_of_exception(); \
    }
#else
  #define TRIFAC_TRY
  #define TRIFAC_CATCH
  #define TRIFAC_CATCH_TO(s)
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Throws the exception of a status that is not a property of the matrix.
constexpr void throw_unless_numerical(const status& s) {
#if TRIFAC_EXCEPTIONS
  if (!s.of_the_matrix()) throw_status(s);
#else
  static_cast<void>(s);
#endif
}

/// The factor; throws where its status is not a property of the matrix.
template <class Factor>
constexpr Factor throwing(Factor factor) {
  throw_unless_numerical(factor.status());
  return factor;
}

/// The status for an exception of a scalar type, a callback or an allocation that is being handled.
inline status status_of_exception() noexcept {
#if TRIFAC_EXCEPTIONS
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return status::failure(status_kind::out_of_memory, "an allocation failed");
  } catch (...) {
    return status::failure(status_kind::backend_failure,
                           "an operation of the scalar type, or a callback, threw");
  }
#else
  return {};
#endif
}

/// Runs body(), which returns a status, and turns an exception into one.
template <class Body>
constexpr status without_exceptions(const Body& body) noexcept {
  TRIFAC_TRY {
    return body();
  }
  TRIFAC_CATCH
}

/// The largest distance of two addresses, in elements.
template <class T>
inline constexpr index_t most_elements = std::numeric_limits<index_t>::max() / index_t{sizeof(T)};

/// True if count·stride elements, count ≥ 0, fit the address space and |stride| is representable.
template <class T>
constexpr bool is_addressable(index_t count, index_t stride) {
  constexpr index_t most = most_elements<T>, few = index_t{1} << 24;
  static_assert(few <= most / few, "a type of that size?");
  if (stride < -most || stride > most) return false;
  const index_t apart = distance(stride);
  return (count <= few && apart <= few) || count == 0 || apart <= most / count;  // rarely divides
}

// Public calls pass views by reference down to the kernels: copying a view or status loads 16 bytes
// at once, which stalls until the 8-byte stores before it have reached the cache.

/// A valid view: sizes not negative, data if there are elements, no overlapping elements: the
/// larger stride spans a whole row or column (strides that interleave columns are refused), and all
/// offsets fit an address.
template <class T>
constexpr status check_view(const matrix_view<T>& A, const char* argument) {
  if (A.rows() < 0 || A.cols() < 0) return status::argument(argument, "has a negative size");
  if (A.empty()) return {};
  if (A.data() == nullptr)
    return status::argument(argument, "has elements but no memory (null pointer)");
  if (!is_addressable<T>(A.rows(), A.row_stride()) || !is_addressable<T>(A.cols(), A.col_stride()))
    return status::argument(argument, "has strides that no address space has room for");
  const index_t down = distance(A.row_stride()), along = distance(A.col_stride());
  // count·step ≤ whole, without a product that may overflow.
  const auto spans = [](index_t whole, index_t count, index_t step) {
    return step == 1 ? count <= whole : step > 0 && whole / count >= step;
  };
  bool apart = true;
  if (A.rows() > 1 && A.cols() > 1)
    apart = down <= along ? spans(along, A.rows(), down) : spans(down, A.cols(), along);
  else if (A.rows() > 1 || A.cols() > 1)
    apart = (A.rows() > 1 ? down : along) > 0;
  if (!apart)
    return status::argument(argument, "has a leading dimension smaller than its height or width");
  return {};
}

/// least ≤ stride ≤ least + 2⁴⁰ in one unsigned comparison.
constexpr bool is_leading_dimension(index_t stride, index_t least) {
  return static_cast<std::uint64_t>(stride) - static_cast<std::uint64_t>(least) <= std::uint64_t{1}
                                                                                       << 40;
}

/// True only for views that pass check_view and have contiguous rows or columns, with fewer tests:
/// for small sizes, up to some hundred rows and columns.
template <class T>
constexpr bool is_plain(const matrix_view<T>& A) {
  return A.rows() > 0 && A.cols() > 0 && A.data() != nullptr &&
         ((A.row_stride() == 1 && is_leading_dimension(A.col_stride(), A.rows())) ||
          (A.col_stride() == 1 && is_leading_dimension(A.row_stride(), A.cols())));
}

// An integer cast to an enumeration may be none of its values.
constexpr bool is_one_of(triangle t) {
  return t == triangle::lower || t == triangle::upper;
}
constexpr bool is_one_of(norm_kind k) {
  return k >= norm_kind::one && k <= norm_kind::frobenius;
}
/// A norm of which there is a condition number here.
constexpr bool has_condition(norm_kind k) {
  return k >= norm_kind::one && k <= norm_kind::infinity;
}
constexpr bool is_one_of(operation op) {
  return op == operation::none || op == operation::transpose || op == operation::adjoint;
}

constexpr bool is_one_of(diagonal d) {
  return d == diagonal::non_unit || d == diagonal::unit;
}

constexpr status check_operation(operation op) {
  return is_one_of(op) ? status() : status::argument("op", "is not one of its enumeration");
}

/// A policy may check its own values: `status check() const`.
template <class B>
constexpr status check_backend(const B& backend) {
  if constexpr (requires { backend.check(); })
    if (const status s = backend.check(); !s) return s;
  if (const availability a = backend.available(); !a.ok)
    return status::failure(status_kind::backend_failure, lasting_text(a.reason));
  return {};
}

/// True for a backend that check_backend accepts and that has `best`.
template <class B>
constexpr bool is_ready(const B& backend) {
  return supports(backend, variant::best) && check_backend(backend).ok();
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
