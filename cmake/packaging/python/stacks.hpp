#pragma once
// NumPy's arrays as batches: which type a call computes in, the view of an array, and how each
// matrix ended. linalg.py has made all arrays of a call one type, native and aligned.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"

namespace trifac::python {

namespace nb = nanobind;

/// A vector, a matrix, or a stack of matrices (batch, rows, cols); written, or only read.
using stack = nb::ndarray<nb::device::cpu>;
using const_stack = nb::ndarray<nb::ro, nb::device::cpu>;
/// Numbers for each matrix, in C order: results of the type of the call, LAPACK's info.
using numbers = nb::ndarray<nb::c_contig, nb::device::cpu>;
using int32s = nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu>;
using const_int32s = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using index_array = nb::ndarray<std::int64_t, nb::c_contig, nb::device::cpu>;

/// f(T()) with the scalar type T that `type` names.
template <class F>
auto with_type(nb::dlpack::dtype type, F f) {
  if (type == nb::dtype<double>()) return f(double());
  if (type == nb::dtype<float>()) return f(float());
  if (type == nb::dtype<std::complex<double>>()) return f(std::complex<double>());
  if (type == nb::dtype<std::complex<float>>()) return f(std::complex<float>());
  throw nb::type_error("not an array of float32, float64, complex64 or complex128");
}

/// The matrices of an array; a vector is one column.
template <class T, class Array>
auto matrices(const Array& a) {
  using Element = std::remove_pointer_t<decltype(a.data())>;
  using E = std::conditional_t<std::is_const_v<Element>, const T, T>;
  if (a.dtype() != nb::dtype<T>()) throw nb::type_error("arrays of different types");
  const std::size_t d = a.ndim();
  if (d < 1 || d > 3) throw nb::type_error("not a vector, a matrix or a stack");
  const auto extent = [&](std::size_t i) { return static_cast<index_t>(a.shape(i)); };
  const auto data = static_cast<E*>(a.data());
  if (d == 1) return strided(data, 1, extent(0), 1);
  return batch_view<E>(data, d == 3 ? extent(0) : 1, extent(d - 2), extent(d - 1),
                       {.chunk_stride = d == 3 ? static_cast<index_t>(a.stride(0)) : 0,
                        .row_stride = static_cast<index_t>(a.stride(d - 2)),
                        .col_stride = static_cast<index_t>(a.stride(d - 1))});
}

/// One number of type R for each matrix of a batch.
template <class R>
std::span<R> values(const numbers& a, index_t count) {
  if (a.dtype() != nb::dtype<R>() || static_cast<index_t>(a.size()) != count)
    throw std::invalid_argument("not a number of the right type for each matrix");
  return {static_cast<R*>(a.data()), a.size()};
}

/// Throws where the call itself failed: ValueError, MemoryError.
inline void require(const status& s) {
  if (!s.of_the_matrix()) detail::throw_status(s);
}

/// A matrix that failed, and its info; none where all succeeded.
using failure = std::optional<std::pair<index_t, std::int32_t>>;

/// info of each matrix, in the caller's array or in memory of its own.
class outcomes {
 public:
  outcomes(const std::optional<int32s>& given, index_t count)
      : own_(given ? 0 : static_cast<std::size_t>(count)),
        info_(given ? std::span(given->data(), given->size()) : std::span(own_)) {
    if (static_cast<index_t>(info_.size()) != count)
      throw std::invalid_argument("info must have a number for each matrix");
  }

  std::span<std::int32_t> info() const { return info_; }
  std::int32_t& operator[](index_t b) const { return info_[static_cast<std::size_t>(b)]; }
  void set(index_t b, const status& s) const {
    require(s);
    (*this)[b] = detail::info_of(s);
  }

  /// The first matrix that is singular or not positive definite, else the first that is not finite.
  failure first() const {
    failure found;
    for (std::size_t b = 0; b < info_.size(); ++b)
      if (info_[b] > 0 || (info_[b] < 0 && !found)) {
        found = {static_cast<index_t>(b), info_[b]};
        if (info_[b] > 0) break;
      }
    return found;
  }

  /// X of a failed matrix := NaN, where one matrix may serve all of X. Returns first().
  template <class T>
  failure mark_failed(const batch_view<T>& X) const {
    const failure found = first();
    for (index_t b = 0; found && b < X.batch(); ++b) {
      if ((*this)[info_.size() == 1 ? 0 : b] == 0) continue;
      for (index_t i = 0; i < X.rows(); ++i)
        for (index_t j = 0; j < X.cols(); ++j)
          X(b, i, j) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
    }
    return found;
  }

 private:
  std::vector<std::int32_t> own_;
  std::span<std::int32_t> info_;
};

/// info[b] := how one(b) ended, for calls without a form for batches. The matrices are shared among
/// threads; a single one has all of them.
template <class T, class One>
void for_each_matrix(const backend::threads& on, const outcomes& ends, index_t n, double flops,
                     One one) {
  if (ends.info().size() == 1) return ends.set(0, one(0));
  std::mutex lock;
  status of_call;
  require(detail::run_each<T>(on, ends.info(), n, flops, [&](index_t b) {
    const status s = one(b);
    if (!s.of_the_matrix()) {
      const std::lock_guard held(lock);
      of_call = s;
    }
    return s;
  }));
  require(of_call);
  for (const std::int32_t info : ends.info())
    if (info == detail::no_memory) throw std::bad_alloc();
}

/// LAPACK's letters: 'L' or 'U'; 'N', 'T' or 'C'.
inline triangle part_of(char uplo) {
  return uplo == 'L' ? triangle::lower : triangle::upper;
}
inline operation operation_of(char trans) {
  return trans == 'N' ? operation::none : trans == 'T' ? operation::transpose : operation::adjoint;
}

/// Interchanges of LAPACK's form, counted from 0, of matrices of `steps` rows.
class interchanges {
 public:
  interchanges(const const_int32s& piv, index_t batch, index_t steps)
      : piv_(piv.data()), batch_(batch), steps_(steps) {
    if (static_cast<index_t>(piv.size()) != batch * steps)
      throw std::invalid_argument("piv must have a number for each row of each matrix");
    for (index_t b = 0; b < batch; ++b)
      for (index_t k = 0; k < steps; ++k)
        if (const index_t row = piv_[b * steps + k]; row < k || row >= steps)
          throw std::invalid_argument("piv has a row that the matrix has not, or that is done");
  }

  pivots operator[](index_t b) const {
    pivots p(steps_);
    for (index_t k = 0; k < steps_; ++k) p[k] = piv_[b * steps_ + k];
    return p;
  }
  /// In the order of a batch_lu_factor.
  detail::int32_buffer of_batch() const {
    detail::int32_buffer all({}, batch_interchanges_size(batch_, steps_, steps_));
    for (index_t b = 0; b < batch_; ++b)
      for (index_t k = 0; k < steps_; ++k)
        simd::lane_pivots{all.span().data(), steps_}.at(b)[simd::most_lanes * k] =
            piv_[b * steps_ + k];
    detail::clear_absent_lanes(all.span(), batch_, steps_);
    return all;
  }

 private:
  const std::int32_t* piv_;
  index_t batch_, steps_;
};

/// The outcome of matrices that were factored before.
inline batch_outcome all_factored(index_t batch) {
  return {{}, detail::int32_buffer({}, batch), status_kind::singular};
}

}  // namespace trifac::python
