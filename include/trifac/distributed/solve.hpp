#pragma once
// distributed::solve: A·X = B with a factor of a matrix on a grid of processes.

#include "trifac/blas/all_finite.hpp"
#include "trifac/detail/overlap.hpp"
#include "trifac/distributed/call.hpp"
#include "trifac/distributed/factor.hpp"
#include "trifac/distributed/interchange.hpp"
#include "trifac/distributed/substitution.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// B goes with A: as many rows, in the same blocks on the same process rows.
template <class Factor, class T>
void state_right_hand_sides(agreement& all, const Factor& f, const array<T>& B) {
  const array<T>& A = f.matrix();
  const auto wrong = [](const char* what) { return status::argument("B", what); };
  all.matrix(A, "A");
  all.matrix(B, "B");
  all.holds(A.desc().rows == A.desc().cols, status::argument("A", "is not square"));
  all.holds(A.desc().row_block == A.desc().col_block, unlike_blocks());
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

/// The first row of X with an element here that is not finite.
template <class T>
std::int64_t first_bad_row(const local_part<T>& X) {
  if (detail::all_finite<T>(X.local)) return no_index;
  index_t l = 0;
  while (detail::all_finite<T>(X.local.row(l))) ++l;
  return X.rows.global(l);
}

/// What solves with either factor prepare: the local parts of A and B, and buffers; nothing where a
/// descriptor is wrong.
template <class T>
struct solve_parts {
  solve_parts(const agreement& all, const array<T>& A, const array<T>& B)
      : F(all.good() ? A.local_part() : local_part<T>()),
        X(all.good() ? B.local_part() : local_part<T>()),
        memory(F, X) {}

  local_part<T> F, X;
  substitution_memory<T> memory;
};

/// B := A⁻¹·B with the Cholesky factor of A, in place. Collective.
/// @param B  n×r, on A's grid, its rows distributed as A's (MB, RSRC), its columns in any blocks
/// @param moved  where not null, the messages and bytes that this process received are added
/// Errors: those of the factor, B untouched; invalid_argument as try_cholesky's; not_finite with
/// the first such row of X; out_of_memory as try_cholesky's. 2n²r flops, shared. ScaLAPACK: p?potrs
/// with ia = ja = ib = jb = 1.
template <Backend On, LapackScalar T>
status try_solve(const On& backend, const cholesky_factor<T>& f, const array<T>& B,
                 traffic* moved = nullptr) noexcept {
  traffic here;
  traffic& received = moved ? *moved : here;
  const array<T>& A = f.matrix();
  if (!A.grid().usable()) return unusable_grid();
  agreement all;
  state_call<T>(all, call::solve_cholesky);
  all.same(static_cast<std::int64_t>(f.part()), "factor");
  all.same(static_cast<std::int64_t>(f.status().kind()), "factor");
  state_right_hand_sides(all, f, B);
  all.holds(detail::check_backend(backend).ok(), no_backend());
  solve_parts<T> parts(all, A, B);
  all.holds(!all.good() || parts.memory.ok(), no_memory());
  if (const status s = all.reach(A.grid(), received); !s) return s;
  if (!f.ok()) return f.status();

  process_executor on;
  const operation first = f.part() == triangle::lower ? operation::none : operation::adjoint;
  const operation second = f.part() == triangle::lower ? operation::adjoint : operation::none;
  for (const operation op : {first, second}) {
    const triangle_of<T> t = {parts.F, f.part(), diagonal::general, op};
    substitution<On, T>(backend, on, t, parts.X, parts.memory, received).run();
  }
  return final_status(A.grid(), on.outcome, on.mine, first_bad_row(parts.X), received);
}

/// B := A⁻¹·B, A⁻ᵀ·B or A⁻ᴴ·B with the LU factor of A, in place. Collective.
/// @param B, moved  as above
/// Errors: those of the factor, B untouched: `singular` too, although that factor is complete; the
/// others as above. 2n²r flops, shared. ScaLAPACK: p?getrs with ia = ja = ib = jb = 1.
template <Backend On, LapackScalar T>
status try_solve(const On& backend, const lu_factor<T>& f, const array<T>& B,
                 operation op = operation::none, traffic* moved = nullptr) noexcept {
  traffic here;
  traffic& received = moved ? *moved : here;
  const array<T>& A = f.matrix();
  if (!A.grid().usable()) return unusable_grid();
  agreement all;
  state_call<T>(all, call::solve_lu);
  all.same(static_cast<std::int64_t>(op), "op");
  all.same(static_cast<std::int64_t>(f.status().kind()), "factor");
  all.holds(detail::is_one_of(op), status::argument("op", "is not one of its enumeration"));
  state_right_hand_sides(all, f, B);
  all.holds(detail::check_backend(backend).ok(), no_backend());
  solve_parts<T> parts(all, A, B);
  const local_part<T>&F = parts.F, &X = parts.X;
  const bool good = all.good();
  all.holds(!good || interchanges_fit(f),
            status::argument("factor", "has interchanges that do not fit"));
  interchange_memory<T> exchanged;
  buffer<index_t> steps;
  if (good) {
    exchanged = interchange_memory<T>(F.rows.block, X.local.cols(), F.rows.size());
    steps = buffer<index_t>(F.rows.block);
  }
  all.holds(!good || (parts.memory.ok() && exchanged.ok() && steps.get()), no_memory());
  if (const status s = all.reach(A.grid(), received); !s) return s;
  if (!f.ok()) return f.status();

  process_executor on;
  const auto interchange_rows = [&](bool backwards) {  // B := P·B or Pᵀ·B
    const index_t blocks = F.rows.blocks();
    for (index_t i = 0; i < blocks; ++i) {
      const index_t k = backwards ? blocks - 1 - i : i, w = F.rows.width(k);
      if (F.rows.mine(k))
        std::copy_n(f.interchanges().data() + F.rows.local(F.rows.first(k)), w, steps.get());
      F.rows.line->broadcast(steps.get(), w, F.rows.owner(k), received);
      interchange(F.rows,
                  exchanged.moves_of({steps.get(), detail::as_size(w)}, F.rows.first(k), backwards),
                  X.local, X.local.block(0, 0, 0, 0), exchanged, received);
    }
  };
  const auto substitute = [&](triangle part, diagonal diag) {
    const triangle_of<T> t = {F, part, diag, op};
    substitution<On, T>(backend, on, t, X, parts.memory, received).run();
  };
  if (op == operation::none) {
    interchange_rows(false);
    substitute(triangle::lower, diagonal::unit);
    substitute(triangle::upper, diagonal::general);
  } else {
    substitute(triangle::upper, diagonal::general);
    substitute(triangle::lower, diagonal::unit);
    interchange_rows(true);
  }
  return final_status(A.grid(), on.outcome, on.mine, first_bad_row(X), received);
}

template <LapackScalar T>
status try_solve(const cholesky_factor<T>& f, const array<T>& B) noexcept {
  return distributed::try_solve(backend::serial{}, f, B);
}
template <LapackScalar T>
status try_solve(const lu_factor<T>& f, const array<T>& B,
                 operation op = operation::none) noexcept {
  return distributed::try_solve(backend::serial{}, f, B, op);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws, on all processes, for every status that is no success.
template <Backend On, LapackScalar T>
void solve(const On& backend, const cholesky_factor<T>& f, const array<T>& B) {
  if (const status s = distributed::try_solve(backend, f, B); !s) detail::throw_status(s);
}
template <Backend On, LapackScalar T>
void solve(const On& backend, const lu_factor<T>& f, const array<T>& B,
           operation op = operation::none) {
  if (const status s = distributed::try_solve(backend, f, B, op); !s) detail::throw_status(s);
}
template <LapackScalar T>
void solve(const cholesky_factor<T>& f, const array<T>& B) {
  distributed::solve(backend::serial{}, f, B);
}
template <LapackScalar T>
void solve(const lu_factor<T>& f, const array<T>& B, operation op = operation::none) {
  distributed::solve(backend::serial{}, f, B, op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
