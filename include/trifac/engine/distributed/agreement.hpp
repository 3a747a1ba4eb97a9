#pragma once
// One status for all processes: for the arguments of a call, and for its end.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>

#include "trifac/engine/distributed/array.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Checks the arguments of a call: every process states the same list of conditions; then all get
/// the first one that any process violates. One reduction of fixed length, so mismatched calls are
/// detected, too.
class agreement {
 public:
  /// The value must be equal on all processes, else the status is `otherwise`.
  void same(std::int64_t value, const status& otherwise) { add(value, ~value, otherwise); }
  void same(std::int64_t value, const char* argument) {
    same(value, status::argument(argument, "differs between processes"));
  }
  void same(double value, const char* argument) {
    same(std::bit_cast<std::int64_t>(value), argument);
  }
  /// The condition must hold on every process.
  void holds(bool condition, const status& otherwise) {
    add(condition ? 1 : 0, ~std::int64_t{1}, otherwise);
  }

  /// A matrix's descriptor and its local array.
  template <class T>
  void matrix(const array<T>& A, const char* name) {
    const descriptor& d = A.desc();
    const auto wrong = [&](const char* what) { return status::argument(name, what); };
    same(d.rows, wrong("has another number of rows (M) on another process"));
    same(d.cols, wrong("has another number of columns (N) on another process"));
    same(d.row_block, wrong("has another row block (MB) on another process"));
    same(d.col_block, wrong("has another column block (NB) on another process"));
    same(d.first_row, wrong("has another first process row (RSRC) on another process"));
    same(d.first_col, wrong("has another first process column (CSRC) on another process"));
    bool usable = true;
    const auto each = [&](bool condition, const char* otherwise) {
      holds(condition, wrong(otherwise));
      usable = usable && condition;
    };
    each(d.rows >= 0, "has a negative number of rows (M)");
    each(d.cols >= 0, "has a negative number of columns (N)");
    each(d.row_block > 0, "has a row block (MB) below 1");
    each(d.col_block > 0, "has a column block (NB) below 1");
    each(d.first_row >= 0 && d.first_row < A.grid().rows(),
         "has a first process row (RSRC) that the grid does not have");
    each(d.first_col >= 0 && d.first_col < A.grid().cols(),
         "has a first process column (CSRC) that the grid does not have");
    each(d.ld > 0, "has a leading dimension (LLD) below 1");
    holds(!usable || A.rows().local_count() <= d.ld,
          wrong("has a leading dimension (LLD) below the number of local rows"));
    holds(!usable || A.data() != nullptr || A.rows().local_count() == 0 ||
              A.cols().local_count() == 0,
          wrong("has local elements but no memory (null pointer)"));
    good_ = good_ && usable;
  }
  /// MPI message counts are int. The largest messages contain a block's rows or columns, and
  /// interchanges exchange two blocks; the header takes at most 8·block.
  template <class T>
  void messages(const array<T>& A, index_t block, const char* name) {
    const auto limit = static_cast<index_t>(std::numeric_limits<int>::max());
    const bool fit =
        !good_ || std::max(A.rows().local_count(), A.cols().local_count()) <= limit / 2 / block - 4;
    holds(fit, status::argument(
                   name, "has about 2^30 local elements or more in one block row or column"));
    good_ = good_ && fit;
  }
  /// False if the matrices stated so far do not determine sizes, or have too large ones.
  bool good() const { return good_; }

  /// Collective. The first violated condition, in order of statement.
  status reach(const grid& on, traffic& moved) {
    on.all().all_min(values_, moved);
    for (int i = 0; i < count_; ++i)
      if (values_[2 * i] != ~values_[2 * i + 1]) return otherwise_[i];
    return {};
  }

 private:
  void add(std::int64_t value, std::int64_t complement, const status& otherwise) {
    assert(count_ < most);
    values_[2 * count_] = value;
    values_[2 * count_ + 1] = complement;
    otherwise_[count_++] = otherwise;
  }

  static constexpr int most = 64;
  std::int64_t values_[2 * most] = {};
  status otherwise_[most];
  int count_ = 0;
  bool good_ = true;
};

/// A status from the numbers of a message; what() is that of the kind.
inline status status_of(std::int64_t kind, std::int64_t index) {
  const auto k = static_cast<status_kind>(kind);
  if (k == status_kind::success) return {};
  if (k <= status_kind::not_finite) return status::at(k, static_cast<index_t>(index));
  return status::failure(k, "on a process of the grid");
}

/// Means: no index.
inline constexpr std::int64_t no_index = std::numeric_limits<std::int64_t>::max();

/// Collective, at the end of a call. In this order: out of memory or a failed backend on any
/// process, since its garbage may have caused `known`; `known`; not_finite at the least index that
/// any process found (no_index: none).
inline status final_status(const grid& on, const status& known, const status& mine,
                           std::int64_t bad, traffic& moved) {
  const bool machine = !mine.of_the_matrix();
  std::int64_t found[] = {machine ? -static_cast<std::int64_t>(mine.kind()) : 0, bad};
  on.all().all_min(found, moved);
  if (found[0] < 0) return status_of(-found[0], -1);
  if (!known.completed()) return known;
  if (found[1] != no_index) return status::at(status_kind::not_finite, found[1]);
  return known;
}

/// The executor of the blocked nests. The outcome is the same on all processes after each step, so
/// all stop together.
struct process_executor {
  status outcome;  ///< the same on all processes
  status mine;     ///< a failure of this machine, reported to the others by final_status()

  bool stopped() const { return !outcome.completed(); }
  void record(const status& s) {
    if (outcome.ok() || !s.completed()) outcome = s;
  }
  void record_mine(const status& s) {
    if (!s.of_the_matrix() && mine.ok()) mine = s;
  }
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
