#pragma once
// map_npy(): a .npy file as a matrix in place, by mmap. Nothing is read before it is used, and
// pages that several programs map are in memory once.

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/npy_head.hpp"
#include "trifac/engine/views/matrix_like.hpp"
#include "trifac/io/error.hpp"
#include "trifac/matrix_view.hpp"

#if defined(__unix__) || defined(__APPLE__)
  #define TRIFAC_IO_HAS_MMAP 1
  #include <fcntl.h>
  #include <sys/mman.h>
  #include <unistd.h>
#else
  #define TRIFAC_IO_HAS_MMAP 0
#endif

namespace trifac::io {
inline namespace TRIFAC_ABI {

namespace detail {

/// Fails where the elements of a file are not those of a T in memory.
template <class T>
void check_mapped(const npy_head& head, std::string_view name) {
  const auto fail = [&](const std::string& what) {
    throw type_error(read_error::at_byte(name, static_cast<index_t>(head.start), what));
  };
  constexpr char kind = is_complex<T> ? 'c' : 'f';
  if (head.kind != kind || head.bytes != index_t{sizeof(T)})
    fail("the file holds elements of type " + std::string(1, head.kind) +
         std::to_string(head.bytes) + ", which cannot be mapped as " + std::string(1, kind) +
         std::to_string(sizeof(T)));
  if (head.swapped) fail("the file's byte order is not this machine's");
  if (head.start % alignof(T) != 0) fail("the elements are not aligned");
}

}  // namespace detail

/// Result of map_npy(), a MatrixLike: owns the mapping, with which its views end. Can be moved, not
/// copied; then it is empty.
template <class T>
class mapped_matrix {
 public:
  using value_type = std::remove_const_t<T>;

  mapped_matrix() = default;
  mapped_matrix(mapped_matrix&& other) noexcept { swap(other); }
  mapped_matrix& operator=(mapped_matrix other) noexcept {
    swap(other);
    return *this;
  }
  ~mapped_matrix() {
#if TRIFAC_IO_HAS_MMAP
    if (start_ != nullptr) ::munmap(start_, length_);
#endif
  }

  index_t rows() const {
    return view_.rows();
  }
  index_t cols() const {
    return view_.cols();
  }
  /// Column-major if the file is in Fortran order, else row-major.
  matrix_view<T> view() & {
    return view_;
  }
  matrix_view<const T> view() const& {
    return view_;
  }
  void view() const&& = delete;

 private:
  template <class U>
  friend mapped_matrix<U> map_npy(const std::filesystem::path&);

  void swap(mapped_matrix& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(length_, other.length_);
    std::swap(view_, other.view_);
  }

  /// The first `length` bytes of a file, private to this process.
  void map(const std::filesystem::path& path, [[maybe_unused]] std::size_t length) {
    const auto fail = [&](const std::string& what) {
      throw read_error::whole(path.string(), "cannot be mapped: " + what);
    };
#if TRIFAC_IO_HAS_MMAP
    constexpr int access = std::is_const_v<T> ? PROT_READ : PROT_READ | PROT_WRITE;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(detail::system_message(errno));
    void* const start = ::mmap(nullptr, length, access, MAP_PRIVATE, file, 0);
    const int code = errno;
    ::close(file);
    if (start == MAP_FAILED) fail(detail::system_message(code));
    start_ = start;
    length_ = length;
#else
    fail("this system has no mmap; read_npy reads it");
#endif
  }

  void* start_ = nullptr;
  std::size_t length_ = 0;
  matrix_view<T> view_;
};

/// The matrix in a .npy file as it lies there. T = const double, const float, const
/// std::complex<…>: for reading. T without const: copy on write; what is written, such as a factor,
/// is this mapping's alone, and the file stays as it is. A one-dimensional array is a column.
/// Throws read_error; type_error unless T, its alignment and this machine's byte order are those of
/// the file. On systems without mmap always read_error: read_npy reads the file. If the file is
/// shortened later, an access ends the program (SIGBUS). LapackScalar T only.
template <class T>
[[nodiscard]] mapped_matrix<T> map_npy(const std::filesystem::path& path) {
  using value_type = std::remove_const_t<T>;
  static_assert(LapackScalar<value_type>,
                "T: float, double or complex of these, const for reading only");
  const std::string name = path.string();
  const std::size_t length = detail::length_of(path);
  const detail::npy_head head = detail::npy_stream(path).head;
  if (length == detail::unknown_length)
    throw read_error::whole(name, "cannot be mapped: is no regular file");
  detail::check_mapped<value_type>(head, name);
  const matrix_file& about = head.about;
  detail::check_extents(about,
                        [&](const std::string& what) { throw read_error::whole(name, what); });
  mapped_matrix<T> result;
  T* data = nullptr;
  if (about.entries > 0) {
    result.map(path, length);
    data = reinterpret_cast<T*>(static_cast<std::byte*>(result.start_) + head.start);
  }
  result.view_ = head.by_rows ? row_major<T>(data, about.rows, about.cols)
                              : column_major<T>(data, about.rows, about.cols);
  return result;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io

namespace trifac {

template <class T>
struct view_traits<io::mapped_matrix<T>> {
  static constexpr bool owns = true;
  static matrix_view<T> view(io::mapped_matrix<T>& A) { return A.view(); }
  static matrix_view<const T> view(const io::mapped_matrix<T>& A) { return A.view(); }
};

}  // namespace trifac
