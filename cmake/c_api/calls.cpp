// The functions of trifac.h for one type, TRIFAC_C_TYPE, whose letter in their names is
// TRIFAC_C_LETTER. Each translates its arguments, makes the C++ call of its name, and translates
// the status.

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <variant>

#include "trifac.h"
#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"

#define TRIFAC_C_JOIN_(letter, name) trifac_##letter##name
#define TRIFAC_C_JOIN(letter, name) TRIFAC_C_JOIN_(letter, name)
#define TRIFAC_C(name) TRIFAC_C_JOIN(TRIFAC_C_LETTER, name)

using namespace trifac;
using T = TRIFAC_C_TYPE;
using R = real_t<T>;

/// The last factorization.
struct TRIFAC_C(factor) {
  std::variant<cholesky_factor<T>, lu_factor<T>> held;
};
struct TRIFAC_C(batch_factor) {
  std::variant<batch_cholesky_factor<T>, batch_lu_factor<T>> held;
};

namespace {

using c_matrix = TRIFAC_C(matrix);
using c_factor = TRIFAC_C(factor);
using c_batch = TRIFAC_C(batch);
using c_batch_factor = TRIFAC_C(batch_factor);

matrix_view<T> view(const c_matrix& A) {
  return {A.data, A.rows, A.cols, A.row_stride, A.col_stride};
}
matrix_view<const T> read_only(const c_matrix& A) {
  return view(A);
}
batch_view<T> view(const c_batch& A) {
  if (A.pointers != nullptr)
    return {A.pointers, A.batch, A.rows, A.cols, A.row_stride, A.col_stride};
  typename batch_view<T>::place where{.row_stride = A.row_stride, .col_stride = A.col_stride};
  where.chunk = A.chunk == 0 ? 1 : A.chunk;
  where.chunk_stride = A.chunk == 0 ? A.matrix_stride : A.chunk_stride;
  where.lane_stride = A.chunk == 0 ? 0 : A.matrix_stride;
  return {A.data, A.batch, A.rows, A.cols, where};
}

/// An empty factor is a wrong argument of the call that uses it.
trifac_status result(const status& s) {
  if (s.kind() == status_kind::empty) return result(status::argument("factor", s.what()));
  return {static_cast<int>(s.kind()), s.index(), s.argument(), s.what()};
}
status null(const char* argument) {
  return status::argument(argument, "is a null pointer");
}

/// What the options of a call say: where it runs, its own options, and whether they are valid.
template <class Options>
struct settings {
  status valid;
  backend::threads where = {.threads = 1};
  Options options = {};
};

/// o := *given, where it is not null. A version with more members takes the sizes before it, too.
template <class O>
status take(const O* given, O& o) {
  if (given == nullptr) return {};
  if (given->size != sizeof(O))
    return status::argument("options.size",
                            "is not that of the struct: initialize it with its macro");
  o = *given;
  return o.threads < 0 ? status::argument("options.threads", "is negative") : status();
}
template <class O>
std::span<std::byte> workspace(const O& o) {
  return {static_cast<std::byte*>(o.workspace), o.workspace == nullptr ? 0 : o.workspace_bytes};
}

/// Of calls on a factor: those on a batch have options in C++.
using settings_on_factor = settings<batch_solve_options>;
settings_on_factor settings_of(const trifac_options* given) {
  trifac_options o = TRIFAC_OPTIONS_INIT;
  const status s = take(given, o);
  return {s, {.threads = o.threads}, {.workspace = workspace(o)}};
}
settings<cholesky_options> settings_of(const trifac_cholesky_options* given) {
  trifac_cholesky_options o = TRIFAC_CHOLESKY_OPTIONS_INIT;
  const status s = take(given, o);
  return {s,
          {.threads = o.threads},
          {.part = triangle{o.part}, .norm = o.norm != 0, .workspace = workspace(o)}};
}
settings<lu_options> settings_of(const trifac_lu_options* given) {
  trifac_lu_options o = TRIFAC_LU_OPTIONS_INIT;
  const status s = take(given, o);
  return {s,
          {.threads = o.threads},
          {.pivoting = pivoting{o.pivoting}, .norm = o.norm != 0, .workspace = workspace(o)}};
}

/// Of a batch; info: the caller's memory for the outcomes, or null.
std::span<std::int32_t> numbers(std::int32_t* info, index_t batch) {
  return {info, info != nullptr && batch > 0 ? static_cast<std::size_t>(batch) : 0};
}
batch_cholesky_options of_batch(const cholesky_options& o, std::span<std::int32_t> info = {}) {
  return {.part = o.part, .info = info, .workspace = o.workspace};
}
batch_lu_options of_batch(const lu_options& o, std::span<std::int32_t> info = {}) {
  return {.pivoting = o.pivoting, .info = info, .workspace = o.workspace};
}
/// info := the outcomes; of a call that failed there are none.
const batch_outcome& with_info(const batch_outcome& outcome, std::int32_t* info) {
  if (info != nullptr) std::ranges::copy(outcome.info(), info);
  return outcome;
}

/// call(f, where) with the factor that a handle holds.
template <class Handle, class Call>
trifac_status with_factor(Handle* factor, const settings_on_factor& with, const Call& call) {
  if (factor == nullptr) return result(null("factor"));
  if (!with.valid) return result(with.valid);
  return result(std::visit([&](auto& f) -> status { return call(f, with.where); }, factor->held));
}

/// modification(where, f, X) of a Cholesky factor.
template <class Modification>
trifac_status modify(c_factor* factor, const c_matrix& X, const trifac_options* options,
                     const Modification& modification) {
  if (factor == nullptr) return result(null("factor"));
  const auto with = settings_of(options);
  if (!with.valid) return result(with.valid);
  auto* const f = std::get_if<cholesky_factor<T>>(&factor->held);
  if (f == nullptr) return result(status::argument("factor", "is not a Cholesky factor"));
  return result(modification(with.where, *f, read_only(X)));
}

}  // namespace

