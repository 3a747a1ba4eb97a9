#pragma once
// The outcome of a call: a status with the kind of failure and its index, and the exceptions of the
// throwing forms.

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/base/inline.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {
namespace detail {

/// The pieces as one string. Concatenation by operator+ would make every program compile many
/// functions of std::string.
inline std::string joined(std::initializer_list<std::string_view> pieces) {
  std::size_t length = 0;
  for (const std::string_view piece : pieces) length += piece.size();
  std::string text(length, ' ');
  char* to = text.data();
  for (const std::string_view piece : pieces)
    for (const char c : piece) *to++ = c;
  return text;
}

/// The digits of a nonnegative number, independent of the locale.
struct digits {
  explicit digits(index_t number) {
    do text[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
  }
  operator std::string_view() const { return {text + first, sizeof text - first}; }

  char text[20];
  std::size_t first = sizeof text;
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// The kinds of outcomes. The first four after success are properties of the matrix; the others are
/// caused by the caller or the machine and leave every argument unchanged, but for these:
/// `cancelled`; a scalar type that throws; memory that runs out in a batch call that processes
/// matrices one by one, when the previous ones are done, or in a local call of trifac::distributed;
/// a device that works in host memory (opencl on a CPU) and runs out of its own midway; StarPU, if
/// it refuses a task or a device fails in one (`backend_failure`); and the later steps of calls
/// that have several: a solve out of place (X is B), cholesky_solve() and lu_solve() (A is its
/// factor), half a solve with a partial factor, append_in(), the inverse of a triangle on a device.
enum class status_kind {
  success,
  not_positive_definite,  ///< Cholesky: the leading minor of order index + 1 is not positive
  singular,    ///< LU: U(index, index) = 0, the factorization was completed. Triangles: a zero on
               ///< the diagonal, nothing was written. Equilibration: a zero row or column
  zero_pivot,  ///< LU without pivoting: the pivot at index is exactly zero; the factorization
               ///< stopped there
  not_finite,  ///< factorizations: the pivot at index is NaN or infinite; LU with the last index:
               ///< this pivot or another element of L or U. Other calls: NaN or infinity in the
               ///< row, column or right-hand side at index
  invalid_argument,  ///< argument() names the argument
  out_of_memory,     ///< the workspace could not be allocated
  backend_failure,   ///< the backend is not available, its library failed, or an operation of the
                     ///< scalar type or a callback threw
  cancelled,         ///< options.progress cancelled the call: the matrix is neither A nor its
                     ///< factor
  empty,             ///< an empty factor: never factored into, or moved from
};

/// One line per kind, without the index.
constexpr std::string_view to_string(status_kind kind) {
  switch (kind) {
    case status_kind::success:
      return "success";
    case status_kind::not_positive_definite:
      return "not positive definite";
    case status_kind::singular:
      return "singular";
    case status_kind::zero_pivot:
      return "zero pivot";
    case status_kind::not_finite:
      return "not finite";
    case status_kind::invalid_argument:
      return "invalid argument";
    case status_kind::out_of_memory:
      return "out of memory";
    case status_kind::backend_failure:
      return "backend failure";
    case status_kind::cancelled:
      return "cancelled";
    case status_kind::empty:
      return "empty factor";
  }
  return "unknown";
}

// status and the exceptions have one name in all object files, so that one catches what another
// throws, and the linker keeps one copy of each of their functions. TRIFAC_INLINE: a copy compiled
// for AVX-512 would stop the other objects on a CPU without it.

/// Result of a factorization or a solve. Small, cheap to copy, owns no memory.
class [[nodiscard]] status {
 public:
  constexpr status() = default;

  /// A numerical failure at the 0-based index of the pivot.
  static constexpr status at(status_kind kind, index_t index) { return {kind, index, "", ""}; }
  /// A wrong argument: its name and the error (both of static storage duration).
  static constexpr status argument(const char* name, const char* what) {
    return {status_kind::invalid_argument, -1, name, what};
  }
  /// A failure of the machine: memory or backend.
  static constexpr status failure(status_kind kind, const char* what) {
    return {kind, -1, "", what};
  }
  /// The status of an empty factor.
  static constexpr status of_empty_factor() {
    return failure(status_kind::empty, "nothing was factored into it, or it was moved from");
  }

  constexpr status_kind kind() const { return kind_; }
  /// 0-based index of the first bad pivot, or of what a call documents instead (a row, a column, a
  /// right-hand side); −1 if not applicable. LAPACK's info of a factorization is index() + 1.
  constexpr index_t index() const { return index_; }
  /// Name of the wrong argument, else "".
  constexpr const char* argument() const { return argument_; }
  /// What is wrong with the argument or the backend, else "".
  constexpr const char* what() const { return what_; }

  constexpr bool ok() const { return kind_ == status_kind::success; }
  constexpr explicit operator bool() const { return ok(); }
  /// True if the factorization was completed: success, or LU with an exact zero on the diagonal of
  /// U.
  constexpr bool completed() const { return ok() || kind_ == status_kind::singular; }

  /// True if the status is a property of the matrix: success and the four kinds after it. False if
  /// the call did not get that far.
  constexpr bool of_the_matrix() const { return kind_ <= status_kind::not_finite; }

  /// One line for a human reader.
  TRIFAC_INLINE std::string message() const {
    return detail::joined({to_string(kind_), *argument_ ? " " : "", argument_, *what_ ? ": " : "",
                           what_, index_ >= 0 ? " at index " : "",
                           index_ >= 0 ? detail::digits(index_) : std::string_view()});
  }

  /// Compares kind and index, not texts.
  friend constexpr bool operator==(const status& a, const status& b) {
    return a.kind_ == b.kind_ && a.index_ == b.index_;
  }

 private:
  constexpr status(status_kind kind, index_t index, const char* argument, const char* what)
      : kind_(kind), index_(index), argument_(argument), what_(what) {}

  status_kind kind_ = status_kind::success;
  index_t index_ = -1;
  const char* argument_ = "";
  const char* what_ = "";
};

/// Thrown for a wrong argument; argument() is its name, reason() the status.
class argument_error : public std::invalid_argument {
 public:
  TRIFAC_INLINE explicit argument_error(const status& s)
      : std::invalid_argument(detail::joined({"trifac: ", s.message()})), reason_(s) {}
  const char* argument() const noexcept { return reason_.argument(); }
  const status& reason() const noexcept { return reason_; }

 private:
  status reason_;
};

/// Thrown if a backend is not available, its library failed, or a scalar type or callback threw.
class backend_error : public std::runtime_error {
 public:
  TRIFAC_INLINE explicit backend_error(std::string_view what)
      : std::runtime_error(detail::joined({"trifac: ", what})) {}
};

/// Thrown by the calls that factor and by solve() if options.progress cancelled them, by or_throw()
/// and by all calls that use or change a factor whose factorization was cancelled.
class cancelled_error : public std::runtime_error {
 public:
  cancelled_error() : std::runtime_error("trifac: cancelled") {}
};

/// Thrown for numerical failures by or_throw(), cholesky_solve(), lu_solve(), equilibrate() and all
/// calls that use or change a factor: the matrix cannot be factored, or a result is not finite.
/// reason() has kind and index.
class numerical_error : public std::runtime_error {
 public:
  TRIFAC_INLINE explicit numerical_error(const status& s)
      : std::runtime_error(detail::joined({"trifac: ", s.message()})), reason_(s) {}
  const status& reason() const noexcept { return reason_; }

 private:
  status reason_;
};

inline namespace TRIFAC_ABI {
namespace detail {

#if TRIFAC_EXCEPTIONS
/// Throws the exception of a status that is not ok.
[[noreturn]] inline void throw_status(const status& s) {
  switch (s.kind()) {
    case status_kind::out_of_memory:
      throw std::bad_alloc();
    case status_kind::backend_failure:
      throw backend_error(s.what());
    case status_kind::invalid_argument:
      throw argument_error(s);
    case status_kind::cancelled:
      throw cancelled_error();
    case status_kind::empty:
      throw argument_error(status::argument("factor", s.what()));
    default:
      throw numerical_error(s);
  }
}
constexpr void throw_unless_ok(const status& s) {
  if (!s) throw_status(s);
}
#endif

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
