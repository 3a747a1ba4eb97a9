#pragma once
// What the workers on devices share: the settings that a request asks for.

#include "serve.hpp"
#include "trifac/engine/device/policy.hpp"

namespace study {

/// The value of an enumeration by its name. Throws refusal.
template <class Enum, std::size_t count>
Enum named(const std::string& key, const std::array<std::string_view, count>& names,
           const std::string& name) {
  const auto value = trifac::device::value_named<Enum>(names, name);
  if (!value) throw refusal(key + "=" + name + " is not known");
  return *value;
}

/// The device with the settings of a request.
template <class Device>
Device with_settings(const Device& device, const request& r) {
  auto settings = device.settings();
  settings.group = r.group;
  using namespace trifac::device;
  if (r.columns != first_rounds_name)
    settings.columns = named<column_kernels>("columns", column_kernels_names, r.columns);
  settings.tiles = r.vectors == "none" ? tile_choice::groups : tile_choice::by_device;
  settings.blocks = named<block_kernels>("blocks", block_kernels_names, r.blocks);
  settings.cutoff = named<cutoff_loop>("cutoff_loop", cutoff_loop_names, r.cutoff_loop);
  settings.floats = named<float_model>("arithmetic", float_model_names, r.arithmetic);
  return device.with(settings);
}

/// What is known about a device, for the first line.
template <class Device>
void add_facts(const Device& device, facts& properties) {
  if (!device.available()) return;
  properties.emplace_back("device", device.facts().name);
  properties.emplace_back("driver", device.facts().driver);
  properties.emplace_back("units", std::to_string(device.facts().units));
}

}  // namespace study
