#pragma once
// What the factorizations of a batch return: the outcome of each matrix, and of the call.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trifac/batch/options.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/pivots.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// The row interchanges of one matrix of a batch: step k exchanged row k with row operator[](k) ≥ k,
/// counted from 0. LAPACK's ipiv counts from 1.
class batch_interchanges {
 public:
  constexpr batch_interchanges(const std::int32_t* first, index_t count)
      : first_(first), count_(count) {}

  constexpr index_t size() const { return count_; }
  constexpr index_t operator[](index_t k) const { return first_[16 * k]; }

  /// A copy, with permutation(), sign() and to_ipiv().
  explicit operator pivots() const {
    pivots p(count_);
    for (index_t k = 0; k < count_; ++k) p[k] = (*this)[k];
    return p;
  }

 private:
  const std::int32_t* first_;
  index_t count_;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// Numbers in the caller's memory or, where he gave none, in one's own.
class given_or_own {
 public:
  given_or_own() = default;
  given_or_own(std::span<std::int32_t> given, index_t count)
      : given_(given.empty() ? given : given.first(as_size(count))),
        own_(given.empty() ? as_size(count) : 0) {}

  std::span<std::int32_t> span() { return given_.empty() ? std::span(own_) : given_; }
  std::span<const std::int32_t> span() const {
    return given_.empty() ? std::span<const std::int32_t>(own_) : given_;
  }

 private:
  std::span<std::int32_t> given_;
  std::vector<std::int32_t> own_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// How the factorizations of a batch ended. Without arguments it is that of nothing.
class batch_outcome {
 public:
  batch_outcome() = default;
  /// `bad`: what a bad pivot that is finite means.
  batch_outcome(const trifac::status& call, detail::given_or_own&& info, status_kind bad)
      : call_(call), info_(std::move(info)), bad_(bad) {
    const auto all = std::as_const(info_).span();
    for (std::size_t b = all.size(); b-- > 0;)
      if (all[b] != 0) {
        first_failure_ = static_cast<index_t>(b);
        ++failed_count_;
      }
  }

  /// True where all matrices were factored.
  bool ok() const { return call_.ok() && failed_count_ == 0; }
  explicit operator bool() const { return ok(); }
  /// The call's own failure (an argument, memory, the backend), else that of the first matrix that
  /// failed, else success.
  trifac::status status() const {
    return !call_.ok() || failed_count_ == 0 ? call_ : status(first_failure_);
  }
  /// That of matrix b, as one matrix would have it.
  trifac::status status(index_t b) const {
    if (!call_.ok()) return call_;
    const std::int32_t i = info()[detail::as_size(b)];
    if (i == 0) return {};
    return i > 0 ? trifac::status::at(bad_, i - 1)
                 : trifac::status::at(status_kind::not_finite, -(i + 1));
  }
  /// For each matrix 0, or LAPACK's info k + 1 for a bad pivot k, or −(k + 1) where that is NaN or
  /// infinite. Empty where the call itself failed.
  std::span<const std::int32_t> info() const { return info_.span(); }
  /// Matrices that failed.
  index_t failed_count() const { return failed_count_; }
  /// The first of them, or −1.
  index_t first_failure() const { return first_failure_; }

 private:
  trifac::status call_ = trifac::status::empty();
  detail::given_or_own info_;
  status_kind bad_ = status_kind::success;
  index_t failed_count_ = 0, first_failure_ = -1;
};

/// The result of cholesky() on a batch: A = L·Lᴴ or Uᴴ·U of each matrix whose status is ok. It refers
/// to the caller's matrices (and info, where the options gave memory for it), which must outlive it
/// and stay unchanged.
template <class T>
class batch_cholesky_factor : public batch_outcome {
 public:
  using value_type = T;

  batch_cholesky_factor() = default;
  batch_cholesky_factor(const batch_view<T>& A, triangle part, batch_outcome&& outcome)
      : batch_outcome(std::move(outcome)), A_(A), part_(part) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  triangle part() const { return part_; }
  /// The factored matrices as they lie in memory.
  batch_view<const T> matrices() const { return A_; }

 private:
  batch_view<const T> A_;
  triangle part_ = triangle::lower;
};

/// The result of lu() on a batch: P·A = L·U of each matrix whose status is ok, or singular. It refers
/// to the caller's matrices (and info and interchanges, where the options gave memory for them).
template <class T>
class batch_lu_factor : public batch_outcome {
 public:
  using value_type = T;

  batch_lu_factor() = default;
  batch_lu_factor(const batch_view<T>& A, trifac::pivoting pivoting,
                  detail::given_or_own&& interchanges, batch_outcome&& outcome)
      : batch_outcome(std::move(outcome)),
        A_(A),
        pivoting_(pivoting),
        interchanges_(std::move(interchanges)) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  trifac::pivoting pivoting() const { return pivoting_; }
  /// L\U of each matrix as it lies in memory.
  batch_view<const T> matrices() const { return A_; }
  /// The row interchanges of matrix b; none without pivoting.
  batch_interchanges interchanges(index_t b) const {
    const index_t steps = rows() < cols() ? rows() : cols();
    if (interchanges_.span().empty()) return {nullptr, 0};
    return {interchanges_.span().data() + (b / 16 * 16 * steps + b % 16), steps};
  }
  /// Of all matrices: step k of matrix b is number b/16·16·steps + 16·k + b%16.
  std::span<const std::int32_t> interchanges() const { return interchanges_.span(); }

 private:
  batch_view<const T> A_;
  trifac::pivoting pivoting_ = trifac::pivoting::partial;
  detail::given_or_own interchanges_;
};

}  // namespace trifac
