#pragma once
// Shared by calls on host matrices: the matrix on the device (the host's memory if the device
// shares it, else a copy), timing, and conversion of exceptions to a status.

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/engine/base/lasting_text.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/device/session.hpp"
#include "trifac/engine/device/view.hpp"
#include "trifac/engine/device/wrapped_memory.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The elements of a host matrix that a call accesses.
enum class extent_of_use { all, lower_triangle };

/// A read-only view without const: device memory has no const.
template <class T>
matrix_view<T> writable(matrix_view<const T> A) {
  return {const_cast<T*>(A.data()), A.rows(), A.cols(), A.row_stride(), A.col_stride()};
}

/// Times consecutive parts of one call.
class part_watch {
 public:
  /// Seconds since the previous lap().
  double lap() {
    const auto end = clock::now();
    return std::chrono::duration<double>(end - std::exchange(start_, end)).count();
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

template <class View, class Visit>
void for_each_used(const View& A, extent_of_use use, Visit visit) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = use == extent_of_use::all ? 0 : j; i < A.rows(); ++i) visit(i, j);
}

/// visit(k, i, j) for the elements (i, j) in use among `count` elements of A from number `from` on,
/// column by column; k = 0 … count−1.
template <class View, class Visit>
void for_each_in_piece(const View& A, extent_of_use use, index_t from, index_t count, Visit visit) {
  for (index_t at = from; at < from + count;) {
    const index_t j = at / A.rows(), top = j * A.rows();
    const index_t end = std::min(top + A.rows(), from + count);
    const index_t first = use == extent_of_use::all ? at : std::max(at, top + j);
    for (index_t k = first; k < end; ++k) visit(k - from, k - top, j);
    at = end;
  }
}

/// Copies the elements of A in use to device memory, column-major and without gaps; A may be
/// modified on return. copy_to_host is the reverse and waits.
template <class Runtime, class T>
void copy_to_device(Runtime& runtime, matrix_view<const T> A, typename Runtime::handle to,
                    extent_of_use use) {
  const index_t count = A.rows() * A.cols();
  if (A.row_stride() == 1 &&
      A.col_stride() == A.rows())  // already contiguous; copies the unused triangle, too
    return runtime.write(to, 0, A.data(), static_cast<std::uint64_t>(count) * sizeof(T));
  const auto fill = [&](T* piece, index_t from, index_t elements) {
    for_each_in_piece(A, use, from, elements,
                      [&](index_t k, index_t i, index_t j) { piece[k] = A(i, j); });
  };
  if constexpr (Runtime::has_staging) {
    runtime.template write_pieces<T>(to, count, fill);
  } else {
    std::vector<T> elements(static_cast<std::size_t>(count));
    fill(elements.data(), 0, count);
    runtime.write(to, 0, elements.data(), elements.size() * sizeof(T));
  }
}
template <class Runtime, class T>
void copy_to_host(Runtime& runtime, typename Runtime::handle from, matrix_view<T> A,
                  extent_of_use use) {
  const index_t count = A.rows() * A.cols();
  const auto take = [&](const T* piece, index_t first, index_t elements) {
    for_each_in_piece(A, use, first, elements,
                      [&](index_t k, index_t i, index_t j) { A(i, j) = piece[k]; });
  };
  if constexpr (Runtime::has_staging) {
    runtime.template read_pieces<T>(from, count, take);
  } else {
    std::vector<T> elements(static_cast<std::size_t>(count));
    runtime.read(from, 0, elements.data(), elements.size() * sizeof(T));
    take(elements.data(), 0, count);
  }
}

/// Gives the device access to the matrix for the object's lifetime; initially with the elements of
/// `from`, which is A or does not overlap it. A copy on the device is column-major and without
/// gaps; only elements in use are copied in either direction, so the other triangle is never
/// written.
template <class Runtime, class T>
class host_matrix {
 public:
  using view_type = device_view<T, typename Runtime::handle>;

