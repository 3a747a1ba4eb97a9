#pragma once
// distributed::solve: A·X = B with the factor of a matrix on a process grid.

#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/call/library_factor.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/distributed/call.hpp"
#include "trifac/engine/distributed/factor.hpp"
#include "trifac/engine/distributed/interchange.hpp"
#include "trifac/engine/distributed/substitution.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// B must match A: as many rows, in the same blocks on the same process rows.
template <class Factor, class T>
void state_right_hand_sides(agreement& all, const Factor& f, const array<T>& B) {
  const array<T>& A = f.matrix();
  const auto wrong = [](const char* what) { return status::argument("B", what); };
  all.matrix(A, "A");
  all.matrix(B, "B");
  all.holds(A.desc().rows == A.desc().cols, status::argument("A", "is not square"));
  all.holds(A.desc().row_block == A.desc().col_block, not_square_blocks());
  all.holds(&A.grid() == &B.grid(), wrong("is on another grid than A"));
  all.holds(A.desc().rows == B.desc().rows, wrong("has another number of rows than A"));
  all.holds(A.desc().row_block == B.desc().row_block, wrong("has another row block (MB) than A"));
  all.holds(A.desc().first_row == B.desc().first_row,
            wrong("has another first process row (RSRC) than A"));
  all.messages(A, A.rows().block, "A");
  all.messages(B, A.rows().block, "B");
  all.holds(!all.good() || !f.ok() ||
                !detail::overlap(A.local(), detail::part_in_use::whole, B.local(),
                                 detail::part_in_use::whole),
            wrong("overlaps A"));
}

inline void state_operation(agreement& all, operation op) {
  all.same(static_cast<std::int64_t>(op), "op");
  all.holds(detail::is_one_of(op), status::argument("op", "is not one of its enumeration"));
}

/// The first row of X with a local element that is not finite.
template <class T>
std::int64_t first_bad_row(const local_part<T>& X) {
  if (detail::all_finite<T>(X.local)) return no_index;
  index_t l = 0;
  while (detail::all_finite<T>(X.local.row(l))) ++l;
  return X.rows.global(l);
}

/// Buffers of a solve with interchanges.
template <class T>
struct lu_solve_memory : substitution_memory<T> {
  /// Empty for null matrices.
  lu_solve_memory(const local_part<T>& A, const local_part<T>& B) : substitution_memory<T>(A, B) {
    if (A.grid == nullptr || B.grid == nullptr) return;
    exchanged = interchange_memory<T>(A.rows.block, B.local.cols(), A.rows.size());
    steps = buffer<index_t>(A.rows.block);
  }
  bool ok() const { return substitution_memory<T>::ok() && exchanged.ok() && steps.get(); }

  interchange_memory<T> exchanged;
  buffer<index_t> steps;  ///< interchanges of a block
};

/// A solve with a factor: agreement on arguments, buffers, and one status at the end, as
/// run_factorization.
///   state(all)                        the call's own conditions
///   work(on, F, X, memory, received)  the substitutions, if all agree and the factor is valid
template <class Memory, class On, class Factor, class T, class State, class Work>
status run_solve(call which, const On& backend, const Factor& f, const array<T>& B, traffic* moved,
                 State state, Work work) {
  traffic unused;
  traffic& received = moved ? *moved : unused;
  const array<T>& A = f.matrix();
  if (!A.grid().usable()) return unusable_grid();
  agreement all;
  state_call<T>(all, which);
  all.same(static_cast<std::int64_t>(f.status().kind()), "factor");
  state_right_hand_sides(all, f, B);
  state(all);
  all.holds(detail::check_backend(backend).ok(), no_backend());
  local_part<T> F, X;
  if (all.good()) {
    F = A.local_part();
    X = B.local_part();
  }
  Memory memory(F, X);
  all.holds(!all.good() || memory.ok(), no_memory());
  if (const status s = all.reach(A.grid(), received); !s) return s;
  if (!f.ok()) return f.status();
  process_executor on;
  work(on, F, X, memory, received);
  return final_status(A.grid(), on.outcome, on.mine, first_bad_row(X), received);
}

