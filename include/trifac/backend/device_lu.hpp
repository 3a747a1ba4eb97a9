#pragma once
// LU on a device: the executor of its loop nests, and the calls on a host's matrices.

#include <span>

#include "trifac/backend/device_lu_blocks.hpp"
#include "trifac/backend/device_update.hpp"
#include "trifac/backend/host_matrix.hpp"
#include "trifac/kernel/lu_panel.hpp"
#include "trifac/kernel/lu_pivot.hpp"
#include "trifac/kernel/lu_rows.hpp"
#include "trifac/kernel/lu_solve.hpp"
#include "trifac/kernel/tournament.hpp"
#include "trifac/lu.hpp"

namespace trifac::device {

/// A run of row numbers in device memory, with the members of std::span that a tournament uses.
template <class Handle>
struct device_indices {
  Handle memory{};
  index_t offset = 0, count = 0;

  bool empty() const { return count == 0; }
  device_indices first(index_t n) const { return {memory, offset, n}; }
  device_indices last(index_t n) const { return {memory, offset + count - n, n}; }
};

/// Where a tournament on a device keeps what it works on. The scales live with the executor.
template <class T, class Handle>
struct device_memory {
  struct scales {
    selection rule = selection::plain;
    bool empty() const { return rule == selection::plain; }
  };
  using view = device_view<T, Handle>;
  using const_view = view;
  using indices = device_indices<Handle>;
  using const_indices = indices;
};

inline namespace TRIFAC_ABI {

/// The verbs of LU; see backend.hpp for their equations. The interchanges live on the device: the
/// spans that the nests hand over name them and are not looked at.
template <class Runtime, class T>
class lu_executor : public update_verbs<Runtime, T> {
 public:
  using base = update_verbs<Runtime, T>;
  using typename base::handle;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;
  using memory = device_memory<T, handle>;
  using indices = typename memory::indices;
  using spans = std::span<const index_t>;

  /// `count` interchanges, at the start none.
  lu_executor(session<Runtime>& s, const device_settings& settings, index_t count)
      : base(s, settings), interchanges_(base::template borrow<index_t>(count)) {
    const extent items = this->line(count);
    if (count > 0)
      launch("reset_interchanges", {base::parts_of(count, index_of(items.x))}, items,
             interchanges_.get(), count);
  }

  /// The interchanges := those of the host, and back. Reading waits.
  void write_interchanges(spans from) {
    this->runtime().write(interchanges_.get(), 0, from.data(), from.size_bytes());
  }
  void read_interchanges(std::span<index_t> to) {
    this->runtime().read(interchanges_.get(), 0, to.data(), to.size_bytes());
  }

  void factor_panel(view A, index_t first, spans) { eliminate(A, first, plain_rule); }
  void factor_block_lu(view A, index_t first) { eliminate(A, first, no_pivoting); }

  void swap_rows(view A, index_t from, index_t to, spans) { exchange(A, from, to, 0); }
  void swap_rows_back(view A, index_t from, index_t to, spans) { exchange(A, from, to, 1); }

  /// The solves leave their unknowns in packed strips, which an update that follows takes.
  void solve_lower(operand L, view B, diagonal diag) {
    if constexpr (Runtime::has_library)
      if (diag == diagonal::unit && this->uses_library(B.cols(), B.cols(), B.rows()) &&
          this->runtime().library().solve_lower(L, B, diag))
        return forget();
    substitute(L, B, diag, is_complex<T>, rows_of_product_);
  }
  void solve_upper(operand U, view B, diagonal diag) {
    const view& V = U.view;
    const index_t last = V.rows() - 1;
    const view turned(V.memory(), V.offset() + last * (V.row_stride() + V.col_stride()), V.rows(),
                      V.cols(), -V.row_stride(), -V.col_stride());
    const view upside_down(B.memory(), B.offset() + last * B.row_stride(), B.rows(), B.cols(),
                           -B.row_stride(), B.col_stride());
    substitute({turned, U.conjugated}, upside_down, diag, is_complex<T>, rows_of_product_);
    rows_of_product_.unknowns = {};  // they lie upside down
  }
  void solve_right_upper(operand U, view B) {
    substitute(U.transposed(), B.transposed(), diagonal::general, false, columns_of_product_);
  }

  void update(view C, operand A, operand B) {
    if (base::update_by_library(C, A, B)) return forget();
    const bool has_left = columns_of_product_.holds(A.view.transposed()) && !A.conjugated;
    const bool has_right = rows_of_product_.holds(B.view) && !B.conjugated;
    const index_t depth = A.cols(), padded = round_up(depth, this->shape().solve_n);
    const bool along_rows = C.row_stride() != 1 && C.col_stride() == 1;
    // Strips from a solve and strips packed here have the same pitch where nothing was padded.
    const bool usable = (has_left && has_right) || ((has_left || has_right) && padded == depth);
    if (!usable || C.empty() || (along_rows && is_complex<T>)) {
      base::update(C, A, B);
    } else {
      scratch packed;
      if (!has_left) packed = this->pack(A);
      if (!has_right) packed = this->pack(trifac::device::adjoint(B.view));
      const handle left = has_left ? columns_of_product_.strips.get() : packed.get();
      const handle right = has_right ? rows_of_product_.strips.get() : packed.get();
      if (along_rows)
        this->launch_update(C.transposed(), right, left, depth, base::whole, padded);
      else
        this->launch_update(C, left, right, depth, base::whole, padded);
    }
    forget();
  }

  /// Looks at what no pivot has shown.
  void check_edges(view A) {
    launch("check_edges", {}, {}, A.memory(), A.offset(), A.rows(), A.cols(), A.row_stride(),
           A.col_stride(), this->state());
  }

  void copy(view A, view B) {
    if (A.empty()) return;
    forget();
    const extent items = this->line(A.rows());
    launch("copy_guarded", {base::parts_of(A.rows(), index_of(items.x))}, items, A.memory(),
           A.offset(), A.row_stride(), A.col_stride(), B.memory(), B.offset(), B.row_stride(),
           B.col_stride(), A.rows(), A.cols(), guarded_, this->state());
  }

  void play(const tournament_round<T, memory>& round) {
    const index_t most = (round.units + round.games - 1) / round.games * round.unit;
    const index_t b = round.panel.cols(), height = panel_height(most);
    const index_t columns = b + kernel::panel_cols_beyond;
    reserve<T>(panel_, round.games * height * columns);
    reserve<T>(step_, round.games * kernel::panel_cols_beyond * columns);
    reserve<real_t<T>>(scales_, round.games * height);
    reserve<index_t>(exchanges_, round.games * b);
    const view &A = round.panel, &root = round.copies;
    launch_tournament(
        "play", {static_cast<std::size_t>(round.games)}, panel_items(), A.memory(), A.offset(),
        A.row_stride(), A.col_stride(), static_cast<int>(b),
        static_cast<int>(!round.candidates.empty()),
        round.candidates.empty() ? round.order.memory : round.candidates.memory,
        round.candidates.offset, round.winners.memory, round.winners.offset, round.order.memory,
        round.games, round.units, round.unit, round.scales.empty() ? plain_rule : scaled_rule,
        panel_.get(), static_cast<int>(height), step_.get(), scales_.get(), exchanges_.get(),
        root.memory(), root.offset(), root.row_stride(), root.col_stride(), this->state());
  }
  void adopt_winners(indices winners, index_t first, spans, indices places) {
    launch_tournament("adopt_winners", {}, this->line(places.count / 2), winners.memory,
                      winners.offset, static_cast<int>(winners.count), first, places.count / 2,
                      interchanges_.get(), places.memory, this->state());
  }
  void judge(view U11, view L21, double limit) {
    const index_t rows = U11.rows() + L21.rows();
    const extent items = this->line(rows);
    launch_tournament("judge", {base::parts_of(rows, index_of(items.x))}, items, U11.memory(),
                      U11.offset(), L21.memory(), L21.offset(), L21.rows(),
                      static_cast<int>(U11.cols()), U11.row_stride(), U11.col_stride(),
                      static_cast<real_t<T>>(limit), this->state());
  }
  /// The steps are enqueued in any case and return unless judge() asked for them.
  template <class Nest>
  void fallback(Nest nest) {
    guarded_ = 1;
    nest(*this);
    guarded_ = 0;
    launch_tournament("settle_fallback", {}, {}, this->state());
  }

  /// Columns of a panel.
  index_t panel_width(index_t n) const {
    return this->shape().diagonal_items > 1 || n <= 1024 ? 64 : 128;
  }

 private:
  static constexpr int no_pivoting = 0, plain_rule = 1, scaled_rule = 2;  // kernel/lu_panel.hpp
  static constexpr index_t solve_block = 256;  // unknowns of one substitution

  /// Unknowns of the last solve in packed strips.
  struct solved {
    view unknowns;
    scratch strips;

    bool holds(const view& A) const {
      const view& X = unknowns;
      return !X.empty() && X.memory() == A.memory() && X.offset() == A.offset() &&
             X.rows() == A.rows() && X.cols() == A.cols() && X.row_stride() == A.row_stride() &&
             X.col_stride() == A.col_stride();
    }
  };

  static index_t round_up(index_t n, index_t unit) { return (n + unit - 1) / unit * unit; }
  static index_t index_of(std::size_t n) { return static_cast<index_t>(n); }
  /// Memory that is kept until a larger piece is wanted.
  template <class Element>
  void reserve(scratch& s, index_t count) {
    const auto bytes = static_cast<std::uint64_t>(count) * sizeof(Element);
    if (s.bytes() < bytes) s = this->owner().borrow(bytes);
  }
  // An odd number of cache lines, so that columns do not meet in the same set.
  static index_t panel_height(index_t rows) {
    return (rows + kernel::panel_rows_beyond + 15) / 16 * 16 + 8;
  }
  extent panel_items() const { return {static_cast<std::size_t>(this->shape().diagonal_items)}; }
  /// What the solves left is no longer what lies in the matrix.
  void forget() { rows_of_product_.unknowns = columns_of_product_.unknowns = {}; }

  void eliminate(view A, index_t first, int rule) {
    forget();
    const index_t columns = A.cols() + kernel::panel_cols_beyond, height = panel_height(A.rows());
    if (height > std::numeric_limits<int>::max())
      throw backend_error("a panel of more than 2^31 rows");
    reserve<T>(panel_, height * columns);
    reserve<T>(step_, kernel::panel_cols_beyond * columns);
    launch("factor_panel", {}, panel_items(), A.memory(), A.offset(), static_cast<int>(A.rows()),
           static_cast<int>(A.cols()), A.row_stride(), A.col_stride(), rule, panel_.get(),
           static_cast<int>(height), step_.get(), first, interchanges_.get(), guarded_,
           this->state());
  }

  // On a CPU an item takes several columns: there is nothing that neighbouring items could share.
  void exchange(view A, index_t from, index_t to, int backward) {
    if (A.empty() || from >= to) return;
    forget();
    const bool alone = this->shape().diagonal_items == 1;
    const index_t share = alone ? 8 : 1;
    const extent items = alone ? extent{} : this->line(A.cols());
    launch("swap_rows", {base::parts_of(A.cols(), share * index_of(items.x))}, items, A.memory(),
           A.offset(), A.cols(), A.row_stride(), A.col_stride(), from, to, backward,
           static_cast<int>(share), interchanges_.get());
  }

  /// L·X = B by blocks; the last block's unknowns stay in `into`, conjugated where asked.
  void substitute(operand L, view B, diagonal diag, bool conjugated, solved& into) {
    into.unknowns = {};
    if (B.empty()) return;
    for (index_t k = 0; k < B.rows(); k += solve_block) {
      const index_t b = std::min(solve_block, B.rows() - k), below = B.rows() - k - b;
      const view B1 = B.block(k, 0, b, B.cols());
      substitute_block(L.block(k, k, b, b), B1, diag, conjugated, into.strips);
      if (below > 0)
        base::update(B.block(k + b, 0, below, B.cols()), L.block(k + b, k, below, b), B1);
    }
    if (B.rows() <= solve_block) into.unknowns = B;
  }
  void substitute_block(operand L, view B, diagonal diag, bool conjugated, scratch& strips) {
    const index_t n = B.rows(), count = B.cols(), strip = this->shape().strip();
    const index_t padded = round_up(n, this->shape().solve_n);
    const int unit = diag == diagonal::unit;
    reserve<T>(triangle_, padded * padded);
    reserve<T>(strips, round_up(count, strip) * padded);
    const view& V = L.view;
    launch("pack_triangle", {static_cast<std::size_t>(padded)},
           this->shape().diagonal_items == 1 ? extent{} : this->line(padded), V.memory(),
           V.offset(), static_cast<int>(n), V.row_stride(), V.col_stride(),
           static_cast<int>(L.conjugated != conjugated), unit, triangle_.get(),
           static_cast<int>(padded), this->state());
    launch("substitute", {base::parts_of(count, strip)},
           {static_cast<std::size_t>(this->shape().solve_items())}, B.memory(), B.offset(), count,
           static_cast<int>(n), B.row_stride(), B.col_stride(), static_cast<int>(conjugated), unit,
           triangle_.get(), static_cast<int>(padded), strips.get(), this->state());
  }

  // Two programs, so that only what a factorization uses gets compiled.
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const Arguments&... arguments) {
    if (!program_)
      program_ = &this->load_tiled(
          "lu", {kernel::lu_pivot, kernel::lu_panel, kernel::lu_solve, kernel::lu_rows});
    this->runtime().launch(*program_, kernel_name, groups, items, arguments...);
  }
  template <class... Arguments>
  void launch_tournament(const char* kernel_name, extent groups, extent items,
                         const Arguments&... arguments) {
    if (!tournament_)
      tournament_ =
          &this->load_tiled("tournament", {kernel::lu_pivot, kernel::lu_panel, kernel::tournament});
    this->runtime().launch(*tournament_, kernel_name, groups, items, arguments...);
  }

  typename base::program* program_ = nullptr;
  typename base::program* tournament_ = nullptr;
  scratch interchanges_, panel_, step_, scales_, exchanges_, triangle_;
  solved rows_of_product_, columns_of_product_;
  int guarded_ = 0;
};

/// P·A = L·U in device memory; nothing waits.
template <variant V, class Runtime, class T>
void run_lu(lu_executor<Runtime, T>& on, session<Runtime>& s,
            device_view<T, typename Runtime::handle> A, std::span<index_t> interchanges,
            const lu_options& options) {
  using memory = typename lu_executor<Runtime, T>::memory;
  const index_t m = A.rows(), n = A.cols(), steps = std::min(m, n);
  const index_t block = std::min(options.block > 0 ? options.block : on.panel_width(steps), steps);
  const bool plays = options.pivoting == pivoting::tournament;
  const auto elements =
      s.borrow(plays ? static_cast<std::uint64_t>((m + block) * block) * sizeof(T) : 0);
  const auto numbers = s.borrow(plays ? static_cast<std::uint64_t>(4 * m) * sizeof(index_t) : 0);
  const tournament<T, memory> games{.leaves = options.leaves,
                                    .arity = options.arity,
                                    .max_l = options.max_l,
                                    .rule = options.selection,
                                    .base = block,
                                    .games = {elements.get(), 0, m, block, 1, m},
                                    .root = {elements.get(), m * block, block, block, 1, block},
                                    .rows = {numbers.get(), 2 * m, 2 * m},
                                    .order = {numbers.get(), 0, 2 * m},
                                    .scales = {options.selection}};
  trifac::detail::run_lu<V>(on, A, interchanges, block, options.pivoting, games);
}

/// A = L·U with the source's kernels, all of one family.
template <variant V, class On, class View>
void run_without_pivoting(On& on, View A, index_t block) {
  if constexpr (V == variant::unblocked)
    lu_unblocked(on, A);
  else
    lu_four_block(on, A, block);
}

/// P·A = L·U of a matrix in the host's memory. Waits for the result.
template <variant V, class Runtime, class T>
status lu_of_host(session<Runtime>& s, const device_settings& settings, matrix_view<T> A,
                  std::span<index_t> interchanges, const lu_options& options) {
  return guarded(s, [&] {
    device_times times;
    const stopwatch copying_in;
    host_matrix<Runtime, T> on_device(s, A, extent_of_use::all);
    times.copy_in = copying_in.seconds();

    const stopwatch running;
    status outcome;
    if (options.pivoting == pivoting::none && settings.blocks != block_kernels::packed) {
      const index_t block = trifac::detail::lu_block(A.rows(), A.cols(), options);
      block_executor<Runtime, T> on(s, settings, block);
      run_without_pivoting<V>(on, on_device.view(), block);
      outcome = on.finish();
    } else {
      lu_executor<Runtime, T> on(s, settings, static_cast<index_t>(interchanges.size()));
      run_lu<V>(on, s, on_device.view(), interchanges, options);
      outcome = on.finish();
      on.read_interchanges(interchanges);
    }
    times.run = running.seconds();

    const stopwatch copying_out;
    on_device.copy_back();
    times.copy_out = copying_out.seconds();
    s.set_times(times);
    return outcome;
  });
}

/// P·A = L·U:  X := op(A)⁻¹·X with A⁻¹ = U⁻¹·L⁻¹·P,  A⁻ᵀ = Pᵀ·L⁻ᵀ·U⁻ᵀ, all in device memory.
template <class Runtime, class T, class View>
void solve_with_lu(lu_executor<Runtime, T>& on, View LU, std::span<const index_t> interchanges,
                   operation op, View X) {
  if (op == operation::none) {
    on.swap_rows(X, 0, X.rows(), interchanges);
    on.solve_lower(LU, X, diagonal::unit);
    on.solve_upper(LU, X, diagonal::general);
    return;
  }
  const typename lu_executor<Runtime, T>::operand transposed(
      LU.transposed(), is_complex<T> && op == operation::adjoint);
  on.solve_lower(transposed, X, diagonal::general);
  on.solve_upper(transposed, X, diagonal::unit);
  on.swap_rows_back(X, 0, X.rows(), interchanges);
}

/// X := op(A)⁻¹·X with the factors of A, all in the host's memory. Waits for the result.
template <class Runtime, class T>
status solve_with_lu_of_host(session<Runtime>& s, const device_settings& settings,
                             matrix_view<const T> LU, std::span<const index_t> interchanges,
                             operation op, matrix_view<T> X) {
  return guarded(s, [&] {
    lu_executor<Runtime, T> on(s, settings, static_cast<index_t>(interchanges.size()));
    on.write_interchanges(interchanges);
    // Only read, but a device's memory has no const.
    const matrix_view<T> factor(const_cast<T*>(LU.data()), LU.rows(), LU.cols(), LU.row_stride(),
                                LU.col_stride());
    host_matrix<Runtime, T> A(s, factor, extent_of_use::all), B(s, X, extent_of_use::all);
    solve_with_lu(on, A.view(), interchanges, op, B.view());
    const status outcome = on.finish();
    B.copy_back();
    return outcome;
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
