#pragma once
// Compiled device programs on disk: a private folder with one file for each program. What cannot be
// trusted word by word is not there: a file counts only if it repeats the whole key and its sum is
// right.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include "trifac/detail/config.hpp"

#if __has_include(<sys/stat.h>) && __has_include(<unistd.h>)
  #include <sys/stat.h>
  #include <unistd.h>
  #define TRIFAC_HAS_PRIVATE_FOLDERS 1
#else
  #define TRIFAC_HAS_PRIVATE_FOLDERS 0
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A folder of files, each with one key and the bytes that belong to it. Nothing here throws: a
/// folder that is missing, unwritable, shared or full of junk behaves like an empty one.
class program_cache {
 public:
  /// The folder of TRIFAC_CACHE_DIR, else trifac in XDG_CACHE_HOME or ~/.cache. TRIFAC_CACHE_DIR
  /// set to nothing turns the cache off.
  static program_cache standard() noexcept {
    try {
      if (const char* own = std::getenv("TRIFAC_CACHE_DIR")) return program_cache(own);
      if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
        return program_cache(std::filesystem::path(xdg) / "trifac");
      if (const char* home = std::getenv("HOME"); home && *home)
        return program_cache(std::filesystem::path(home) / ".cache" / "trifac");
    } catch (...) {
    }
    return program_cache({});
  }
  explicit program_cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The bytes stored under this key, or nothing.
  std::optional<std::string> load(const std::string& key) const noexcept {
    try {
      if (!is_private(folder_)) return {};
      const auto path = folder_ / file_name(key);
      std::error_code failed;
      const auto size = std::filesystem::file_size(path, failed);
      if (failed || size > largest_file || !is_own_file(path)) return {};
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      return payload_of(text, key);
    } catch (...) {
      return {};
    }
  }

  /// Stores the bytes under this key; readers see the old file or the whole new one. Failing is no
  /// error: the next process will compile again.
  void store(const std::string& key, std::string_view payload) const noexcept {
    try {
      if (folder_.empty() || !make_private(folder_)) return;
      const auto path = folder_ / file_name(key);
      auto temporary = path;
      temporary += '.' + std::to_string(std::random_device{}()) + ".new";
      {
        std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
        file << header << key.size() << ' ' << payload.size() << ' ' << sum(key, payload) << '\n'
             << key << payload;
        file.close();
        if (!file) return remove(temporary);
      }
      std::error_code failed;
      std::filesystem::rename(temporary, path, failed);
      if (failed) remove(temporary);
    } catch (...) {
    }
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  static constexpr std::string_view header = "trifac program 1\n";
  static constexpr std::uintmax_t largest_file = std::uintmax_t(1) << 28;

  // FNV-1a, 64 bits: names files and finds damage; the whole key is compared, so that no collision
  // can hand out a foreign program.
  static std::uint64_t sum(std::string_view a, std::string_view b = {}) {
    std::uint64_t h = 14695981039346656037u;
    for (std::string_view part : {a, b})
      for (char c : part) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
  }
  static std::string file_name(const std::string& key) {
    return std::to_string(sum(key)) + ".program";
  }

  // A decimal number and the character behind it, taken from the front of the text.
  static std::optional<std::uint64_t> take_number(std::string_view& text, char end) {
    std::uint64_t value = 0;
    std::size_t i = 0;
    while (i < text.size() && i < 20 && text[i] >= '0' && text[i] <= '9')
      value = value * 10 + static_cast<std::uint64_t>(text[i++] - '0');
    if (i == 0 || i == text.size() || text[i] != end) return {};
    text.remove_prefix(i + 1);
    return value;
  }
  static std::optional<std::string> payload_of(std::string_view text, const std::string& key) {
    if (!text.starts_with(header)) return {};
    text.remove_prefix(header.size());
    const auto key_size = take_number(text, ' ');
    const auto size = take_number(text, ' ');
    const auto expected = take_number(text, '\n');
    if (!key_size || !size || !expected || *key_size != key.size()) return {};
    if (text.size() < key.size() || text.size() - key.size() != *size) return {};
    const auto payload = text.substr(key.size());
    if (text.substr(0, key.size()) != key || sum(key, payload) != *expected) return {};
    return std::string(payload);
  }

  static void remove(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

#if TRIFAC_HAS_PRIVATE_FOLDERS
  // A program in a folder where others may write is a program that others may have written.
  static bool is_private(const std::filesystem::path& folder) {
    struct stat s;
    return !folder.empty() && ::lstat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) &&
           s.st_uid == ::geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }
  static bool is_own_file(const std::filesystem::path& path) {
    struct stat s;
    return ::lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == ::geteuid();
  }
#else
  // Without owners and modes to look at, nothing on disk can be trusted.
  static bool is_private(const std::filesystem::path&) {
    return false;
  }
  static bool is_own_file(const std::filesystem::path&) {
    return false;
  }
#endif
  static bool make_private(const std::filesystem::path& folder) {
    std::error_code failed;
    if (std::filesystem::create_directories(folder, failed))
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
    return is_private(folder);
  }

  std::filesystem::path folder_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
