#pragma once
// Division of a batch's lane groups among the work-items of a launch.

#include <algorithm>

#include "trifac/engine/device/batch_shape.hpp"
#include "trifac/engine/device/launcher.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// `each` lane groups per item. Each item has `step` REALs of workspace, in columns of ld rows.
template <class Runtime>
struct batch_division {
  extent groups, items;
  index_t each = 1, ld = 0, step = 0;
  typename session<Runtime>::scratch work;
};

/// With vectors an item processes a part of the batch, else one matrix. cols: columns of the
/// workspace into which a lane group is packed; in_place: only an incomplete last group is packed.
template <class T, class Runtime>
batch_division<Runtime> divide_batch(session<Runtime>& on, bool has_vectors, index_t batch,
                                     index_t rows, index_t cols, const batch_shape& s,
                                     bool in_place) {
  const device_facts& facts = on.runtime.facts();
  batch_division<Runtime> d;
  const index_t groups = (batch + s.lanes - 1) / s.lanes;
  if (!has_vectors) {
    const index_t local = std::min<index_t>(32, static_cast<index_t>(facts.most_items));
    d.items.x = static_cast<std::size_t>(local);
    d.groups.x = parts_of(groups, local);
    d.work = on.borrow(sizeof(T));
    return d;
  }
  // Elements of a row whose addresses are equal modulo 4096 bytes map to one cache set.
  constexpr index_t set = 4096;
  const index_t packet = s.lanes * static_cast<index_t>(sizeof(T));
  d.ld = rows * packet % set == 0 ? rows + 1 : rows;
  const index_t bytes = d.ld * cols * packet;
  index_t items = std::min<index_t>(groups, 32);
  if (!in_place)
    items = std::clamp<index_t>((index_t{64} << 20) / bytes, std::min<index_t>(facts.units, items),
                                items);
  const bool packs = !in_place || batch % s.lanes != 0;
  d.step = in_place ? 0 : bytes / static_cast<index_t>(sizeof(real_t<T>));
  d.each = (groups + items - 1) / items;
  d.groups.x = parts_of(groups, d.each);
  const index_t packed = !packs ? 0 : in_place ? 1 : static_cast<index_t>(d.groups.x);
  d.work = on.borrow(std::max(static_cast<std::uint64_t>(bytes * packed), sizeof(T)));
  return d;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
