#pragma once
// A folder that only this user can write, held open: reads use the checked folder even if its path
// changes. Not available on systems without POSIX.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/engine/base/config.hpp"

#if defined(__unix__) || defined(__APPLE__)
  #include <dirent.h>
  #include <fcntl.h>
  #include <sys/stat.h>
  #include <unistd.h>

  #include <cerrno>
  #define TRIFAC_HAS_PRIVATE_FOLDERS 1
#else
  #define TRIFAC_HAS_PRIVATE_FOLDERS 0
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

#if TRIFAC_HAS_PRIVATE_FOLDERS
/// An open descriptor, closed by the destructor; −1 if opening failed.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  int get() const { return number_; }
  /// False if written data may be lost.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

  /// Stats the file; true if it belongs to this user and nobody else may write to it.
  bool is_ours(struct stat& s) const {
    return number_ >= 0 && ::fstat(number_, &s) == 0 && s.st_uid == ::geteuid() &&
           (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

 private:
  int number_;
};
#endif

/// A directory entry of a file.
struct folder_entry {
  std::string name;
  std::size_t bytes = 0;
  std::int64_t seconds = 0;      ///< last modification, since 1970
  std::int64_t nanoseconds = 0;  ///< fraction of that second
};

/// Names are file names in the folder, without a slash. Failures return an empty result or false;
/// only std::bad_alloc is thrown.
class private_folder {
 public:
#if TRIFAC_HAS_PRIVATE_FOLDERS

  /// The folder, if it exists, is not a link, belongs to this user and nobody else may write in it.
  static std::optional<private_folder> open(const std::filesystem::path& path) {
    const std::string name = without_slash(path);
    if (name.empty()) return {};
    descriptor opened(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat s;
    if (!opened.is_ours(s) || !S_ISDIR(s.st_mode)) return {};
    return private_folder(std::move(opened));
  }

  /// The same; creates a missing folder and its parents for this user alone.
  static std::optional<private_folder> make(const std::filesystem::path& path) {
    const std::string name = without_slash(path);
    if (name.empty() || !make_folders(name)) return {};
    return open(path);
  }

  /// The content of a regular file, not a link, of at most `most` bytes that belongs to this user
  /// and nobody else may write to.
  std::optional<std::string> read(const std::string& name, std::size_t most) const {
    // Opening a pipe must not block.
    const descriptor file(
        ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat s;
    if (!file.is_ours(s) || !S_ISREG(s.st_mode)) return {};
    if (s.st_size < 0 || static_cast<std::size_t>(s.st_size) > most) return {};
    std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t got = ::read(file.get(), bytes.data() + at, bytes.size() - at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      at += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  /// Creates a file with these bytes that only its owner may read and write; false if the name
  /// exists, or if not all bytes could be written (the file is then removed).
  bool create(const std::string& name, std::string_view bytes) const {
    descriptor file(::openat(folder_.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) return false;
    bool good = ::fchmod(file.get(), 0600) == 0;  // regardless of the umask
    while (good && !bytes.empty()) {
      const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      good = put > 0;
      if (good) bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    good = file.close() && good;
    if (!good) remove(name);
    return good;
  }

  bool rename(const std::string& from, const std::string& to) const {
    return ::renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()) == 0;
  }
  void remove(const std::string& name) const {
    ::unlinkat(folder_.get(), name.c_str(), 0);
  }

  /// The regular files in the folder.
  std::vector<folder_entry> files() const {
    std::vector<folder_entry> list;
    const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = again < 0 ? nullptr : ::fdopendir(again);
    if (entries == nullptr) {
      if (again >= 0) ::close(again);
      return list;
    }
    const reader closing{entries};
    while (const dirent* const entry = ::readdir(entries)) {
      struct stat s;
      if (::fstatat(folder_.get(), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (!S_ISREG(s.st_mode)) continue;
  #if defined(__APPLE__)
      const timespec changed = s.st_mtimespec;
  #else
      const timespec changed = s.st_mtim;
  #endif
      list.push_back({entry->d_name, static_cast<std::size_t>(s.st_size),
                      static_cast<std::int64_t>(changed.tv_sec),
                      static_cast<std::int64_t>(changed.tv_nsec)});
    }
    return list;
  }

 private:
  explicit private_folder(descriptor folder) : folder_(std::move(folder)) {}

  struct reader {
    DIR* entries;
    ~reader() { ::closedir(entries); }
  };

  // O_NOFOLLOW checks the last component of a path, which in "link/" and "link/." is past the link.
  static std::string without_slash(const std::filesystem::path& path) {
    std::string name = path.string();
    while (name.size() > 1 && (name.back() == '/' || name.ends_with("/."))) name.pop_back();
    return name.ends_with("/..") || name == ".." ? std::string() : name;
  }

  static bool make_folders(const std::string& name) {
    if (::mkdir(name.c_str(), 0700) == 0 || errno == EEXIST) return true;
    if (errno != ENOENT) return false;
    const std::string above = without_slash(std::filesystem::path(name).parent_path());
    return !above.empty() && above != name && make_folders(above) &&
           (::mkdir(name.c_str(), 0700) == 0 || errno == EEXIST);
  }

  descriptor folder_;

#else  // without owners and modes to check, nothing on disk can be trusted

  static std::optional<private_folder> open(const std::filesystem::path&) {
    return {};
  }
  static std::optional<private_folder> make(const std::filesystem::path&) {
    return {};
  }
  std::optional<std::string> read(const std::string&, std::size_t) const {
    return {};
  }
  bool create(const std::string&, std::string_view) const {
    return false;
  }
  bool rename(const std::string&, const std::string&) const {
    return false;
  }
  void remove(const std::string&) const {}
  std::vector<folder_entry> files() const {
    return {};
  }

#endif
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
