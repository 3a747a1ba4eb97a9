#pragma once
// A panel of LU on packed copies: the CPU kernels of s, d, c, z.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/panel/packed_tournament.hpp"
#include "trifac/engine/simd/core/pivot_faults.hpp"
#include "trifac/engine/simd/lu/kernels.hpp"
#include "trifac/engine/simd/lu/memory.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// How a nest's panels choose their pivots, and memory of its own for its steps.
template <class T>
struct packed_lu_options {
  pivot_choice choice = pivot_choice::largest;
  /// Not null: the pivots come from a tournament instead.
  const packed_tournament<T>* by_tournament = nullptr;
  /// Receives the index of the first pivot that is NaN or infinite, where it is −1. Null: such a
  /// pivot ends the nest.
  index_t* not_finite = nullptr;
  /// lu_step_bytes for each of two steps, which take turns. Null: they lie behind the panel.
  std::byte* step_memory = nullptr;
};

/// Columns k … k+b−1 of A from row k on, to be factored, and then taken to the columns on the
/// right:
///
///       | …   …    …   |
///   A = | …  A11  A12  |    A11: b×b
///       | …  A21  A22  |    L11, L21 and the interchanges are kept ready for [A12; A22]
///
/// The instruction set is a value, not a type, so that a nest is compiled once for all of them.
template <class T>
class packed_lu_panel {
 public:
  /// The first panel of A. `memory`: lu_panels_bytes, or with memory for the steps of their own
  /// panel_memory.
  packed_lu_panel(isa set, matrix_view<T> A, std::span<index_t> interchanges, index_t block,
                  std::byte* memory, const packed_lu_options<T>& options)
      : set_(set),
        A_(A),
        interchanges_(interchanges),
        block_(block),
        memory_(memory),
        options_(options) {
    if (!options_.step_memory)
      options_.step_memory = memory + panel_memory(A.rows(), block, sizeof(T)).bytes;
    place();
  }

  index_t rows() const { return A_.rows() - k_; }
  /// With a block as wide as A, all columns, even where there are fewer rows.
  index_t cols() const {
    if (block_ >= A_.cols()) return A_.cols();
    return exists() ? detail::min(block_, steps() - k_) : 0;
  }
  index_t columns_right() const { return exists() ? A_.cols() - k_ - cols() : 0; }
  packed_lu_panel next() const {
    packed_lu_panel p = *this;
    p.k_ += block_;
    p.place();
    return p;
  }

  template <class On>
  void factor(On& on) const {
    if (options_.by_tournament)
      factor_by_tournament(on, *this, options_.by_tournament->rules);
    else
      factor_by(on, options_.choice);
  }
  template <class On>
  void factor_partial(On& on) const {
    factor_by(on, pivot_choice::largest);
  }

  /// In a team the first pieces are the columns of the next panel; the thread that finishes the
  /// last of them factors it. From four threads on several take these columns, as the others wait
  /// for the panel (docs/cores.md); for two, smaller pieces cost 3 to 8 %.
  template <class On>
  void eliminate(On& on, const packed_lu_panel& next) const {
    const index_t n = columns_right(), ahead = next.cols(), group = piece(n / (4 * on.threads()));
    if (!on.is_team() || ahead == 0 ||
        (options_.by_tournament && !factors_ahead(on.threads(), ahead, n - ahead))) {
      on.ranges(nest_step::eliminate_packed, n, group,
                [&](index_t from, index_t to) { eliminate(from, to); });
      if (ahead > 0) next.factor(on);
      return;
    }
    const index_t share =
        on.threads() < 4 ? ahead : piece((ahead + on.threads() - 1) / on.threads());
    const index_t first = (ahead + share - 1) / share, others = (n - ahead + group - 1) / group;
    on.pieces(nest_step::eliminate_packed, first + others, [&](index_t i) {
      if (i >= first) {
        const index_t from = ahead + (i - first) * group;
        return eliminate(from, detail::min(n, from + group));
      }
      eliminate(i * share, detail::min(ahead, (i + 1) * share));
      if (on.last_of(first)) on.single_threaded([&](auto& here) { next.factor(here); });
    });
  }

