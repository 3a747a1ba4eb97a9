#pragma once
// Numbers as text and rows as an aligned table.

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>
#include <string>
#include <vector>

namespace program {

/// x with so many significant digits, whatever the locale.
inline std::string digits(double x, int precision) {
  std::array<char, 64> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), x,
                                    std::chars_format::general, precision);
  return {text.data(), result.ptr};
}

/// Rows of cells; the first row has the titles. Columns are as wide as their widest cell.
class table {
 public:
  explicit table(std::vector<std::string> titles) { add(std::move(titles)); }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Words left-aligned, numbers (cells whose column has the title of a number) right-aligned.
  void print(std::ostream& out, const std::vector<bool>& is_number) const {
    std::vector<std::size_t> widths(is_number.size(), 0);
    for (const auto& row : rows_)
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string gap(widths[c] - row[c].size(), ' ');
        line += (c > 0 ? "  " : "") + (is_number[c] ? gap + row[c] : row[c] + gap);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << '\n';
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace program
