#pragma once
// The cuSOLVER backend: potrf, potrs, getrf, getrs of NVIDIA's library through its 64-bit
// interface, as a reference and as another backend. Link with trifac::cusolver (CMake) or
// -lcusolver -lcudart.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/library_factor.hpp"
#include "trifac/engine/cuda/cusolver_session.hpp"
#include "trifac/engine/device/host_matrix.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Whole factorizations by cuSOLVER, for float, double and complex of both. Host matrices are
/// copied to the device and back; times() lists these copies separately. Copies of the backend
/// share handles, stream and workspace; calls from several threads are serialized.
class cusolver {
 public:
  static constexpr std::string_view name = "cusolver";

  /// Without a device: available() is false.
  cusolver() = default;
  /// The first device, and the device with this index; neither throws.
  static cusolver first() noexcept { return at(0); }
  static cusolver at(int index) noexcept {
    cusolver made;
    try {
      const int count = device::count_cuda_devices();
      if (index < 0 || index >= count)
        throw backend_error("CUDA: there is no device " + std::to_string(index));
      made.session_ = std::make_shared<device::cusolver_session>(index);
    } catch (const std::exception& e) {
      made.reason_ = device::lasting_text_of(e);
    }
    return made;
  }

  availability available() const noexcept {
    return session_ ? availability{true, ""} : availability{false, reason_};
  }
  friend bool supports(const cusolver&, variant v) { return v == variant::best; }
  /// Times of the parts of the last call.
  device::device_times times() const { return session_->cuda.times(); }
  device::cusolver_session& session() const { return *session_; }

 private:
  const char* reason_ = "no CUDA device was chosen";
  std::shared_ptr<device::cusolver_session> session_;
};

namespace cusolver_calls {

/// Runs body(matrix on the device) between copies of `from` to the device and back to A, with
/// times; then returns finish(result of body).
template <class T, class Body, class Finish>
status on_device(const cusolver& on, matrix_view<T> A, device::extent_of_use use, Body body,
                 Finish finish, matrix_view<const T> from) {
  device::cusolver_session& s = on.session();
  const std::scoped_lock lock(s.mutex);
  return device::guarded([&] {
    device::device_times times;
    device::part_watch watch;
    device::host_matrix<device::cuda_runtime, T> on_gpu(s.cuda, A, use, from);
    times.copy_in = watch.lap();
    const index_t info = body(s, on_gpu.view());
    times.run = watch.lap();
    on_gpu.copy_back();
    times.copy_out = watch.lap();
    s.cuda.set_times(times);
    return finish(info);
  });
}
template <class T, class Body, class Finish>
status on_device(const cusolver& on, matrix_view<T> A, device::extent_of_use use, Body body,
                 Finish finish) {
  return on_device(on, A, use, body, finish, matrix_view<const T>(A));
}

inline std::uint64_t bytes_of(std::size_t count) {
  return count * sizeof(index_t);
}

}  // namespace cusolver_calls

/// Lower triangle of L with A = L·Lᴴ; reads the lower triangle of A. LAPACK: potrf.
template <LapackScalar T>
status potrf(const cusolver& on, matrix_view<const T> A, matrix_view<T> L) {
  if (L.empty()) return {};
  real_t<T> pivot{};  // of the failed column, less the squares of its row of L
  return cusolver_calls::on_device(
      on, L, device::extent_of_use::lower_triangle,
      [&](auto& s, const auto& on_gpu) {
        const index_t info = s.potrf(on_gpu);
        if (info > 0) pivot = detail::real_part(A(info - 1, info - 1));  // L may be A
        return info;
      },
      [&](index_t info) {
        // cuSOLVER leaves the root of a negative pivot, NaN, on the diagonal.
        const index_t k = info - 1;
        for (index_t j = 0; j < k; ++j) pivot -= detail::squared_abs(L(k, j));
        if (info > 0 && detail::is_finite(pivot))
          return status::at(status_kind::not_positive_definite, k);
        return detail::status_of_factor(L, info, status_kind::not_positive_definite);
      },
      A);
}

/// B := op(A)⁻¹·B with the factor in the lower triangle of A. LAPACK: potrs.
template <LapackScalar T>
status potrs(const cusolver& on, matrix_view<const T> A, operation op, matrix_view<T> B) {
  if (A.empty() || B.empty()) return {};
  // For a Hermitian matrix, Aᵀ = conj(A).
  const bool conjugated = is_complex<T> && op == operation::transpose;
  if (conjugated) detail::conjugate_in_place(B);
  const status outcome = detail::without_exceptions([&] {
    return cusolver_calls::on_device(
        on, B, device::extent_of_use::all,
        [&](auto& s, const auto& on_gpu) {
          const device::host_matrix<device::cuda_runtime, T> factor(
              s.cuda, device::writable(A), device::extent_of_use::lower_triangle);
          s.potrs(factor.view(), on_gpu);
          return index_t(0);
        },
        [](index_t) { return status{}; });
  });
  if (conjugated) detail::conjugate_in_place(B);
  return outcome;
}

/// P·A = L·U; A: m×n, min(m, n) interchanges. LAPACK: getrf.
template <LapackScalar T>
status getrf(const cusolver& on, matrix_view<T> A, std::span<index_t> interchanges) {
  if (A.empty()) return {};
  return cusolver_calls::on_device(
      on, A, device::extent_of_use::all,
      [&](auto& s, const auto& on_gpu) {
        const auto bytes = cusolver_calls::bytes_of(interchanges.size());
        const auto rows = s.cuda.borrow(bytes);
        const index_t info = s.getrf(on_gpu, static_cast<index_t*>(rows.get()));
        s.cuda.runtime.read(rows.get(), 0, interchanges.data(), bytes);
        return info;
      },
      [&](index_t info) {
        // 1-based rows, arbitrary if the matrix contains NaN.
        for (std::size_t k = 0; k < interchanges.size(); ++k)
          interchanges[k] =
              std::clamp<index_t>(interchanges[k] - 1, static_cast<index_t>(k), A.rows() - 1);
        return detail::status_of_factor(A, info, status_kind::singular);
      });
}

/// B := op(A)⁻¹·B with A = Pᵀ·L·U. LAPACK: getrs.
template <LapackScalar T>
status getrs(const cusolver& on, matrix_view<const T> A, std::span<const index_t> interchanges,
             operation op, matrix_view<T> B) {
  if (A.empty() || B.empty()) return {};
  return cusolver_calls::on_device(
      on, B, device::extent_of_use::all,
      [&](auto& s, const auto& on_gpu) {
        const device::host_matrix<device::cuda_runtime, T> factor(s.cuda, device::writable(A),
                                                                  device::extent_of_use::all);
        std::vector<index_t> from_one(interchanges.begin(), interchanges.end());
        for (index_t& row : from_one) ++row;
        const auto bytes = cusolver_calls::bytes_of(from_one.size());
        const auto rows = s.cuda.borrow(bytes);
        s.cuda.runtime.write(rows.get(), 0, from_one.data(), bytes);
        s.getrs(factor.view(), static_cast<const index_t*>(rows.get()), op, on_gpu);
        return index_t(0);
      },
      [](index_t) { return status{}; });
}

/// cuSOLVER runs no nests: other scalar types are rejected here.
template <class Nest>
void run(const cusolver&, status&, double, Nest) {
  static_assert(
      sizeof(Nest) == 0,
      "backend::cusolver is for float, double and complex of both: other scalar types run "
      "on serial, threads and openmp");
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
