#pragma once
// The findings of a profile as a C++ header, for programs that fix them when they are compiled.

#include <map>
#include <string>

#include "trifac/io/profile_file.hpp"

namespace tune {

/// "{.tile = 4, .looking = trifac::looking_order::left}"
inline std::string code_of(const trifac::batch_tuning& t) {
  std::string text;
  const auto say = [&](const char* name, const std::string& value) {
    ((text += text.empty() ? "." : ", .") += name) += " = " + value;
  };
  const auto named = [](const char* type, const auto& names, auto value) {
    return std::string("trifac::") + type +
           "::" + std::string(names[static_cast<std::size_t>(value)]);
  };
  if (t.tile != 0) say("tile", std::to_string(t.tile));
  if (t.looking != trifac::looking_order::automatic)
    say("looking", named("looking_order", trifac::looking_order_names, t.looking));
  if (t.chunks != trifac::batch_chunks::automatic)
    say("chunks", named("batch_chunks", trifac::batch_chunks_names, t.chunks));
  if (t.chunk != 0) say("chunk", std::to_string(t.chunk));
  if (t.outer != trifac::outer_loops::automatic)
    say("outer", named("outer_loops", trifac::outer_loops_names, t.outer));
  if (t.kernel != trifac::batch_kernel::automatic)
    say("kernel", named("batch_kernel", trifac::batch_kernel_names, t.kernel));
  if (t.panel != 0) say("panel", std::to_string(t.panel));
  if (t.block_height != 0) say("block_height", std::to_string(t.block_height));
  if (t.block_width != 0) say("block_width", std::to_string(t.block_width));
  if (t.systems != 0) say("systems", std::to_string(t.systems));
  return "{" + text + "}";
}

/// The header's text: an array for each device, named after its backend.
inline std::string header_text(const trifac::profile& p, const std::string& machine) {
  std::string text = "// Written by trifac tune " TRIFAC_VERSION_STRING " on " + machine +
                     ".\n#pragma once\n\n#include <trifac/engine/views/batch_findings.hpp>\n\n"
                     "namespace trifac_tuned {\n\n";
  std::map<std::string, int> seen;
  for (const trifac::device_findings& here : p.batches) {
    if (here.found.empty()) continue;
    std::string name = here.device.substr(0, here.device.find(' '));
    if (const int again = seen[name]++; again > 0) name += "_" + std::to_string(again + 1);
    text += "/// " + trifac::io::printable(here.device, 400) +
            ".\ninline constexpr trifac::batch_finding " + name + "[] = {\n";
    for (const trifac::batch_finding& f : here.found)
      text += "    {trifac::batch_operation::" +
              std::string(trifac::batch_operation_names[static_cast<std::size_t>(f.operation)]) +
              ", '" + f.type + "', trifac::batch_place::" +
              std::string(trifac::batch_place_names[static_cast<std::size_t>(f.place)]) + ", " +
              std::to_string(f.from) + ", " + code_of(f.tuning) + ", " + std::to_string(f.gain) +
              ", " + std::to_string(f.sure) + "},\n";
    text += "};\n\n";
  }
  return text + "}  // namespace trifac_tuned\n";
}

}  // namespace tune
