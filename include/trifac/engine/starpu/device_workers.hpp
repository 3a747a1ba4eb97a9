#pragma once
// The functions of tasks on device workers, shared by OpenCL and CUDA.

#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/device/cholesky_executor.hpp"
#include "trifac/engine/device/lu.hpp"
#include "trifac/engine/device/lu_executor.hpp"
#include "trifac/engine/device/panel_cholesky.hpp"
#include "trifac/engine/starpu/task.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Uses the device's kernels with StarPU's queue or stream and memory. Each function returns when
/// the device has finished; false if the device failed. `Side` describes one runtime:
///
///   name                        of the backend::starpu with such workers
///   policy                      its backend
///   type, where, function_of    StarPU's names for its workers
///   missing                     the error if there are none
///   place, place_here()         a worker's device, its queue or stream, as a key
///   open(place)                 the backend there
///   memory_of(buffer)           the matrix's memory, and the offset in it in bytes
template <class Side>
struct device_workers : Side {
  static constexpr bool any = true;
  using policy = typename Side::policy;
  using runtime = typename policy::runtime;

  static std::vector<int> workers() {
    std::vector<int> ids(static_cast<std::size_t>(starpu_worker_get_count_by_type(Side::type)));
    starpu_worker_get_ids_by_type(Side::type, ids.data(), static_cast<unsigned>(ids.size()));
    return ids;
  }

