#pragma once
// The data of tasks: StarPU handles of block columns and bytes, and a task's views of them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "trifac/engine/starpu/library.hpp"
#include "trifac/engine/starpu/session.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Memory that tasks access. The destructor waits for the tasks and returns the memory to the
/// program.
class handle {
 public:
  handle(handle&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  handle& operator=(handle&&) = delete;
  ~handle() {
    if (data_ && !session::lost()) starpu_data_unregister(data_);
  }

  static handle bytes(void* memory, std::size_t count) {
    handle h;
    starpu_vector_data_register(&h.data_, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(memory),
                                static_cast<std::uint32_t>(count), 1);
    return h;
  }
  /// A matrix with contiguous rows or columns; the leading dimension is the other stride.
  template <class T>
  static handle matrix(const matrix_view<T>& A) {
    const matrix_view<T> M = A.row_stride() == 1 ? A : A.transposed();
    handle h;
    starpu_matrix_data_register(
        &h.data_, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(M.data()),
        static_cast<std::uint32_t>(M.col_stride()), static_cast<std::uint32_t>(M.rows()),
        static_cast<std::uint32_t>(M.cols()), sizeof(T));
    return h;
  }
  /// rows × cols elements, allocated by StarPU when a task first writes them.
  template <class T>
  static handle scratch(index_t rows, index_t cols) {
    handle h;
    starpu_matrix_data_register(&h.data_, -1, 0, static_cast<std::uint32_t>(rows),
                                static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols),
                                sizeof(T));
    return h;
  }
  /// StarPU's sizes have 32 bits.
  static bool fits(std::size_t bytes) { return bytes <= std::numeric_limits<std::uint32_t>::max(); }
  template <class T>
  static bool fits(const matrix_view<T>& A) {
    const index_t most = std::numeric_limits<std::uint32_t>::max();
    const auto rows_fit = [&](const matrix_view<T>& M) {
      return M.row_stride() == 1 && M.col_stride() >= M.rows() && M.col_stride() <= most &&
             M.cols() <= most;
    };
    return rows_fit(A) || rows_fit(A.transposed());
  }

  starpu_data_handle_t get() const { return data_; }

 private:
  handle() = default;
  starpu_data_handle_t data_ = nullptr;
};

/// A task's view of a matrix; `along_rows`: row-major.
template <class T>
matrix_view<T> matrix_of(void* buffer, bool along_rows) {
  const matrix_view<T> M(reinterpret_cast<T*>(STARPU_MATRIX_GET_PTR(buffer)),
                         static_cast<index_t>(STARPU_MATRIX_GET_NX(buffer)),
                         static_cast<index_t>(STARPU_MATRIX_GET_NY(buffer)),
                         static_cast<index_t>(STARPU_MATRIX_GET_LD(buffer)));
  return along_rows ? M.transposed() : M;
}
inline std::byte* bytes_of(void* buffer) {
  return reinterpret_cast<std::byte*>(STARPU_VECTOR_GET_PTR(buffer));
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
