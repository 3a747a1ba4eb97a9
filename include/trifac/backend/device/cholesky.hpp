#pragma once
// Cholesky on a device: the executor of its loop nests, the choice among them, and the call on a
// host's matrix.

#include "trifac/backend/device/elements.hpp"
#include "trifac/backend/device/host_matrix.hpp"
#include "trifac/backend/device/update.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/cholesky/look_ahead.hpp"
#include "trifac/kernel/cholesky_blocked.hpp"
#include "trifac/kernel/cholesky_diagonal.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The verbs of the blocked nests. Between factor_block (or update_ahead) and solve_below_block the
/// factor of the diagonal block stays packed on the device, and so do the strips that
/// solve_below_block makes for update_ahead.
template <class Runtime, class T>
class cholesky_blocks : public update_verbs<Runtime, T> {
 public:
  using base = update_verbs<Runtime, T>;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;

  cholesky_blocks(session<Runtime>& s, const device_settings& settings) : base(s, settings) {}

  /// Lower triangle of A := L with A = L·Lᴴ.
  void factor_block(view A, index_t first) {
    prepare_diagonal(A.rows());
    if (looks_ahead()) return launch_update_ahead(A, diagonal_.get(), 0, A.rows(), 1, first);
    const oriented a(A);
    launch("cholesky_diagonal", {}, {static_cast<std::size_t>(this->shape().diagonal_items)},
           a.memory, a.offset, static_cast<int>(A.rows()), a.rs, a.cs, a.upper, diagonal_.get(),
           height(), this->state(), first);
  }
  /// A21 := A21·L11⁻ᴴ with the block factored last, and its rows in packed strips.
  void solve_below_block(view A21) {
    solved_ = A21;
    const index_t nb = A21.cols(), padded = this->padded(nb);
    const auto bytes =
        static_cast<std::uint64_t>(padded * (A21.rows() + this->shape().strip())) * sizeof(T);
    if (strips_.bytes() < bytes) strips_ = this->owner().borrow(bytes);
    const oriented a(A21);
    launch("cholesky_solve", {base::parts_of(A21.rows(), this->shape().strip())},
           {static_cast<std::size_t>(this->shape().solve_items())}, a.memory, a.offset, A21.rows(),
           static_cast<int>(nb), a.rs, a.cs, a.upper, diagonal_.get(), height(), strips_.get(),
           this->state());
  }
  /// A22 := A22 − A21·A21ᴴ from the strips, A21 having nb columns, and its leading block of the
  /// same order := L.
  void update_ahead(view A22, index_t nb, index_t first) {
    const index_t next = std::min(nb, A22.rows());
    if constexpr (Runtime::has_second_queue)
      if (A22.rows() > nb && nb % this->shape().strip() == 0) return update_beside(A22, nb, first);
    if (looks_ahead()) {
      const int groups = std::max(2, this->facts().units);
      return launch_update_ahead(A22, strips_.get(), nb, next, groups, first);
    }
    const oriented a(A22);
    this->launch_update(a.upper ? A22.transposed() : A22, strips_.get(), strips_.get(), nb,
                        a.upper ? base::upper_triangle : base::lower_triangle, padded(nb));
    factor_block(A22.block(0, 0, next, next), first);
  }

  /// Columns of a panel; one launch must be worth its while, and a panel must not be most of the
  /// work.
  index_t panel_width(index_t n) const {
    if (this->shape().diagonal_items > 1) return 64;
    return n <= 768 ? 128 : n <= 1536 ? 192 : 256;
  }

 private:
  /// update_ahead() with the next diagonal block in a queue of its own, beside the rest; nb are whole
  /// strips.
  void update_beside(view A22, index_t nb, index_t first) {
    const index_t rest = A22.rows() - nb, columns = padded(nb);
    const bool upper = oriented(A22).upper;
    const view C = upper ? A22.transposed() : A22;
    const int part = upper ? base::upper_triangle : base::lower_triangle;
    const auto top = strips_.get();
    const auto below = Runtime::at(top, static_cast<std::uint64_t>(nb * columns) * sizeof(T));

    typename Runtime::second_queue ahead(this->runtime());
    this->runs_beside(true);
    this->launch_update(C.block(0, 0, nb, nb), top, top, nb, part, columns);
    factor_block(A22.block(0, 0, nb, nb), first);
    this->runs_beside(false);
    if (!rest_by_library(A22, nb)) {
      if (upper)
        this->launch_update(C.block(0, nb, nb, rest), top, below, nb, base::whole, columns);
      else
        this->launch_update(C.block(nb, 0, rest, nb), below, top, nb, base::whole, columns);
      this->launch_update(C.block(nb, nb, rest, rest), below, below, nb, part, columns);
    }
    ahead.join();
  }
  /// The rest of A22 := A22 − A21·A21ᴴ by the library, A21 being what was solved last.
  bool rest_by_library(view A22, index_t nb) {
    if constexpr (Runtime::has_library) {
      const index_t rest = A22.rows() - nb;
      if (!this->uses_library(rest, rest, nb)) return false;
      const auto& library = this->runtime().library();
      const bool upper = oriented(A22).upper;
      // Of a Hermitian matrix that is stored as its transpose, Cᵀ = C̄, all factors are conjugates:
      // C̄ −= Ā·Aᵀ, and Ā is the adjoint of Aᵀ.
      const view top = solved_.block(0, 0, nb, nb), below = solved_.block(nb, 0, rest, nb);
      const view square = A22.block(nb, nb, rest, rest), strip = A22.block(nb, 0, rest, nb);
      if (upper)
        return library.update(strip.transposed(), operand(top, is_complex<T>),
                              operand(below.transposed())) &&
               library.update_triangle(square.transposed(), operand(below, is_complex<T>),
                                       triangle::upper);
      return library.update(strip, operand(below), adjoint(top)) &&
             library.update_triangle(square, operand(below), triangle::lower);
    }
    return false;
  }

