#pragma once
// The words of a command line and what they mean: numbers, names, lists.

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace program {

/// "a, b, c"
inline std::string joined(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) (all += all.empty() ? "" : ", ") += name;
  return all;
}

inline constexpr std::pair<std::string_view, scalar> scalar_names[] = {
    {"float", scalar::real_single},
    {"double", scalar::real_double},
    {"complex-float", scalar::complex_single},
    {"complex-double", scalar::complex_double},
    {"complex_float", scalar::complex_single},
    {"complex_double", scalar::complex_double}};

template <class Value, std::size_t Count>
Value named(std::string_view option, std::string_view word,
            const std::pair<std::string_view, Value> (&names)[Count]) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == word) return value;
    (known += known.empty() ? "" : ", ") += name;
  }
  throw usage_error(std::string(option) + " takes " + known + ", not \"" + std::string(word) +
                    "\"");
}

/// The value of an enumeration by one of its names, which are in its order.
template <class Enum, std::size_t count>
Enum named(std::string_view option, std::string_view word,
           const std::array<std::string_view, count>& names) {
  if (const auto value = trifac::device::value_named<Enum>(names, word)) return *value;
  throw usage_error(std::string(option) + " takes " + joined(names) + ", not \"" +
                    std::string(word) + "\"");
}

template <class Integer>
Integer number(std::string_view option, std::string_view word, Integer least, Integer most) {
  Integer value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < least || value > most)
    throw usage_error(std::string(option) + " takes a whole number from " + std::to_string(least) +
                      " to " + std::to_string(most) + ", not \"" + std::string(word) + "\"");
  return value;
}

inline std::vector<std::string> comma_separated(std::string_view list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    names.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// The words of the command line, read one after another.
class argument_list {
 public:
  explicit argument_list(const std::vector<std::string_view>& words) : words_(words) {}

  bool empty() const { return at_ == words_.size(); }
  std::string_view next() { return words_[at_++]; }
  /// The next word, which belongs to `option`.
  std::string_view value_of(std::string_view option) {
    if (empty()) throw usage_error(std::string(option) + " needs a value");
    return next();
  }

 private:
  const std::vector<std::string_view>& words_;
  std::size_t at_ = 0;
};

/// A kind of device, or its index in the list of `trifac info`.
inline std::string device_named(std::string_view option, std::string_view word) {
  const auto& kinds = trifac::device::device_kind_names;
  const bool is_place = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  if (!is_place && std::find(kinds.begin(), kinds.end(), word) == kinds.end())
    throw usage_error(std::string(option) + " takes " + joined(kinds) +
                      " or a number of `trifac info`, not \"" + std::string(word) + "\"");
  return std::string(word);
}

}  // namespace program