  /// The interchanges of later panels for the columns of earlier ones; any panel of A will do.
  template <class On>
  void interchange_left(On& on) const {
    if (options_.choice == pivot_choice::diagonal) return;
    const index_t pieces = on.is_team() ? left_pieces() : 1;
    on.pieces(nest_step::interchange_left_packed, pieces, [&](index_t i) {
      std::byte* const memory = memory_ + static_cast<std::size_t>(i) * lu_left_bytes<T>(A_.rows());
      with_isa(set_, [&](auto target) {
        interchange_left_columns(target, A_, block_, interchanges_.data(),
                                 static_cast<index_t>(interchanges_.size()), i, pieces, memory);
      });
    });
  }

  // The steps of a tournament, panel/tournament.hpp. Until finish() A is as it was: the panel is
  // made in a copy.

  /// The panel as it is before it is factored.
  matrix_view<T> view() const { return A_.block(k_, k_, rows(), cols()); }
  template <class On, class Round>
  void local_lu(On& on, const Round& round) const {
    const index_t slots = by_tournament().local.slots;
    on.pieces(nest_step::local_lu_packed, detail::min(slots, round.groups), [&](index_t slot) {
      for (index_t g = slot; g < round.groups; g += slots)
        by_tournament().local_lu(set_, round, g, slot, block_);
    });
  }
  /// The interchanges; the last round's L11\U11 goes to the copy.
  template <class On>
  void interchange(On& on, std::span<const index_t> candidates) const {
    on.interchanges_from_candidates(candidates, k_, interchanges_,
                                    by_tournament().rules.order.first(detail::as_size(2 * rows())));
    on.once(nest_step::start_packed, [&] { on.fallback_flag() = !start(); });
  }
  template <class On>
  void solve_left(On& on) const {
    const index_t below = rows() - cols();
    on.pieces(nest_step::solve_left_packed, (below + chunk - 1) / chunk, [&](index_t i) {
      if (!on.fallback_flag() && !(solve_left(i) <= by_tournament().rules.max_l))
        on.fallback_flag() = true;
    });
  }
  template <class On>
  void finish(On& on) const {
    const index_t pieces = 1 + (cols() + finish_columns - 1) / finish_columns;
    on.pieces(nest_step::finish_packed, pieces, [&](index_t i) {
      if (!on.fallback_flag())
        finish(i);
      else if (i == 0)
        factor_and_record(on, pivot_choice::largest);
    });
  }

 private:
  static constexpr index_t chunk = 96;  // rows of L21; whole tiles of every type
  static constexpr index_t finish_columns = 16;

  index_t steps() const { return detail::min(A_.rows(), A_.cols()); }
  bool exists() const { return k_ < steps(); }

  template <class On>
  void factor_by(On& on, pivot_choice choice) const {
    on.once(nest_step::factor_packed, [&] { factor_and_record(on, choice); });
  }
  template <class On>
  void factor_and_record(On& on, pivot_choice choice) const {
    const status s = factor_by(choice);
    index_t* const not_finite = options_.not_finite;
    if (not_finite && s.kind() == status_kind::not_finite && choice != pivot_choice::diagonal) {
      if (*not_finite < 0) *not_finite = k_ + s.index();
    } else {
      on.record(s, k_);
    }
  }
  /// [A11; A21] := L\U; the index of a failure counts from A11's first row.
  status factor_by(pivot_choice choice) const {
    const auto own =
        interchanges_.subspan(detail::as_size(k_), detail::as_size(detail::min(rows(), cols())));
    const pivot_faults faults = with_isa(set_, [&](auto target) {
      return factor_lu_panel(target, view(), choice, own.data(), memory_, step());
    });
    for (index_t& row : own) row += k_;
    return status_of(faults, choice);
  }

