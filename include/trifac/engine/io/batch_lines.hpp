#pragma once
// The lines of a profile that are about batches:
//
//   batches 0.3.0 1                                    library and revision of the kernels
//   device opencl cpu-znver4, 3.1                      of the lines that follow
//   batch cholesky double strided 8 tile 4 looking left outer unrolled gain 121 sure 98

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "trifac/engine/io/lines.hpp"
#include "trifac/io/error.hpp"
#include "trifac/profile.hpp"
#include "trifac/version.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// Batches of a profile that were tuned with other kernels: an error, or as if they were not there.
enum class stale_batches { refused, left_out };

namespace detail {

/// Incremented when changes of the batch kernels invalidate measurements.
inline constexpr int batch_kernels_revision = 1;

inline std::string batches_line() {
  return "batches " TRIFAC_VERSION_STRING " " + std::to_string(batch_kernels_revision);
}

/// A device name as part of a line, reversible: backslash and non-printable bytes as \xNN.
inline std::string escaped_name(std::string_view name) {
  std::string text;
  for (std::size_t k = 0; k < name.size(); ++k)
    text += name[k] == '\\' ? "\\x5c" : printable(name.substr(k, 1));
  return text;
}

/// The name from such a text. Any other backslash stands for itself.
inline std::string name_in(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const std::string_view digits = text.starts_with("\\x") ? text.substr(2, 2) : "";
    unsigned code = 0;
    const bool is_escape =
        digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, code, 16).ptr == digits.data() + 2;
    name += is_escape ? static_cast<char>(code) : text.front();
    text.remove_prefix(is_escape ? 4 : 1);
  }
  return name;
}

/// The enumerator with this name; false if there is none.
template <class Enum, std::size_t count>
bool set_named(Enum& to, const std::array<std::string_view, count>& names, std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == name) {
      to = static_cast<Enum>(i);
      return true;
    }
  return false;
}
/// The number that makes up the whole word; false if it is not in [least, most].
template <class Number>
bool set_number(Number& to, std::string_view word, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= least) ||
      !(value <= most))
    return false;
  to = value;
  return true;
}

/// In the order s, d, c, z.
inline constexpr std::array<std::string_view, 4> type_names = {"float", "double", "complex_float",
                                                               "complex_double"};
inline constexpr std::string_view type_letters = "sdcz";

/// Sets the member of that name.
inline bool set_member(batch_finding& f, std::string_view name, std::string_view value) {
  batch_tuning& t = f.tuning;
  constexpr index_t most_chunk = index_t{1} << 20;
  if (name == "tile") return set_number(t.tile, value, 1, 8);
  if (name == "looking") return set_named(t.looking, looking_order_names, value);
  if (name == "chunks") return set_named(t.chunks, batch_chunks_names, value);
  if (name == "chunk") return set_number(t.chunk, value, index_t{1}, most_chunk);
  if (name == "outer") return set_named(t.outer, outer_loops_names, value);
  if (name == "kernel") return set_named(t.kernel, batch_kernel_names, value);
  if (name == "panel") return set_number(t.panel, value, 1, 256);
  if (name == "block_height") return set_number(t.block_height, value, 1, 1024);
  if (name == "block_width") return set_number(t.block_width, value, 1, 1024);
  if (name == "systems") return set_number(t.systems, value, 1, 32);
  if (name == "gain") return set_number(f.gain, value, 1, 1'000'000);
  if (name == "sure") return set_number(f.sure, value, 0, 100);
  return false;
}

/// Parses the words after "batch"; returns an empty message or the error.
inline std::string read_batch_words(std::string_view words, batch_finding& f) {
  std::size_t type = 0;
  if (!set_named(f.operation, batch_operation_names, take_word(words)))
    return "names no operation on batches";
  if (!set_named(type, type_names, take_word(words))) return "names no type";
  f.type = type_letters[type];
  if (!set_named(f.place, batch_place_names, take_word(words))) return "names no layout";
  if (!set_number(f.from, take_word(words), index_t{1}, index_t{256}))
    return "has no order from 1 to 256";
  for (auto name = take_word(words); !name.empty(); name = take_word(words))
    if (!set_member(f, name, take_word(words))) return "has a bad value of " + printable(name);
  return "";
}

