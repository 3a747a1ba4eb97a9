#pragma once
// The buffers of a call, allocated before its processes agree. Local factorizations and products
// allocate their own workspace: if that fails, the call ends with out_of_memory on every process.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Uninitialized elements; get() is null if the allocation failed.
template <class T>
class buffer {
 public:
  buffer() = default;
  explicit buffer(index_t count)
      : bytes_(new (std::nothrow) std::byte[detail::as_size(count + 1) * sizeof(T)]) {}
  T* get() const { return reinterpret_cast<T*>(bytes_.get()); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

/// Number of elements of type T that hold `bytes` bytes.
template <class T>
constexpr index_t elements_for(std::size_t bytes) {
  return static_cast<index_t>((bytes + sizeof(T) - 1) / sizeof(T));
}

/// Resizes to one interchange per local row; false if memory runs out.
inline bool make_room(std::vector<index_t>& interchanges, index_t rows) {
  return detail::without_exceptions([&] {
           interchanges.resize(detail::as_size(rows));
           return status();
         })
      .ok();
}

/// Copies a number of `size` bytes to position `at`, in units of `size`, of a message; unpack is
/// the reverse.
inline void pack(void* message, const void* from, std::size_t size, index_t at = 0) {
  std::memcpy(static_cast<std::byte*>(message) + detail::as_size(at) * size, from, size);
}
inline void unpack(void* to, const void* message, std::size_t size, index_t at = 0) {
  std::memcpy(to, static_cast<const std::byte*>(message) + detail::as_size(at) * size, size);
}

/// to := from, of the same size.
template <class T>
void copy(const trifac::matrix_view<const T>& from, const trifac::matrix_view<T>& to) {
  const bool along_rows = from.runs_along_rows() || to.runs_along_rows();
  const auto source = along_rows ? from.transposed() : from;
  const auto target = along_rows ? to.transposed() : to;
  for (index_t j = 0; j < source.cols(); ++j)
    for (index_t i = 0; i < source.rows(); ++i) target(i, j) = source(i, j);
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