// ---- One matrix ---------------------------------------------------------------------------------

c_factor* TRIFAC_C(factor_create)() {
  return new (std::nothrow) c_factor;
}
void TRIFAC_C(factor_destroy)(c_factor* factor) {
  delete factor;
}

trifac_status TRIFAC_C(cholesky)(c_matrix A, c_factor* factor,
                                 const trifac_cholesky_options* options) {
  if (factor == nullptr) return result(null("factor"));
  const auto with = settings_of(options);
  const auto& f = factor->held.emplace<cholesky_factor<T>>(
      with.valid ? try_cholesky(with.where, view(A), with.options)
                 : cholesky_factor<T>(matrix_view<T>(), triangle::lower, with.valid));
  return result(f.status());
}
std::size_t TRIFAC_C(cholesky_workspace_bytes)(index_t n) {
  return cholesky_workspace_bytes<T>(n);
}

trifac_status TRIFAC_C(lu)(c_matrix A, c_factor* factor, const trifac_lu_options* options) {
  if (factor == nullptr) return result(null("factor"));
  const auto with = settings_of(options);
  const auto& f = factor->held.emplace<lu_factor<T>>(
      with.valid ? try_lu(with.where, view(A), with.options)
                 : lu_factor<T>(matrix_view<T>(), pivots(), with.valid));
  return result(f.status());
}
std::size_t TRIFAC_C(lu_workspace_bytes)(index_t m, index_t n, const trifac_lu_options* options) {
  return lu_workspace_bytes<T>(m, n, settings_of(options).options);
}

const index_t* TRIFAC_C(interchanges)(const c_factor* factor) {
  const auto* const f = factor ? std::get_if<lu_factor<T>>(&factor->held) : nullptr;
  return f && f->status().of_the_matrix() ? f->interchanges().data() : nullptr;
}

trifac_status TRIFAC_C(cholesky_solve)(c_matrix A, c_matrix B,
                                       const trifac_cholesky_options* options) {
  const auto with = settings_of(options);
  if (!with.valid) return result(with.valid);
  return result(try_cholesky_solve(with.where, view(A), view(B), with.options));
}
trifac_status TRIFAC_C(lu_solve)(c_matrix A, c_matrix B, const trifac_lu_options* options) {
  const auto with = settings_of(options);
  if (!with.valid) return result(with.valid);
  return result(try_lu_solve(with.where, view(A), view(B), with.options));
}

trifac_status TRIFAC_C(solve)(const c_factor* factor, c_matrix B, int op,
                              const trifac_options* options) {
  return with_factor(factor, settings_of(options),
                     [&](const auto& f, const backend::threads& where) {
                       return try_solve(where, f, view(B), operation{op});
                     });
}

trifac_status TRIFAC_C(inverse)(const c_factor* factor, c_matrix X, const trifac_options* options) {
  return with_factor(
      factor, settings_of(options),
      [&](const auto& f, const backend::threads& where) { return try_inverse(where, f, view(X)); });
}

trifac_status TRIFAC_C(determinant)(const c_factor* factor, T* value) {
  if (value == nullptr) return result(null("value"));
  return with_factor(factor, {}, [&](const auto& f, const backend::threads&) {
    determinant_t<std::remove_cvref_t<decltype(f)>> det(0);
    const status s = try_determinant(f, det);
    if (s) *value = det;
    return s;
  });
}

trifac_status TRIFAC_C(log_determinant)(const c_factor* factor, T* sign, R* log_abs) {
  if (sign == nullptr) return result(null("sign"));
  if (log_abs == nullptr) return result(null("log_abs"));
  return with_factor(factor, {}, [&](const auto& f, const backend::threads&) {
    signed_logarithm<determinant_t<std::remove_cvref_t<decltype(f)>>> det{};
    const status s = try_log_determinant(f, det);
    if (s) {
      *sign = det.sign;
      *log_abs = det.log_abs;
    }
    return s;
  });
}

