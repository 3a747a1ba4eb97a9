#pragma once
// Compiled device programs on disk: a private folder with one file per program. A file is used only
// if nobody else may write to it, it contains the whole key, and its checksum is correct.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trifac/engine/device/private_folder.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A folder of files, each with one key and its bytes. Nothing throws: a folder that is missing,
/// unwritable, shared or full of invalid files behaves like an empty one.
class program_cache {
 public:
  /// Limit for all files together; the oldest are removed first.
  static constexpr std::size_t most_bytes = std::size_t{1} << 28;
  /// Seconds after which an unfinished file is considered abandoned.
  static constexpr std::int64_t longest_write = 3600;

  /// The folder of TRIFAC_CACHE_DIR, else trifac in XDG_CACHE_HOME or ~/.cache. An empty
  /// TRIFAC_CACHE_DIR disables the cache.
  static program_cache standard() noexcept {
    try {
      if (const char* folder = std::getenv("TRIFAC_CACHE_DIR")) return program_cache(folder);
      if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
        return program_cache(std::filesystem::path(xdg) / "trifac");
      if (const char* home = std::getenv("HOME"); home && *home)
        return program_cache(std::filesystem::path(home) / ".cache" / "trifac");
    } catch (...) {
    }
    return program_cache({});
  }
  explicit program_cache(std::filesystem::path folder, std::size_t most = most_bytes)
      : folder_(std::move(folder)), most_(most) {}

  /// The bytes stored under this key, or nothing.
  std::optional<std::string> load(const std::string& key) const noexcept {
    try {
      const auto folder = private_folder::open(folder_);
      if (!folder) return {};
      const auto text = folder->read(file_name(key), most_);
      return text ? payload_of(*text, key) : std::nullopt;
    } catch (...) {
      return {};
    }
  }

  /// Stores the bytes under this key, atomically for readers. Failures are ignored: the next
  /// process compiles again.
  void store(const std::string& key, std::string_view payload) const noexcept {
    try {
      std::string text = std::string(header) + std::to_string(key.size()) + ' ' +
                         std::to_string(payload.size()) + ' ' + std::to_string(sum(key, payload)) +
                         '\n' + key;
      text += payload;
      if (text.size() > most_) return;
      const auto folder = private_folder::make(folder_);
      if (!folder) return;
      make_room(*folder, text.size());
      const std::string name = file_name(key);
      const std::string temporary =
          name + '.' + std::to_string(std::random_device{}()) + std::string(unfinished);
      if (!folder->create(temporary, text)) return;
      if (!folder->rename(temporary, name)) folder->remove(temporary);
    } catch (...) {
    }
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  static constexpr std::string_view header = "trifac program 1\n";
  static constexpr std::string_view finished = ".program", unfinished = ".new";

  // FNV-1a, 64 bits: names files and detects damage. The whole key is compared, so a collision
  // cannot return a wrong program.
  static std::uint64_t sum(std::string_view a, std::string_view b = {}) {
    std::uint64_t h = 14695981039346656037u;
    for (std::string_view part : {a, b})
      for (char c : part) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
  }
  static std::string file_name(const std::string& key) {
    return std::to_string(sum(key)) + std::string(finished);
  }

  // Takes a decimal number and the character after it from the front of the text.
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

  enum class kind { foreign, whole, half_done };
  static bool take_digits(std::string_view& name) {
    const std::size_t count = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(count);
    return count > 0;
  }
  // File names: digits.program; while being written, digits.program.digits.new.
  static kind kind_of(std::string_view name) {
    if (!take_digits(name) || !name.starts_with(finished)) return kind::foreign;
    name.remove_prefix(finished.size());
    if (name.empty()) return kind::whole;
    if (name.front() != '.') return kind::foreign;
    name.remove_prefix(1);
    return take_digits(name) && name == unfinished ? kind::half_done : kind::foreign;
  }

  // Removes abandoned unfinished files, then the oldest until `bytes` more fit the limit. Foreign
  // files are left alone.
  void make_room(const private_folder& folder, std::size_t bytes) const {
    const auto now = static_cast<std::int64_t>(std::time(nullptr));
    std::vector<folder_entry> ours;
    std::size_t taken = bytes;
    for (folder_entry& file : folder.files()) {
      const kind what = kind_of(file.name);
      if (what == kind::foreign) continue;
      if (what == kind::half_done && now - file.seconds > longest_write) {
        folder.remove(file.name);
        continue;
      }
      taken += file.bytes;
      ours.push_back(std::move(file));
    }
    const auto age = [](const folder_entry& f) { return std::tie(f.seconds, f.nanoseconds); };
    std::sort(ours.begin(), ours.end(),
              [&](const folder_entry& a, const folder_entry& b) { return age(a) < age(b); });
    for (const folder_entry& file : ours) {
      if (taken <= most_) break;
      folder.remove(file.name);
      taken -= file.bytes;
    }
  }

  std::filesystem::path folder_;
  std::size_t most_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
