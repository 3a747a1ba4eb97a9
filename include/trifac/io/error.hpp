#pragma once
// The exceptions of io/: a file cannot be read as a matrix, or cannot be written.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trifac/engine/base/config.hpp"

#if !TRIFAC_EXCEPTIONS
  #error "trifac/io reports bad files by exceptions; compile this file without -fno-exceptions"
#endif

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// Printable form of a text from a file or a file name: at most `most` bytes, with control and
/// non-ASCII bytes as \xNN, so that messages are always one line.
inline std::string printable(std::string_view text, std::size_t most = 40) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, most)) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x7f)
      shown += c;
    else
      (((shown += "\\x") += digits[code / 16])) += digits[code % 16];
  }
  return text.size() > most ? shown + "..." : shown;
}

}  // namespace TRIFAC_ABI

/// A file that cannot be read as a matrix. what() is one line: "plate.mtx:12: row 0 is outside 1 to
/// 60" for text files, "plate.npy: byte 128: ..." for binary ones, "plate.mtx: ..." for errors
/// without a position.
class read_error : public std::runtime_error {
 public:
  /// Error in line `line`, 1-based.
  static read_error at_line(std::string_view file, index_t line, const std::string& what) {
    return {file, shown(file) + ":" + std::to_string(line) + ": " + what, line, -1};
  }
  /// Error at byte `byte`, 0-based.
  static read_error at_byte(std::string_view file, index_t byte, const std::string& what) {
    return {file, shown(file) + ": byte " + std::to_string(byte) + ": " + what, 0, byte};
  }
  /// Error of the whole file.
  static read_error whole(std::string_view file, const std::string& what) {
    return {file, shown(file) + ": " + what, 0, -1};
  }

  /// The name of the file as passed in.
  const std::string& file() const noexcept { return *file_; }
  /// 1-based line; 0 if not applicable.
  index_t line() const noexcept { return line_; }
  /// 0-based offset; −1 if not applicable.
  index_t byte() const noexcept { return byte_; }

 private:
  read_error(std::string_view file, const std::string& what, index_t line, index_t byte)
      : std::runtime_error(what),
        file_(std::make_shared<const std::string>(file)),
        line_(line),
        byte_(byte) {}

  static std::string shown(std::string_view file) { return printable(file, 4096); }

  std::shared_ptr<const std::string> file_;  // shared, so that copying the exception cannot throw
  index_t line_;
  index_t byte_;
};

/// A file whose matrix has another size than the memory that it was to be read into.
class shape_error : public read_error {
 public:
  explicit shape_error(const read_error& what) : read_error(what) {}
};

/// A file with elements that the scalar type asked for cannot take.
class type_error : public read_error {
 public:
  explicit type_error(const read_error& what) : read_error(what) {}
};

/// A file that cannot be written, with the operating system's reason.
class write_error : public std::runtime_error {
 public:
  write_error(std::string_view file, const std::string& what)
      : std::runtime_error(printable(file, 4096) + ": " + what) {}
};

}  // namespace trifac::io