/// B := op(A)⁻¹·B with the Cholesky factor of A, in place. Collective.
/// @param B  n×r, on A's grid, its rows distributed as A's (MB, RSRC), its columns in any blocks
/// @param moved  if not null, the messages and bytes that this process received are added
/// Errors: those of the factor, B untouched; invalid_argument as try_cholesky; not_finite with the
/// first such row of X, if X overflows or a factor with status success has a zero on the diagonal;
/// out_of_memory as try_cholesky. 2n²r flops in total. ScaLAPACK: p?potrs with ia = ja = ib = jb =
/// 1, which has op = none only.
template <Backend On, LapackScalar T>
status try_solve(const On& backend, const array_cholesky_factor<T>& f, const array<T>& B,
                 operation op = operation::none, traffic* moved = nullptr) noexcept {
  const auto conditions = [&](agreement& all) {
    all.same(static_cast<std::int64_t>(f.part()), "factor");
    state_operation(all, op);
  };
  const auto substitute = [&](process_executor& on, const local_part<T>& F, const local_part<T>& X,
                              substitution_memory<T>& memory, traffic& received) {
    // A = Aᴴ, so Aᵀ = conj(A).
    const bool conjugated = is_complex<T> && op == operation::transpose;
    if (conjugated) detail::conjugate_in_place(X.local);
    const bool lower = f.part() == triangle::lower;
    for (const bool adjoint : {!lower, lower}) {
      const triangle_of<T> t = {F, f.part(), diagonal::non_unit,
                                adjoint ? operation::adjoint : operation::none};
      substitution<On, T>(backend, on, t, X, memory, received).run();
    }
    if (conjugated) detail::conjugate_in_place(X.local);
  };
  return run_solve<substitution_memory<T>>(call::solve_cholesky, backend, f, B, moved, conditions,
                                           substitute);
}

/// B := op(A)⁻¹·B with the LU factor of A, in place. Collective.
/// @param B, moved  as above
/// Errors: those of the factor, including `singular` although that factor is complete, B untouched;
/// others as above. 2n²r flops in total. ScaLAPACK: p?getrs with ia = ja = ib = jb = 1.
template <Backend On, LapackScalar T>
status try_solve(const On& backend, const array_lu_factor<T>& f, const array<T>& B,
                 operation op = operation::none, traffic* moved = nullptr) noexcept {
  const auto conditions = [&](agreement& all) {
    state_operation(all, op);
    all.holds(!all.good() || interchanges_fit(f),
              status::argument("factor", "has interchanges that do not fit"));
  };
  const auto substitute = [&](process_executor& on, const local_part<T>& F, const local_part<T>& X,
                              lu_solve_memory<T>& memory, traffic& received) {
    const auto interchange_rows = [&](detail::interchange_order order) {  // B := P·B or Pᵀ·B
      const index_t blocks = F.rows.blocks();
      index_t* const steps = memory.steps.get();
      for (index_t i = 0; i < blocks; ++i) {
        const index_t k = order == detail::interchange_order::backward ? blocks - 1 - i : i,
                      w = F.rows.width(k);
        const index_t first = F.rows.first(k);
        if (F.rows.mine(k)) std::copy_n(f.interchanges().data() + F.rows.local(first), w, steps);
        F.rows.line->broadcast(steps, w, F.rows.owner(k), received);
        interchange(F.rows, memory.exchanged.moves_of({steps, detail::as_size(w)}, first, order),
                    X.local, X.local.block(0, 0, 0, 0), memory.exchanged, received);
      }
    };
    const auto solve_with = [&](triangle part, diagonal diag) {
      const triangle_of<T> t = {F, part, diag, op};
      substitution<On, T>(backend, on, t, X, memory, received).run();
    };
    if (op == operation::none) {
      interchange_rows(detail::interchange_order::forward);
      solve_with(triangle::lower, diagonal::unit);
      solve_with(triangle::upper, diagonal::non_unit);
    } else {
      solve_with(triangle::upper, diagonal::non_unit);
      solve_with(triangle::lower, diagonal::unit);
      interchange_rows(detail::interchange_order::backward);
    }
  };
  return run_solve<lu_solve_memory<T>>(call::solve_lu, backend, f, B, moved, conditions,
                                       substitute);
}

template <ArrayFactor F>
status try_solve(const F& f, const array<typename F::value_type>& B, operation op = operation::none,
                 traffic* moved = nullptr) noexcept {
  return distributed::try_solve(backend::serial{}, f, B, op, moved);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws, on all processes, for every status but success.
template <Backend On, ArrayFactor F>
void solve(const On& backend, const F& f, const array<typename F::value_type>& B,
           operation op = operation::none, traffic* moved = nullptr) {
  detail::throw_unless_ok(distributed::try_solve(backend, f, B, op, moved));
}
template <ArrayFactor F>
void solve(const F& f, const array<typename F::value_type>& B, operation op = operation::none,
           traffic* moved = nullptr) {
  distributed::solve(backend::serial{}, f, B, op, moved);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