/// Of which kernels the batches of a profile are, once its line "batches" was read.
enum class batches_of { no_kernels, these_kernels, other_kernels };

/// Handles a line that begins with one of the words above; false for other lines. `message`: empty
/// or the error. Batches of other kernels are an error or, with stale_batches::left_out, skipped.
inline bool take_batch_line(profile& p, std::string_view line, stale_batches stale,
                            batches_of& read, std::string& message) {
  std::string_view words = line;
  const auto what = take_word(words);
  if (what == "batches") {
    read = line == batches_line() ? batches_of::these_kernels : batches_of::other_kernels;
    if (read == batches_of::other_kernels && stale == stale_batches::refused)
      message = "is stale: its batches were tuned with other kernels (" + printable(line, 60) +
                "; these are " + batches_line() + "): run trifac tune again";
    return true;
  }
  if (what != "device" && what != "batch") return false;
  if (read == batches_of::other_kernels) return true;
  if (read == batches_of::no_kernels) {
    message = "has no line \"batches\" before it";
  } else if (what == "device") {
    p.batches.push_back({name_in(line.substr(std::min<std::size_t>(7, line.size()))), {}});
    if (p.batches.back().device.empty()) message = "names no device";
  } else if (p.batches.empty()) {
    message = "has no line \"device\" before it";
  } else {
    batch_finding f;
    message = read_batch_words(words, f);
    if (message.empty()) p.batches.back().found.push_back(f);
  }
  return true;
}

/// " tile 4 looking left": the parameters that are set.
inline std::string words_of(const batch_tuning& t) {
  std::string text;
  const auto say = [&](std::string_view name, const std::string& value) {
    ((text += ' ') += name) += ' ' + value;
  };
  if (t.tile != 0) say("tile", std::to_string(t.tile));
  if (t.looking != looking_order::automatic)
    say("looking", std::string(looking_order_names[static_cast<std::size_t>(t.looking)]));
  if (t.chunks != batch_chunks::automatic)
    say("chunks", std::string(batch_chunks_names[static_cast<std::size_t>(t.chunks)]));
  if (t.chunk != 0) say("chunk", std::to_string(t.chunk));
  if (t.outer != outer_loops::automatic)
    say("outer", std::string(outer_loops_names[static_cast<std::size_t>(t.outer)]));
  if (t.kernel != batch_kernel::automatic)
    say("kernel", std::string(batch_kernel_names[static_cast<std::size_t>(t.kernel)]));
  if (t.panel != 0) say("panel", std::to_string(t.panel));
  if (t.block_height != 0) say("block_height", std::to_string(t.block_height));
  if (t.block_width != 0) say("block_width", std::to_string(t.block_width));
  if (t.systems != 0) say("systems", std::to_string(t.systems));
  return text;
}

/// The lines of all findings; empty if there are none.
inline std::string batch_lines(const profile& p) {
  if (p.batches.empty()) return "";
  std::string text = batches_line() + "\n";
  for (const device_findings& on_device : p.batches) {
    text += "device " + escaped_name(on_device.device) + "\n";
    for (const batch_finding& f : on_device.found)
      text += "batch " + std::string(batch_operation_names[static_cast<std::size_t>(f.operation)]) +
              " " + std::string(type_names[type_letters.find(f.type)]) + " " +
              std::string(batch_place_names[static_cast<std::size_t>(f.place)]) + " " +
              std::to_string(f.from) + words_of(f.tuning) + " gain " + std::to_string(f.gain) +
              " sure " + std::to_string(f.sure) + "\n";
  }
  return text;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