  /// A lower triangle as the kernels take it: strides, and whether the storage's upper triangle is
  /// meant because the storage runs along rows.
  struct oriented {
    explicit oriented(const view& A)
        : memory(A.memory()),
          offset(A.offset()),
          upper(A.row_stride() != 1 && A.col_stride() == 1),
          rs(upper ? A.col_stride() : A.row_stride()),
          cs(upper ? A.row_stride() : A.col_stride()) {}
    typename Runtime::handle memory;
    index_t offset;
    int upper;
    index_t rs, cs;
  };

  index_t padded(index_t nb) const {
    const index_t unit = this->shape().solve_n;
    return (nb + unit - 1) / unit * unit;
  }
  int height() const { return static_cast<int>(height_); }
  bool looks_ahead() const {
    return this->shape().stage_k == 0 && this->shape().diagonal_items == 1;
  }
  void launch_update_ahead(view A, typename Runtime::handle strips, index_t nb, index_t next,
                           int groups, index_t first) {
    const oriented a(A);
    launch("cholesky_update_ahead", {static_cast<std::size_t>(groups)}, {}, a.memory, a.offset,
           A.rows(), a.rs, a.cs, a.upper, strips, static_cast<int>(nb), diagonal_.get(), height(),
           static_cast<int>(next), this->state(), first);
  }
  /// Memory for a packed diagonal block and the reciprocals of its diagonal: kernel
  /// cholesky_blocked.
  void prepare_diagonal(index_t nb) {
    const tile_shape& s = this->shape();
    height_ = padded(nb) + static_cast<index_t>(s.solve_v) * s.vector;
    const auto bytes = static_cast<std::uint64_t>(padded(nb) * (height_ + 1)) * sizeof(T);
    if (diagonal_.bytes() < bytes) diagonal_ = this->owner().borrow(bytes);
  }

  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const Arguments&... arguments) {
    if (!program_)
      program_ = &this->load_tiled("cholesky_blocked",
                                   {kernel::cholesky_diagonal, kernel::cholesky_blocked});
    this->enqueue(*program_, kernel_name, groups, items, arguments...);
  }

  scratch diagonal_, strips_;
  view solved_;  // what strips_ holds, in the matrix
  typename Runtime::program* program_ = nullptr;
  index_t height_ = 0;
};

/// The executor of every Cholesky nest.
template <class Runtime, class T>
using cholesky_executor = element_operations<cholesky_blocks<Runtime, T>>;

/// Runs V on matrices in device memory; S is read by the variants by elements, L is overwritten.
template <variant V, class On, class View>
void run_cholesky(On& on, const View& S, const View& L, const cholesky_options& options) {
  using T = typename View::value_type;
  if constexpr (V == variant::best || V == variant::packed) {
    const index_t block = options.block > 0 ? options.block : on.panel_width(L.rows());
    cholesky_look_ahead(on, L, std::min(block, L.rows()));
  } else {
    // The sums live with the executor.
    trifac::detail::run_cholesky<V>(on, S, L, options, static_cast<real_t<T>*>(nullptr));
  }
}

/// A = L·Lᴴ of a matrix in the host's memory; both views are lower triangles. Waits for the result.
template <variant V, class Runtime, class T>
status cholesky_of_host(session<Runtime>& s, device_settings settings, matrix_view<const T> A,
                        matrix_view<T> L, const cholesky_options& options) {
  if (V != variant::crout && settings.columns == column_kernels::single)
    settings.columns = column_kernels::multiple;  // a diagonal belongs to a column there
  return guarded(s, [&] {
    device_times times;
    part_watch watch;
    cholesky_executor<Runtime, T> on(s, settings);
    const bool reads_both = trifac::detail::is_by_elements(V) && A.data() != L.data();
    host_matrix<Runtime, T> to(s, L, extent_of_use::lower_triangle,
                               reads_both ? matrix_view<const T>(L) : A);
    std::optional<host_matrix<Runtime, T>> from;
    if (reads_both) from.emplace(s, writable(A), extent_of_use::lower_triangle);
    times.copy_in = watch.lap();

    run_cholesky<V>(on, from ? from->view() : to.view(), to.view(), options);
    const status outcome = on.finish();
    times.run = watch.lap();

    to.copy_back();
    times.copy_out = watch.lap();
    s.set_times(times);
    return outcome;
  });
}

/// X := (K·Kᴴ)⁻¹·X in the device's memory, K a lower factor, or its conjugate.
template <class On, class View>
void solve_with_cholesky(On& on, const View& K, bool conjugated, const View& X) {
  using T = typename View::value_type;
  using operand = typename On::operand;
  on.solve_lower(operand(K, conjugated), X, diagonal::general);
  on.solve_upper(operand(K.transposed(), is_complex<T> && !conjugated), X, diagonal::general);
}

/// The same with K and X in the host's memory. Waits for the result.
template <class Runtime, class T>
status solve_with_cholesky_of_host(session<Runtime>& s, const device_settings& settings,
                                   const trifac::operand<T>& K, matrix_view<T> X) {
  return guarded(s, [&] {
    update_verbs<Runtime, T> on(s, settings);
    const host_matrix<Runtime, T> factor(s, writable(K.view), extent_of_use::lower_triangle);
    host_matrix<Runtime, T> B(s, X, extent_of_use::all);
    solve_with_cholesky(on, factor.view(), K.conjugated, B.view());
    const status outcome = on.finish();
    B.copy_back();
    return outcome;
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
