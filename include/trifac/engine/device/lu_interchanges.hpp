#pragma once
// Row interchanges in device memory.

#include <span>

#include "trifac/engine/base/interchange_order.hpp"
#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/lu_interchanges.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// On the device interchange k is stored as a distance d: exchange row k with row k + d.
template <class Runtime, class T>
class lu_interchanges {
 public:
  using on_type = launcher<Runtime, T>;
  using view = typename on_type::view;

  /// `count` interchanges, initially identity.
  lu_interchanges(const on_type& on, index_t count)
      : on_(on), own_(on.template borrow<index_t>(count)), distances_(own_.get()) {
    if (count > 0)
      on.runtime().clear(distances_, static_cast<std::uint64_t>(count) * sizeof(index_t));
  }
  /// Shares those of another executor, which must outlive this object.
  lu_interchanges(const on_type& on, const lu_interchanges& first)
      : on_(on), distances_(first.distances_) {}

  /// Copies the interchanges from and to the host. Reading waits.
  void write(std::span<const index_t> from) {
    std::vector<index_t> distances(from.begin(), from.end());
    for (std::size_t k = 0; k < distances.size(); ++k) distances[k] -= static_cast<index_t>(k);
    on_.runtime().write(distances_, 0, distances.data(), from.size_bytes());
  }
  void read(std::span<index_t> to) const {
    on_.runtime().read(distances_, 0, to.data(), to.size_bytes());
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += static_cast<index_t>(k);
  }

  /// Applies interchanges from … to−1 to the rows of A, or in reverse order; with `block` > 0,
  /// column j takes only those after its own block of `block` columns. `with`: a program with
  /// kernel::lu_interchanges.
  void apply(lazy_program<Runtime, T>& with, view A, index_t from, index_t to,
             detail::interchange_order order, index_t block = 0) const {
    const bool backward = order == detail::interchange_order::backward;
    if (A.empty() || from >= to) return;
    if (on_.shape().diagonal_items >= 2 * most_moves && !backward && block == 0 &&
        to - from <= 4 * most_moves)
      return permute(with, A, from, to);
    // On CPUs an item takes several columns, since neighbouring items share nothing.
    const bool alone = on_.shape().diagonal_items == 1;
    const index_t share = alone ? 8 : 1;
    const extent items = alone ? extent{} : on_.line(A.cols());
    with.launch("interchange", {parts_of(A.cols(), share * static_cast<index_t>(items.x))}, items,
                A, from, to, static_cast<int>(backward), static_cast<int>(share), block,
                distances_);
  }
  typename on_type::handle get() const { return distances_; }

 private:
  static constexpr index_t most_moves = 64;   // MOST_MOVES in kernel/lu_interchanges.hpp
  static constexpr index_t most_columns = 8;  // MOST_COLUMNS

  /// The interchanges of a panel or a few. H200, 64 of them in up to 4096 columns: 4 to 11 µs, four
  /// at a time 28.
  void permute(lazy_program<Runtime, T>& with, view A, index_t from, index_t to) const {
    const index_t share = std::clamp<index_t>(A.cols() / on_.facts().units, 1, most_columns);
    for (index_t k = from; k < to; k += most_moves)
      with.launch("permute_rows", {parts_of(A.cols(), share)}, {2 * most_moves}, A, k,
                  std::min(k + most_moves, to), static_cast<int>(share), distances_);
  }

  const on_type& on_;
  typename on_type::scratch own_;
  typename on_type::handle distances_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
