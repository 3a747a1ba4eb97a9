#pragma once
// What all routines of libtrifac_lapack.so share: LAPACK's checks of arguments, threads, views of
// Fortran's arrays, and interchanges counted from 1.

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "trifac/backend/threads.hpp"
#include "trifac/trifac.hpp"

extern "C" {
// The program's, if it has one. Weak references make the linker export that of a program, too.
[[gnu::weak]] void xerbla_(const char* name, const std::int32_t* position, std::size_t length);
[[gnu::weak]] void xerbla_64_(const char* name, const std::int64_t* position, std::size_t length);
}

namespace trifac::lapack_abi {

/// How many threads a call may have; 0: all processors. threads.cpp.
int threads();

/// The backend of one call: the calling thread, or a team.
class team {
 public:
  team() : policy_{.threads = threads()} {
    if (policy_.threads != 1) team_ = team_for_call(policy_);
  }
  const call_team& operator*() const { return team_; }

 private:
  backend::threads policy_;
  call_team team_;
};

/// A letter of Fortran, as a capital. Lengths of strings, which callers pass behind the arguments
/// or do not, are never read.
inline char letter(const char* option) {
  return *option >= 'a' && *option <= 'z' ? static_cast<char>(*option - 'a' + 'A') : *option;
}
inline bool is_one_of(const char* option, std::string_view letters) {
  return letters.find(letter(option)) != std::string_view::npos;
}
inline triangle part_of(const char* uplo) {
  return letter(uplo) == 'U' ? triangle::upper : triangle::lower;
}
inline operation op_of(const char* trans) {
  const char c = letter(trans);
  return c == 'N' ? operation::none : c == 'T' ? operation::transpose : operation::adjoint;
}

/// INFO = −k for the first wrong argument k, in LAPACK's order. The program's XERBLA is told then,
/// where it has one; else nothing is printed.
template <class I>
class arguments {
 public:
  /// The routine's name in capitals, and INFO, which becomes 0; null for a routine without one.
  arguments(const char* name, I* info) : name_(name), info_(info) {
    if (info_) *info_ = 0;
  }
  arguments& require(bool holds, int position) {
    if (!holds && wrong_ == 0) wrong_ = position;
    return *this;
  }
  arguments& option(const char* given, std::string_view letters, int position) {
    return require(is_one_of(given, letters), position);
  }
  arguments& size(I n, int position) { return require(n >= 0, position); }
  arguments& leading(I ld, I rows, int position) {
    return require(ld >= (rows > 1 ? rows : 1), position);
  }
  bool wrong() const {
    if (wrong_ == 0) return false;
    const I position = static_cast<I>(wrong_);
    if (info_) *info_ = -position;
    const std::size_t length = std::strlen(name_);
    if constexpr (sizeof(I) == 8) {
      if (xerbla_64_) xerbla_64_(name_, &position, length);
    } else if (xerbla_) {
      xerbla_(name_, &position, length);
    }
    return true;
  }

 private:
  const char* name_;
  I* info_;
  int wrong_ = 0;
};

/// INFO where memory is short: LAPACKE's LAPACK_WORK_MEMORY_ERROR. LAPACK allocates nothing.
inline constexpr int out_of_memory = -1010;

/// INFO of a factorization; what is not the matrix's is memory, as the arguments have been checked.
template <class I>
I info_of(const status& s) {
  if (s.ok()) return 0;
  return s.of_the_matrix() ? static_cast<I>(s.index() + 1) : static_cast<I>(out_of_memory);
}

/// trifac's, of one column with any leading dimension: LAPACK does not use it.
template <class T>
matrix_view<T> column_major(T* a, index_t m, index_t n, index_t ld) {
  return trifac::column_major(a, m, n, n > 1 ? ld : detail::max(m, index_t(1)));
}
template <class T>
matrix_view<T> square(T* a, index_t n, index_t ld) {
  return column_major(a, n, n, ld);
}
/// The first zero on the diagonal, counted from 1, or 0.
template <class I, class T>
I zero_on_diagonal(const T* a, index_t n, index_t ld) {
  for (index_t k = 0; k < n; ++k)
    if (a[k + k * ld] == T(0)) return static_cast<I>(k + 1);
  return 0;
}

inline constexpr index_t solve_at_once = 256;

/// Interchanges counted from 0; up to solve_at_once of them on the stack.
class interchanges {
 public:
  explicit interchanges(index_t count)
      : more_(count > solve_at_once ? new (std::nothrow) index_t[detail::as_size(count)] : nullptr),
        ok_(count <= solve_at_once || more_) {}
  bool ok() const { return ok_; }
  index_t* data() { return more_ ? more_.get() : own_; }

 private:
  std::unique_ptr<index_t[]> more_;
  bool ok_;
  index_t own_[detail::as_size(solve_at_once)];
};

template <class I>
std::span<const index_t> from_ipiv(interchanges& rows, const I* ipiv, index_t count) {
  for (index_t k = 0; k < count; ++k) rows.data()[k] = static_cast<index_t>(ipiv[k]) - 1;
  return {rows.data(), detail::as_size(count)};
}

/// Exchanges rows k and other(k) of b for k = from, from + step, … before end, in a few columns at
/// a time, as these stay in the cache.
template <class T, class Other>
void interchange_rows(T* b, index_t columns, index_t ld, index_t from, index_t end, index_t step,
                      Other other) {
  constexpr index_t together = 32;
  for (index_t first = 0; first < columns; first += together) {
    const index_t last = detail::min(columns, first + together);
    for (index_t k = from; k != end; k += step)
      if (const index_t row = other(k); row != k)
        for (index_t j = first; j < last; ++j) std::swap(b[k + j * ld], b[row + j * ld]);
  }
}

}  // namespace trifac::lapack_abi
