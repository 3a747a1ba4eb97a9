#pragma once
// Text split into lines and words, with line numbers for messages.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "trifac/io/error.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// The byte order mark at the beginning of some UTF-8 texts.
inline constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

/// Iterates over lines of a text that outlives it. Lines end with LF or CR LF; the last line end is
/// optional.
class line_cursor {
 public:
  line_cursor(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  /// Advances to the next line; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
    return true;
  }

  std::string_view line() const { return line_; }
  index_t number() const { return number_; }
  std::string_view file() const { return file_; }

  /// The number of remaining lines. Scans the rest of the text.
  index_t remaining() const {
    const auto ends = std::count(rest_.begin(), rest_.end(), '\n');
    return static_cast<index_t>(ends) + (!rest_.empty() && rest_.back() != '\n');
  }

  /// Throws read_error at the current line.
  [[noreturn]] void fail(const std::string& what) const {
    throw read_error::at_line(file_, std::max<index_t>(number_, 1), what);
  }

 private:
  std::string_view rest_;
  std::string_view file_;
  std::string_view line_;
  index_t number_ = 0;
};

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/// Takes the next word, delimited by blanks and tabs, from the front of a line; empty at the end.
inline std::string_view take_word(std::string_view& line) {
  const char *at = line.data(), *const end = at + line.size();
  while (at != end && is_blank(*at)) ++at;
  const char* const begin = at;
  while (at != end && !is_blank(*at)) ++at;
  line.remove_prefix(static_cast<std::size_t>(at - line.data()));
  return {begin, static_cast<std::size_t>(at - begin)};
}

/// The words of a line, by index.
class words {
 public:
  explicit words(std::string_view line) {
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      if (count_++ == most) return;
      word_[static_cast<std::size_t>(count_ - 1)] = word;
    }
  }

  /// Number of words; six means six or more.
  int count() const { return count_; }
  /// Word k < count(), k < 5.
  std::string_view operator[](int k) const { return word_[static_cast<std::size_t>(k)]; }

 private:
  static constexpr int most = 5;
  std::array<std::string_view, most> word_;
  int count_ = 0;
};

inline std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