  /// P, and the copy's A11 = L11\U11. False where its pivots cannot be divided by, or where its
  /// |l_ij| are too large.
  bool start() const {
    const auto root = by_tournament().local.root.block(0, 0, cols(), cols());
    return by_tournament().root_is_bounded(cols()) && with_isa(set_, [&](auto target) {
             return start_candidate_panel<T>(target, chosen(), rows(), interchanges_.data() + k_,
                                             k_, root, memory_);
           });
  }
  /// A chunk of rows of L21, interchanged and solved, in the copy; the largest |l_ij| among them,
  /// NaN where there is one.
  real_t<T> solve_left(index_t i) const {
    const index_t from = cols() + i * chunk, to = detail::min(from + chunk, rows());
    return with_isa(set_, [&](auto target) {
      return solve_candidate_rows(target, chosen(), view(), from, to, step());
    });
  }
  /// Piece 0: what the columns on the right need; others: some columns of the copy back to A.
  void finish(index_t i) const {
    with_isa(set_, [&](auto target) {
      if (i > 0) {
        const index_t from = (i - 1) * finish_columns;
        const index_t to = detail::min(from + finish_columns, cols());
        store_candidate_columns(target, chosen(), view(), from, to);
      } else if (step()) {
        finish_candidate_panel(target, chosen(), step_);
      }
    });
  }

  /// Columns from … to − 1 on the right: interchanged, solved, updated.
  void eliminate(index_t from, index_t to) const {
    from = line_end(from), to = line_end(to);
    const auto C = A_.block(k_, k_ + cols() + from, rows(), to - from);
    with_isa(set_, [&](auto target) { eliminate_columns(target, step_, C); });
  }
  /// Columns that a team's thread takes at a time when there are `n` for each of its turns.
  static constexpr index_t piece(index_t n) {
    constexpr index_t turn = turn_columns;
    return detail::clamp<index_t>(n / turn * turn, turn, turns_of_piece * turn);
  }
  /// How many threads the memory serves in the last pass, and how many are worth their while.
  index_t left_pieces() const {
    const auto room = static_cast<index_t>(lu_panels_bytes<T>(A_.rows(), A_.cols(), block_) /
                                           lu_left_bytes<T>(A_.rows()));
    return detail::clamp<index_t>(detail::min(room, A_.cols() / 256), 1, block_);
  }

  /// Where a piece that would end at column c on the right ends: in row-major storage with a cache
  /// line, as two threads would have to write it in turn.
  index_t line_end(index_t c) const {
    if (!A_.runs_along_rows() || c == 0 || c >= columns_right()) return c;
    constexpr std::uintptr_t line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(&A_(k_, k_ + cols() + c));
    const auto rest = static_cast<index_t>((line - begin % line) % line / sizeof(T));
    return detail::min(columns_right(), c + rest);
  }
  /// What the columns on the right need, where there are some.
  const lu_step<T>* step() const { return columns_right() > 0 ? &step_ : nullptr; }
  const packed_tournament<T>& by_tournament() const { return *options_.by_tournament; }
  candidate_panel<T> chosen() const { return by_tournament().chosen(rows(), cols(), memory_); }

  void place() {
    std::byte* p = options_.step_memory;
    if (k_ / block_ % 2 == 1) p += lu_step_bytes(A_.rows(), block_, sizeof(T));
    step_ = place_lu_step<T>(p, block_, exists() ? cols() : 0);
  }

  isa set_;
  matrix_view<T> A_;
  std::span<index_t> interchanges_;
  index_t block_;
  std::byte* memory_;
  packed_lu_options<T> options_;
  index_t k_ = 0;
  lu_step<T> step_{};
};

#else

// has_kernels<T> is false: named, but never called.
template <class T>
class packed_lu_panel;

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
