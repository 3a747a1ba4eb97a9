#pragma once
// The head of a NumPy .npy file: magic, version, and a Python dictionary with type, order and
// shape.

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <string>
#include <string_view>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/number.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The content of the head, and the offset of the elements.
struct npy_head {
  matrix_file about;
  char kind = 'f';        ///< f floating point, c complex, i and u integers, b boolean
  index_t bytes = 8;      ///< per element
  bool swapped = false;   ///< byte order differs from this machine's
  bool by_rows = false;   ///< C order
  std::size_t start = 0;  ///< offset of the first element
};

/// Parses a Python literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class npy_dictionary {
 public:
  npy_dictionary(std::string_view file, std::string_view name, std::size_t begin, std::size_t end)
      : file_(file.substr(0, end)), name_(name), at_(begin) {}

  /// Reads type, order and shape. Each key must occur once, in any order.
  void parse(npy_head& head) {
    bool type = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !type)
        type = true, parse_type(head);
      else if (key == "fortran_order" && !order)
        order = true, head.by_rows = !boolean();
      else if (key == "shape" && !shape)
        shape = true, parse_shape(head);
      else
        fail("unexpected key \"" + printable(key) + "\" in the header");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) fail("the header lacks descr, fortran_order or shape");
    skip_blanks();
    if (at_ < file_.size()) fail("something after the dictionary in the header");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw read_error::at_byte(name_, static_cast<index_t>(at_), what);
  }

 private:
  void skip_blanks() {
    while (at_ < file_.size() && (file_[at_] == ' ' || file_[at_] == '\n' || file_[at_] == '\t'))
      ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= file_.size() || file_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected ").append(1, c).append(" in the header"));
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < file_.size() ? file_[at_] : '\0';
    const auto end = quote == '\'' || quote == '"' ? file_.find(quote, at_ + 1) : file_.npos;
    if (end == file_.npos) fail("expected a string in the header");
    const std::string_view text = file_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return text;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (file_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    fail("expected True or False in the header");
  }

  void parse_type(npy_head& head) {
    skip_blanks();
    if (at_ < file_.size() && file_[at_] == '[') fail("records with named fields are not a matrix");
    const std::size_t begin = at_;
    const std::string_view descr = string();
    const std::string_view order = "<>|=";
    const char mark = descr.empty() ? '?' : descr[0];
    const std::string_view type = descr.substr(order.find(mark) != order.npos ? 1 : 0);
    constexpr std::array<std::string_view, 13> known = {"f4", "f8", "c8", "c16", "i1", "i2", "i4",
                                                        "i8", "u1", "u2", "u4",  "u8", "b1"};
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      at_ = begin;
      fail("elements of type '" + printable(descr) +
           "'; f4, f8, c8, c16, i1 to i8, u1 to u8 and b1 can be read");
    }
    head.kind = type[0];
    parse_integer(type.substr(1), head.bytes);
    const bool is_little = std::endian::native == std::endian::little;
    head.swapped = mark == (is_little ? '>' : '<');
    head.about.field = head.kind == 'f'   ? field::real
                       : head.kind == 'c' ? field::complex
                                          : field::integer;
    head.about.single_precision = type == "f4" || type == "c8";
  }

  index_t extent() {
    skip_blanks();
    const auto end = std::min(file_.find_first_not_of("0123456789", at_), file_.size());
    index_t size = 0;
    if (parse_integer(file_.substr(at_, end - at_), size) != number_status::ok)
      fail("expected a size in the shape");
    at_ = end;
    accept('L');  // Python 2 wrote long integers with L
    return size;
  }

  void parse_shape(npy_head& head) {
    constexpr const char* wrong =
        "the array must have two dimensions, or one, which is read as a column";
    expect('(');
    if (accept(')')) fail(wrong);
    head.about.rows = extent();
    head.about.cols = 1;
    if (accept(',') && !accept(')')) {
      head.about.cols = extent();
      if (accept(',') && !accept(')')) fail(wrong);
    }
    if (file_[at_ - 1] != ')') expect(')');
    const index_t most =
        std::numeric_limits<index_t>::max() / 16;  // the largest element has 16 bytes
    if (head.about.rows != 0 && head.about.cols > most / head.about.rows)
      fail("a shape of " + std::to_string(head.about.rows) + " x " +
           std::to_string(head.about.cols) + " is too large");
    head.about.entries = head.about.rows * head.about.cols;
  }

  std::string_view file_;
  std::string_view name_;
  std::size_t at_;
};

/// Parses the head in the first bytes of a file and checks the file's `length` against the shape.
inline npy_head parse_npy_head(std::string_view file, std::string_view name, std::size_t length) {
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw read_error::at_byte(name, static_cast<index_t>(at), what);
  };
  const auto byte = [&](std::size_t at) -> std::size_t {
    if (at >= file.size()) fail(file.size(), "the file ends inside its header");
    return static_cast<unsigned char>(file[at]);
  };
  if (file.empty()) fail(0, "the file is empty");
  if (file.substr(0, npy_magic.size()) != npy_magic)
    fail(0, "not a .npy file: the magic bytes are missing");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    fail(6, "version " + std::to_string(version) + " of the format is not known");

  npy_head head;
  const std::size_t begin = version == 1 ? 10 : 12;  // the length has 2 or 4 bytes, lowest first
  std::size_t of_head = byte(8) | byte(9) << 8;
  if (version > 1) of_head |= byte(10) << 16 | byte(11) << 24;
  if (of_head > file.size() - begin) fail(file.size(), "the file ends inside its header");
  head.start = begin + of_head;
  npy_dictionary(file, name, begin, head.start).parse(head);

  const std::size_t need = static_cast<std::size_t>(head.about.entries * head.bytes);
  const std::size_t have = length - head.start;
  if (length != unknown_length && have != need)
    fail(have < need ? length : head.start + need,
         "a shape of " + std::to_string(head.about.rows) + " x " + std::to_string(head.about.cols) +
             " takes " + std::to_string(need) + " bytes, the file has " + std::to_string(have));
  return head;
}

inline npy_head parse_npy_head(std::string_view file, std::string_view name) {
  return parse_npy_head(file, name, file.size());
}

/// The bytes of the head at the beginning of a stream; fewer if it is none, or longer than 64 KiB.
inline std::string npy_head_bytes(std::istream& stream) {
  constexpr std::size_t most = 1 << 16;
  std::string bytes(12, '\0');
  const auto more = [&](std::size_t from) {
    stream.read(bytes.data() + from, static_cast<std::streamsize>(bytes.size() - from));
    bytes.resize(from + static_cast<std::size_t>(stream.gcount()));
  };
  more(0);
  if (bytes.size() < 12 || !bytes.starts_with(npy_magic)) return bytes;
  const auto byte = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(bytes[at])};
  };
  const bool is_short = bytes[6] == 1;  // the length has two bytes
  const std::size_t length =
      byte(8) | byte(9) << 8 | (is_short ? 0 : byte(10) << 16 | byte(11) << 24);
  bytes.resize(std::min(length, most) + (is_short ? 10 : 12));
  if (bytes.size() > 12) more(12);
  return bytes;
}

/// A file opened and read up to its elements.
struct npy_stream {
  explicit npy_stream(const std::filesystem::path& path)
      : stream(opened(path)),
        head(parse_npy_head(npy_head_bytes(stream), path.string(), length_of(path))) {}

  std::ifstream stream;
  npy_head head;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