trifac_status TRIFAC_C(reciprocal_condition)(const c_factor* factor, int kind, R* value,
                                             const trifac_options* options) {
  if (value == nullptr) return result(null("value"));
  return with_factor(
      factor, settings_of(options), [&](const auto& f, const backend::threads& where) {
        const R norm = f.norm(norm_kind{kind});
        if (f.status().completed() && detail::has_condition(norm_kind{kind}) &&
            !detail::is_finite(norm))
          return status::argument("factor",
                                  "has no finite norm: options.norm was not set, the "
                                  "factor was updated, or the norm overflows");
        return try_reciprocal_condition(where, f, norm, norm_kind{kind}, *value);
      });
}

trifac_status TRIFAC_C(refine)(c_matrix A, const c_factor* factor, c_matrix B, c_matrix X, int op,
                               R* backward_errors, R* forward_bounds,
                               const trifac_options* options) {
  return with_factor(
      factor, settings_of(options), [&](const auto& f, const backend::threads& where) {
        const auto r = try_refine(where, read_only(A), f, read_only(B), view(X), operation{op});
        if (backward_errors != nullptr) std::ranges::copy(r.backward_errors, backward_errors);
        if (forward_bounds != nullptr) std::ranges::copy(r.forward_bounds, forward_bounds);
        return r.status();
      });
}

trifac_status TRIFAC_C(update)(c_factor* factor, c_matrix X, const trifac_options* options) {
  return modify(factor, X, options, [](const auto& where, auto& f, const auto& added) {
    return try_update(where, f, added);
  });
}
trifac_status TRIFAC_C(downdate)(c_factor* factor, c_matrix X, const trifac_options* options) {
  return modify(factor, X, options, [](const auto& where, auto& f, const auto& removed) {
    return try_downdate(where, f, removed);
  });
}

// ---- Batches ------------------------------------------------------------------------------------

c_batch_factor* TRIFAC_C(batch_factor_create)() {
  return new (std::nothrow) c_batch_factor;
}
void TRIFAC_C(batch_factor_destroy)(c_batch_factor* factor) {
  delete factor;
}

trifac_status TRIFAC_C(batch_cholesky)(c_batch A, c_batch_factor* factor, std::int32_t* info,
                                       const trifac_cholesky_options* options) {
  if (factor == nullptr) return result(null("factor"));
  const auto with = settings_of(options);
  const auto& f = factor->held.emplace<batch_cholesky_factor<T>>(
      with.valid ? try_cholesky(with.where, view(A), of_batch(with.options))
                 : batch_cholesky_factor<T>({}, triangle::lower, {with.valid, {}, {}}));
  return result(with_info(f, info).status());
}
trifac_status TRIFAC_C(batch_lu)(c_batch A, c_batch_factor* factor, std::int32_t* info,
                                 const trifac_lu_options* options) {
  if (factor == nullptr) return result(null("factor"));
  const auto with = settings_of(options);
  const auto& f = factor->held.emplace<batch_lu_factor<T>>(
      with.valid ? try_lu(with.where, view(A), of_batch(with.options))
                 : batch_lu_factor<T>({}, pivoting::partial, {}, {with.valid, {}, {}}));
  return result(with_info(f, info).status());
}

trifac_status TRIFAC_C(batch_cholesky_solve)(c_batch A, c_batch B, std::int32_t* info,
                                             const trifac_cholesky_options* options) {
  const auto with = settings_of(options);
  if (!with.valid) return result(with.valid);
  const auto of_A = of_batch(with.options, numbers(info, A.batch));
  return result(try_cholesky_solve(with.where, view(A), view(B), of_A).status());
}
trifac_status TRIFAC_C(batch_lu_solve)(c_batch A, c_batch B, std::int32_t* info,
                                       const trifac_lu_options* options) {
  const auto with = settings_of(options);
  if (!with.valid) return result(with.valid);
  const auto of_A = of_batch(with.options, numbers(info, A.batch));
  return result(try_lu_solve(with.where, view(A), view(B), of_A).status());
}

trifac_status TRIFAC_C(batch_solve)(const c_batch_factor* factor, c_batch B, int op,
                                    const trifac_options* options) {
  const auto with = settings_of(options);
  return with_factor(factor, with, [&](const auto& f, const backend::threads& where) {
    return try_solve(where, f, view(B), operation{op}, with.options);
  });
}

trifac_status TRIFAC_C(batch_inverse)(const c_batch_factor* factor, c_batch X, std::int32_t* info,
                                      const trifac_options* options) {
  return with_factor(factor, settings_of(options),
                     [&](const auto& f, const backend::threads& where) {
                       return with_info(try_inverse(where, f, view(X)), info).status();
                     });
}

std::size_t TRIFAC_C(batch_workspace_bytes)(index_t rows, index_t cols, index_t r, int threads) {
  return batch_workspace_bytes<T>(rows, cols, r > 0 ? r : 0, threads);
}
