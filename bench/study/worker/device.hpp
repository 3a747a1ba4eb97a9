#pragma once
// What the workers on devices share: the settings that a request asks for.

#include "serve.hpp"
#include "trifac/backend/device/policy.hpp"

namespace study {

inline trifac::device::column_kernels column_kernels_of(const std::string& name) {
  using trifac::device::column_kernels;
  if (name == "single") return column_kernels::single;
  if (name == "rounds") return column_kernels::rounds;
  if (name == "multiple") return column_kernels::multiple;
  throw refusal("columns=" + name + " is not known");
}

inline trifac::device::block_kernels block_kernels_of(const std::string& name) {
  using trifac::device::block_kernels;
  if (name == "packed") return block_kernels::packed;
  if (name == "rows") return block_kernels::rows;
  if (name == "columns") return block_kernels::columns;
  if (name == "several_groups") return block_kernels::several_groups;
  if (name == "group_per_block") return block_kernels::group_per_block;
  if (name == "group_per_block_local") return block_kernels::group_per_block_local;
  throw refusal("blocks=" + name + " is not known");
}

inline trifac::device::float_model float_model_of(const std::string& name) {
  using trifac::device::float_model;
  if (name == "ieee") return float_model::ieee;
  if (name == "fast") return float_model::fast;
  throw refusal("arithmetic=" + name + " is not known");
}

/// The device with the settings of a request.
template <class Device>
Device with_settings(const Device& device, const request& r) {
  auto settings = device.settings();
  settings.group = r.group;
  settings.columns = column_kernels_of(r.columns);
  settings.blocks = block_kernels_of(r.blocks);
  settings.floats = float_model_of(r.arithmetic);
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
