#pragma once
// What a call of the tuner comes to, in one line.

#include <algorithm>
#include <string>

#include "trifac/engine/views/batch_findings.hpp"

namespace tune {

/// Counts what the profile holds of the orders that were asked for.
struct verdict {
  std::size_t orders = 0;  ///< with a finding
  std::size_t faster = 0;  ///< at which a combination is faster than the library's own choice
  int least_gain = 0, most_gain = 0;  ///< of those, as batch_finding::gain
  std::size_t disturbed = 0;          ///< measured beside other programs
  double most_others = 0;             ///< the most cores that those used

  void add(const trifac::batch_finding& f) {
    ++orders;
    if (f.tuning == trifac::batch_tuning{} || f.gain <= 100) return;
    least_gain = faster == 0 ? f.gain : std::min(least_gain, f.gain);
    most_gain = std::max(most_gain, f.gain);
    ++faster;
  }
};

/// "4 %" or "4 to 38 %".
inline std::string gain_in_words(const verdict& v) {
  const std::string most = std::to_string(v.most_gain - 100) + " %";
  return v.least_gain == v.most_gain ? most : std::to_string(v.least_gain - 100) + " to " + most;
}

/// The sentence. `profile` is the file's name; `cores`: in words how many the others used.
inline std::string in_words(const verdict& v, const std::string& profile,
                            const std::string& cores) {
  if (v.orders == 0) return "verdict: no order was measured";
  const std::string orders = std::to_string(v.orders) + (v.orders == 1 ? " order" : " orders");
  std::string text = "verdict: ";
  if (v.faster == 0)
    text +=
        "nothing tried is faster than the library's own choice (" + orders + " in " + profile + ")";
  else
    text += profile + " is faster than the library's own choice at " + std::to_string(v.faster) +
            " of " + orders + ", by " + gain_in_words(v);
  if (v.disturbed > 0)
    text += "; " + std::to_string(v.disturbed) + (v.disturbed == 1 ? " was" : " were") +
            " measured beside other programs, which used " + cores +
            ": repeat with --again on an idle machine";
  return text;
}

}  // namespace tune