  /// Factors a block column from row `first` on with the device nests: L\U in place. The
  /// interchanges are relative to that row; `found` is the status. False if the device failed.
  template <class T>
  static bool factor_lu(void* buffer, bool along_rows, index_t first, lu_options options,
                        std::span<index_t> interchanges, status& found) {
    return on_device([&](const policy& backend) {
      const auto A = rows_from(matrix_on_device<T>(buffer, along_rows), first);
      options.block = A.cols();
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(), A.cols());
      device::run_lu<variant::packed>(on, backend.session(), A, interchanges, options);
      found = on.finish();
      on.interchanges().read(interchanges);
    });
  }
  /// Applies interchanges from number `from` on to the rows of a block column.
  template <class T>
  static bool interchange(void* buffer, bool along_rows, std::span<const index_t> interchanges,
                          index_t from) {
    return on_device([&](const policy& backend) {
      const auto steps = static_cast<index_t>(interchanges.size());
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(), steps);
      on.interchanges().write(interchanges);
      on.swap_rows(matrix_on_device<T>(buffer, along_rows), from, steps, {});
      backend.session().runtime.finish();
    });
  }
  /// The lower part of a block column from its diagonal on := [L11; L21].
  template <class T>
  static bool factor_cholesky(void* buffer, bool along_rows, status& found) {
    return on_device([&](const policy& backend) {
      const auto A = matrix_on_device<T>(buffer, along_rows);
      device::cholesky_executor<runtime, T> on(backend.session(), backend.settings());
      factor_columns(on, A, 0);
      found = on.finish();
    });
  }

  /// For rows from `first` on of the panel L and a block column C: C := P·C, C1 := L11⁻¹·C1, C2 −=
  /// L21·C1. The interchanges are the panel's, relative to the matrix. False if the device failed.
  template <class T>
  static bool eliminate(void* L_buffer, void* C_buffer, bool along_rows, index_t first,
                        std::span<const index_t> interchanges) {
    const auto w = static_cast<index_t>(interchanges.size());
    return on_device([&](const policy& backend) {
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(), w);
      const auto L = rows_from(matrix_on_device<T>(L_buffer, along_rows), first),
                 C = rows_from(matrix_on_device<T>(C_buffer, along_rows), first);
      solve_top(on, L, C, first, interchanges);
      on.update(rows_from(C, w), rows_from(L, w), C.block(0, 0, w, C.cols()));
      backend.session().runtime.finish();
    });
  }
  /// The parts of eliminate() as separate tasks. C := P·C, C1 := L11⁻¹·C1.
  template <class T>
  static bool solve(void* L_buffer, void* C_buffer, bool along_rows, index_t first,
                    std::span<const index_t> interchanges) {
    return on_device([&](const policy& backend) {
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(),
                                         static_cast<index_t>(interchanges.size()));
      solve_top(on, rows_from(matrix_on_device<T>(L_buffer, along_rows), first),
                rows_from(matrix_on_device<T>(C_buffer, along_rows), first), first, interchanges);
      backend.session().runtime.finish();
    });
  }
  /// product := −L21·C1, L11 of order w.
  template <class T>
  static bool multiply(void* L_buffer, void* C_buffer, void* product, bool along_rows,
                       index_t first, index_t w) {
    return on_device([&](const policy& backend) {
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(), 0);
      const auto L = rows_from(matrix_on_device<T>(L_buffer, along_rows), first),
                 C = rows_from(matrix_on_device<T>(C_buffer, along_rows), first);
      const auto P = matrix_on_device<T>(product, false).block(0, 0, C.rows() - w, C.cols());
      on.set_identity(P, P.rows());  // zero: the ones would be below the last row
      on.update(P, rows_from(L, w), C.block(0, 0, w, C.cols()));
      backend.session().runtime.finish();
    });
  }
  /// Rows from `first` on of C += product, which has the negative sign.
  template <class T>
  static bool subtract_product(void* product, void* C_buffer, bool along_rows, index_t first) {
    return on_device([&](const policy& backend) {
      device::lu_executor<runtime, T> on(backend.session(), backend.settings(), 0);
      const auto C = rows_from(matrix_on_device<T>(C_buffer, along_rows), first);
      on.add(matrix_on_device<T>(product, false).block(0, 0, C.rows(), C.cols()), C);
      backend.session().runtime.finish();
    });
  }
  /// C, lower, −= L2·L1ᴴ; L1 and L2: rows of the panel from `above` on, the rows of C.
  template <class T>
  static bool subtract(void* L_buffer, void* C_buffer, bool along_rows, index_t above) {
    return on_device([&](const policy& backend) {
      device::cholesky_executor<runtime, T> on(backend.session(), backend.settings());
      const auto L = rows_from(matrix_on_device<T>(L_buffer, along_rows), above),
                 C = matrix_on_device<T>(C_buffer, along_rows);
      update_columns(on, C, L);
      backend.session().runtime.finish();
    });
  }

 private:
  template <class T>
  using view = device::device_view<T, typename runtime::handle>;

  template <class T>
  static view<T> rows_from(const view<T>& A, index_t i) {
    return A.block(i, 0, A.rows() - i, A.cols());
  }
  template <class T>
  static void solve_top(device::lu_executor<runtime, T>& on, const view<T>& L, const view<T>& C,
                        index_t first, std::span<const index_t> interchanges) {
    const auto w = static_cast<index_t>(interchanges.size());
    std::vector<index_t> relative(interchanges.begin(), interchanges.end());
    for (index_t& row : relative) row -= first;
    on.interchanges().write(relative);
    on.swap_rows(C, 0, w, {});
    on.solve_lower(L.block(0, 0, w, w), C.block(0, 0, w, C.cols()), diagonal::unit);
  }
  /// The matrix on the device, with its leading dimension there.
  template <class T>
  static view<T> matrix_on_device(void* buffer, bool along_rows) {
    const auto [memory, offset] = Side::memory_of(buffer);
    const view<T> M(memory, static_cast<index_t>(offset / sizeof(T)),
                    static_cast<index_t>(STARPU_MATRIX_GET_NX(buffer)),
                    static_cast<index_t>(STARPU_MATRIX_GET_NY(buffer)), 1,
                    static_cast<index_t>(STARPU_MATRIX_GET_LD(buffer)));
    return along_rows ? M.transposed() : M;
  }

  template <class Body>
  static bool on_device(Body body) {
    try {
      body(backend_here());
      return true;
    } catch (...) {  // exceptions must not leave a task: the call ends with backend_failure
      return false;
    }
  }
  /// The backend of this worker's device; it keeps programs and scratch memory between calls while
  /// StarPU uses the same queue or stream.
  static const policy& backend_here() {
    using place = typename Side::place;
    static std::mutex guard;
    static auto& opened = *new std::map<place, policy>;  // never destroyed: drivers unload first
    const place at = Side::place_here();
    const std::lock_guard lock(guard);
    if (const auto found = opened.find(at); found != opened.end()) return found->second;
    policy made = Side::open(at);
    if (!made.available()) throw backend_error(made.available().reason);  // not cached
    return opened.emplace(at, std::move(made)).first->second;
  }
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
