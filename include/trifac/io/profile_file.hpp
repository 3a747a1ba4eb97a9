#pragma once
// Profiles as files: written by bench/trifac-study recommend and trifac tune, read here. Files that
// are damaged, from another machine or tuned with other kernels are refused.
//
//   trifac profile 1
//   machine AMD EPYC, avx512
//   cholesky double threads_from 1024 threads 2 block 256 block_from 1024
//   lu double threads_from 512 threads 2
//   check 6d1b9f02a3c4e5f7
//
// One line per factorization and type, with the members of `tuning` that differ from the default;
// then the lines of io/batch_lines.hpp. The last line is the FNV-1a hash, 64 bits in hexadecimal,
// of all preceding bytes.

#include <cerrno>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "trifac/engine/io/batch_lines.hpp"
#include "trifac/engine/io/lines.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/io/error.hpp"
#include "trifac/profile.hpp"

#if TRIFAC_SIMD_X86
  #include <cpuid.h>
#endif

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// The machine a profile is valid for: the processor's name, if available, and the instruction set
/// in use (including TRIFAC_ISA).
inline std::string this_machine() {
  std::string name = "processor without a name";
#if TRIFAC_SIMD_X86
  unsigned words[12] = {};
  if (static_cast<unsigned>(__get_cpuid_max(0x80000000u, nullptr)) >= 0x80000004u) {
    for (unsigned k = 0; k < 3; ++k)
      __get_cpuid(0x80000002u + k, &words[4 * k], &words[4 * k + 1], &words[4 * k + 2],
                  &words[4 * k + 3]);
    char text[sizeof words + 1] = {};
    std::memcpy(text, words, sizeof words);
    name = printable(text, sizeof words);
    name.erase(name.find_last_not_of(' ') + 1);
    name.erase(0, name.find_first_not_of(' '));
  }
#endif
  return name + ", " + std::string(simd::to_string(simd::active_isa()));
}

namespace detail {

inline constexpr std::string_view profile_first_line = "trifac profile 1";
inline constexpr std::size_t largest_profile = 1 << 18;

inline std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// 16 hexadecimal digits.
inline std::string digits_of(std::uint64_t hash) {
  std::string digits(16, '0');
  for (int k = 15; k >= 0; --k, hash /= 16)
    digits[static_cast<std::size_t>(k)] = "0123456789abcdef"[hash % 16];
  return digits;
}

/// The profile entry that a line refers to, or null.
inline tuning* entry_of(profile& p, std::string_view what, std::string_view type) {
  if (what != "cholesky" && what != "lu") return nullptr;
  const auto which = what == "lu" ? factorization::lu : factorization::cholesky;
  if (type == type_names[0]) return &p.of<float>(which);
  if (type == type_names[1]) return &p.of<double>(which);
  if (type == type_names[2]) return &p.of<std::complex<float>>(which);
  if (type == type_names[3]) return &p.of<std::complex<double>>(which);
  return nullptr;
}

/// Sets the member with this name; false if there is none or the number is out of range.
inline bool set_member(tuning& t, std::string_view name, std::string_view number) {
  index_t value = 0;
  if (!set_number(value, number, index_t{0}, tuning::never)) return false;
  if (name == "threads" && value <= 4096)
    t.threads = static_cast<int>(value);
  else if (name == "threads_from")
    t.threads_from = value;
  else if (name == "device_from")
    t.device_from = value;
  else if (name == "block")
    t.block = value;
  else if (name == "block_from")
    t.block_from = value;
  else if (name == "cutoff")
    t.cutoff = value;
  else
    return false;
  return true;
}

}  // namespace detail

/// The profile in a text; `file` is its name for messages, `machine` the required machine. Throws
/// read_error: not a profile, other version, damaged, other machine; stale batches where they are
/// refused.
inline profile parse_profile(std::string_view text, std::string_view file,
                             const std::string& machine = this_machine(),
                             stale_batches stale = stale_batches::refused) {
  if (text.substr(0, text.find('\n')) != detail::profile_first_line)
    throw read_error::at_line(file, 1, "is not a profile of this version (\"trifac profile 1\")");
  const auto check = text.rfind("\ncheck ");
  if (check == text.npos ||
      text.substr(check + 1) !=
          "check " + detail::digits_of(detail::fnv1a(text.substr(0, check + 1))) + "\n")
    throw read_error::whole(file, "is damaged or was edited: its check sum does not match");

  profile result;
  index_t number = 0;
  auto batches = detail::batches_of::no_kernels;
  std::string_view rest = text.substr(0, check + 1);
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    ++number;
    if (number == 1) continue;
    if (number == 2) {
      if (line != "machine " + machine)
        throw read_error::at_line(file, 2,
                                  "was measured on another machine (" + printable(line, 100) +
                                      "; this one is " + machine +
                                      "): run bench/trifac-study recommend or trifac tune here");
      continue;
    }
    if (std::string wrong; detail::take_batch_line(result, line, stale, batches, wrong)) {
      if (!wrong.empty()) throw read_error::at_line(file, number, wrong);
      continue;
    }
    std::string_view words = line;
    const auto what = detail::take_word(words);
    tuning* const entry = detail::entry_of(result, what, detail::take_word(words));
    if (entry == nullptr)
      throw read_error::at_line(file, number, "names no factorization and type");
    for (auto name = detail::take_word(words); !name.empty(); name = detail::take_word(words))
      if (!detail::set_member(*entry, name, detail::take_word(words)))
        throw read_error::at_line(file, number, "has a bad value of " + printable(name));
  }
  if (number < 2) throw read_error::whole(file, "names no machine");
  return result;
}

/// The profile in a file, which must be from this machine. Throws read_error.
inline profile read_profile(const std::string& file, stale_batches stale = stale_batches::refused) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw read_error::whole(file, std::strerror(errno));
  std::string text(detail::largest_profile + 1, '\0');  // bounds the read of an endless file
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw read_error::whole(file, "cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > detail::largest_profile)
    throw read_error::whole(file, "is no profile: too long");
  return parse_profile(text, file, this_machine(), stale);
}

/// The text of a profile for a machine, in the format of parse_profile.
inline std::string profile_text(const profile& p, const std::string& machine = this_machine()) {
  std::string text = std::string(detail::profile_first_line) + "\nmachine " + machine + "\n";
  const auto add = [&](std::string_view what, std::string_view type, const tuning& t) {
    std::string line;
    const auto say = [&](std::string_view name, index_t value, index_t silent) {
      if (value != silent) line += " " + std::string(name) + " " + std::to_string(value);
    };
    say("threads_from", t.threads_from, tuning::never);
    say("threads", t.threads, 0);
    say("device_from", t.device_from, tuning::never);
    say("block", t.block, 0);
    say("block_from", t.block_from, 0);
    say("cutoff", t.cutoff, 0);
    if (!line.empty()) ((text += what) += " ") += std::string(type) + line + "\n";
  };
  profile copy = p;
  for (const std::string_view what : {"cholesky", "lu"})
    for (const std::string_view type : detail::type_names)
      add(what, type, *detail::entry_of(copy, what, type));
  text += detail::batch_lines(p);
  return text + "check " + detail::digits_of(detail::fnv1a(text)) + "\n";
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