  host_matrix(session<Runtime>& s, matrix_view<T> A, extent_of_use use)
      : host_matrix(s, A, use, A) {}
  host_matrix(session<Runtime>& s, matrix_view<T> A, extent_of_use use, matrix_view<const T> from)
      : session_(s), host_(A), use_(use) {
    if (A.empty()) return;
    if constexpr (Runtime::shares_memory)
      if (works_on_host_memory(s)) share(from);
    if (!wrapped_.holds()) copy_in(from);
  }
  host_matrix(const host_matrix&) = delete;
  host_matrix& operator=(const host_matrix&) = delete;

  const view_type& view() const { return view_; }

  /// Call before finishing the queue: maps shared host memory back.
  void give_back() { wrapped_.give_back(); }
  /// Copies the device's copy, if any, back to the host. Waits.
  void copy_back() {
    if (copy_.bytes() == 0) return;
    copy_to_host(session_.runtime, copy_.get(), host_, use_);
  }

 private:
  void share(matrix_view<const T> from) {
    const auto all = reach_of(host_);
    const std::uint64_t bytes = static_cast<std::uint64_t>(all.count()) * sizeof(T);
    session_.runtime.check_size(bytes);  // before anything is written
    // Before wrapping: afterwards the host must not write to the memory.
    if (from.data() != host_.data())
      for_each_used(host_, use_, [&](index_t i, index_t j) { host_(i, j) = from(i, j); });
    wrapped_.wrap(session_.runtime, host_.data() + all.lowest, bytes);
    view_ = {wrapped_.get(), -all.lowest,        host_.rows(),
             host_.cols(),   host_.row_stride(), host_.col_stride()};
  }
  void copy_in(matrix_view<const T> from) {
    copy_ = session_.borrow(static_cast<std::uint64_t>(host_.rows() * host_.cols()) * sizeof(T));
    copy_to_device(session_.runtime, from, copy_.get(), use_);
    view_ = {copy_.get(), 0, host_.rows(), host_.cols(), 1, host_.rows()};
  }

  session<Runtime>& session_;
  matrix_view<T> host_;
  extent_of_use use_;
  [[no_unique_address]] wrapped_memory<Runtime> wrapped_;  // the host's memory
  typename session<Runtime>::scratch copy_;                // or a copy
  view_type view_;
};

/// solve(factor, B) on the device with A and X in host memory: X is overwritten by the result.
/// Waits once.
template <class On, class Runtime, class T, class Solve>
status solve_of_host(On& on, session<Runtime>& s, matrix_view<const T> A, extent_of_use use,
                     matrix_view<T> X, Solve solve) {
  host_matrix<Runtime, T> factor(s, writable(A), use), B(s, X, extent_of_use::all);
  solve(factor.view(), B.view());
  factor.give_back();
  B.give_back();
  const status outcome = on.finish();
  B.copy_back();
  return outcome;
}

/// The message of an exception without the prefix, which status and backend_error add again.
inline const char* lasting_text_of(const std::exception& e) {
  constexpr std::string_view prefix = "trifac: ";
  std::string_view what = e.what();
  if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
  return trifac::detail::lasting_text(what);
}

/// Converts exceptions of the device layer to a status.
template <class Body>
status guarded(Body body) {
  try {
    return body();
  } catch (const device_error& e) {
    const bool memory = e.fault() == device_fault::out_of_memory;
    return status::failure(memory ? status_kind::out_of_memory : status_kind::backend_failure,
                           lasting_text_of(e));
  } catch (const backend_error& e) {
    return status::failure(status_kind::backend_failure, lasting_text_of(e));
  }
}

/// Runs a call on device memory that throws, and returns the status that belongs to its exception:
/// the body of its try_ form.
template <class Call>
status status_of_call(const Call& call) noexcept {
  return trifac::detail::without_exceptions([&] {
    return guarded([&]() -> status {
      try {
        call();
        return {};
      } catch (const argument_error& e) {
        return e.reason();
      } catch (const numerical_error& e) {
        return e.reason();
      }
    });
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
