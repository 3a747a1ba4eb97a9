#pragma once
// Shared by the panels of both factorizations: their position in the matrix, and the broadcast of a
// factored panel, which overlaps with the update of the columns right of the next panel.

#include <cstdint>

#include "trifac/engine/distributed/agreement.hpp"
#include "trifac/engine/distributed/memory.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// A status as the first two numbers of a message, with its index shifted by `first`; and back.
inline void pack_status(void* message, const status& s, index_t first = 0) {
  const std::int64_t found[] = {static_cast<std::int64_t>(s.kind()),
                                s.index() < 0 ? s.index() : first + s.index()};
  pack(message, found, sizeof found);
}
inline status unpack_status(const void* message) {
  std::int64_t found[2];
  unpack(found, message, sizeof found);
  return status_of(found[0], found[1]);
}

/// Shared by all panels of a factorization. Messages of panels alternate between memory->columns[0]
/// and [1].
template <class B, class T, class Memory>
struct panels_of {
  using value_type = T;

  const B* backend;
  local_part<T> A;
  Memory* memory;
  traffic* moved;
  MPI_Request under_way = MPI_REQUEST_NULL;  ///< the broadcast in progress
};

/// Columns k·b … of a matrix; b: the block of its distribution in both dimensions. `Panel` adds
///
///   begin_factor(on)   its process column factors it and starts its broadcast
///   finish_factor(on)  completes the broadcast; all know its status
template <class Panel, class All>
class panel_on_grid {
 public:
  using T = typename All::value_type;

  explicit panel_on_grid(All& all) : all_(&all) {}

  Panel next() const {
    Panel p = self();
    ++static_cast<panel_on_grid&>(p).k_;
    return p;
  }
  void factor(process_executor& on) const {
    self().begin_factor(on);
    self().finish_factor(on);
  }

 protected:
  /// Calls subtract(from, to) for the columns right of the panel, 0 … n − 1: the next panel,
  /// columns 0 … first_cols − 1, is factored and its broadcast started before the others are
  /// updated.
  template <class Subtract>
  void update_around(process_executor& on, const Panel& next, index_t first_cols, index_t n,
                     Subtract subtract) const {
    subtract(0, first_cols);
    next.begin_factor(on);
    subtract(first_cols, n);
    next.finish_factor(on);
  }

  /// The message that broadcasts the panel from its process column.
  T* message() const { return memory().columns[k_ % 2].get(); }
  void begin_broadcast(index_t count) const {
    all_->under_way =
        cols().line->begin_broadcast(message(), count, cols().owner(k_), *all_->moved);
  }
  void finish_broadcast() const { communicator::wait(all_->under_way); }

  auto& memory() const { return *all_->memory; }
  const trifac::matrix_view<T>& local() const { return all_->A.local; }
  const axis& rows() const { return all_->A.rows; }
  const axis& cols() const { return all_->A.cols; }
  index_t local_row(index_t k) const { return rows().local(rows().first(k)); }
  index_t local_col(index_t k) const { return cols().local(cols().first(k)); }

  All* all_;
  index_t k_ = 0;

 private:
  const Panel& self() const { return static_cast<const Panel&>(*this); }
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
