#pragma once
// From the arguments of a call on a varied_view to the pieces of its groups, each a batch of one
// size.

#include <atomic>
#include <cstdint>
#include <vector>

#include "trifac/engine/batch/calls/run_factor.hpp"
#include "trifac/engine/batch/varied/check.hpp"
#include "trifac/engine/batch/varied/factor.hpp"
#include "trifac/engine/batch/varied/share.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The factorizations of a varied_view: Work, cholesky_of_batch or lu_of_batch, for each group.
template <class Work>
struct varied_factorization {
  using T = typename Work::value_type;
  using F = decltype(std::declval<Work&>().factor(batch_outcome()));

  varied_state<F> state;
  std::vector<Work> works;
  int32_buffer outcomes;  ///< in the order of the view

  /// Checks all arguments, and takes all memory but the workspace.
  template <PackingBackend B, class Options>
  status prepare(const B& backend, const varied_view<T>& A, const Options& options,
                 const varied_view<T>* sides = nullptr) {
    matrix_list<T> in_A;
    if (const status s = in_A.assign(A, "A"); !s) return s;
    if constexpr (requires { options.interchanges; })
      if (!options.interchanges.empty())
        return status::argument("options.interchanges", "are of batches of one size");
    if (sides)
      if (const status s = check_varied_sides<T>(A, in_A, *sides); !s) return s;
    if (const status s = check_batch_tuning<T>(backend, options.tuning, Work::what, 1, 1); !s)
      return s;
    if (const status s = make_info(options.info, A.batch(), outcomes); !s) return s;
    state.A = A;
    Options of_each = options;
    of_each.info = {};
    if (const status s = Work{{}, of_each}.check(); !s) return s;
    state.order = varied_order<T>(A, sides);
    state.info.resize(as_size(A.batch()));
    state.places.resize(as_size(A.batch()));
    state.groups.reserve(state.order.groups().size());
    works.reserve(state.order.groups().size());
    for (const varied_group& group : state.order.groups()) {
      Options own = options;
      own.info = std::span(state.info).subspan(as_size(group.from), as_size(group.count));
      works.push_back(Work{state.order.matrices(group), own});
      Work& work = works.back();
      status s = work.check();
      if (s && sides && work.A.rows() != work.A.cols()) s = status::argument("A", "is not square");
      if (s)
        s = check_batch_workspace<B, T>(options.workspace, work.A.rows(), work.A.cols(),
                                        columns_of_workspace(group, work));
      int32_buffer info;
      if (s) s = work.make_numbers(info);
      if (!s) return s;
      for (index_t k = 0; k < group.count; ++k)
        state.places[as_size(state.order.which()[as_size(group.from + k)])] = {works.size() - 1, k};
    }
    return {};
  }

  /// Factors all matrices, and solves the systems with the sides of each group, where there are
  /// some.
  template <PackingBackend B>
  status run(const B& backend, std::span<std::byte> workspace,
             const varied_sides<T>* sides = nullptr) {
    std::vector<varied_work> all;
    std::size_t slot = 0;
    for (std::size_t g = 0; g < works.size(); ++g) {
      const varied_group& group = state.order.groups()[g];
      const Work& work = works[g];
      const index_t rows = work.A.rows(), cols = work.A.cols(), lanes = lanes_for<T>(rows, cols);
      if (work.A.empty()) continue;
      if (lanes > 0) slot = max(slot, slot_bytes<T>(rows, cols, columns_of_workspace(group, work)));
      const index_t r = group.shape.sides;
      const double flops =
          work.flops() / static_cast<double>(group.count) + flops_of_solve(rows, r);
      all.push_back({g, 0, group.count, max<index_t>(1, lanes), cost_of(flops, rows * (cols + r))});
    }
    std::vector<batch_sides<T>> of_groups(works.size());
    if (sides)
      for (const varied_part<T>& part : sides->parts()) of_groups[part.group].X = part.sides;
    const status s =
        run_varied<T>(backend, all, slot, workspace,
                      [&](const varied_work& w, index_t from, index_t to, std::byte* memory) {
                        const Work& work = works[w.part];
                        const index_t lanes = lanes_for<T>(work.A.rows(), work.A.cols());
                        if (of_groups[w.part].X.empty())
                          factor_piece(work, lanes, from, to, memory);
                        else
                          factor_and_solve_piece(work, of_groups[w.part], lanes, from, to, memory);
                      });
    for (std::size_t k = 0; k < state.info.size(); ++k)
      if (s) outcomes.span()[as_size(state.order.which()[k])] = state.info[k];
    return s;
  }

 private:
  static index_t columns_of_workspace(const varied_group& group, const Work& work) {
    return max(group.shape.sides, work.columns_of_workspace());
  }
};

/// Checks the arguments, then factors. No exception leaves it.
template <class Work, PackingBackend B, class T, class Options>
auto factor_varied(const B& backend, const varied_view<T>& A, const Options& options) noexcept {
  using F = typename varied_factorization<Work>::F;
  varied_factorization<Work> all;
  const status_kind bad = Work{{}, options}.bad_pivot();
  const status s = without_exceptions([&] {
    const status prepared = all.prepare(backend, A, options);
    return prepared ? all.run(backend, options.workspace) : prepared;
  });
  batch_outcome outcome = outcome_of_call(s, std::move(all.outcomes), bad);
  if (!outcome.status().ok() && !outcome.status().of_the_matrix())
    return varied_factor<F>({}, std::move(outcome));
  for (Work& work : all.works)  // memory for them is there
    all.state.groups.push_back(work.factor({{}, int32_buffer(work.info, work.A.batch()), bad}));
  return varied_factor<F>(std::move(all.state), std::move(outcome));
}

/// The same, and X := A⁻¹·X.
template <class Work, PackingBackend B, class T, class Options>
batch_outcome factor_and_solve_varied(const B& backend, const varied_view<T>& A,
                                      const varied_view<T>& X, const Options& options) noexcept {
  varied_factorization<Work> all;
  const status s = without_exceptions([&] {
    status prepared = check_no_jitter(options, jitter_is_of_cholesky);
    if (prepared) prepared = all.prepare(backend, A, options, &X);
    if (!prepared) return prepared;
    const varied_sides<T> sides(all.state.order, X);
    return all.run(backend, options.workspace, &sides);
  });
  return outcome_of_call(s, std::move(all.outcomes), Work{{}, options}.bad_pivot());
}

/// Systems from … to−1 as a batch of their own, which the kernels divide into lanes from its first
/// one on. Interchanges lie in groups of most_lanes matrices: those of a part that begins within
/// one are copied to `moved`.
template <class T>
batch_systems<T> systems_of_part(batch_systems<T> S, index_t from, index_t to,
                                 std::vector<std::int32_t>& moved) {
  const index_t count = to - from, n = S.factors.rows();
  S.factors = S.factors.matrices(from, count);
  S.sides = S.sides.matrices(from, count);
  S.info = S.info.subspan(as_size(from), as_size(count));
  if (S.interchanges.empty()) return S;
  const simd::lane_pivots places{nullptr, n};
  if (from % simd::most_lanes == 0) {
    S.interchanges = S.interchanges.subspan(as_size(places.offset(from)));
    return S;
  }
  moved.resize(as_size(batch_interchanges_size(count, n, n)));
  for (index_t b = 0; b < count; ++b)
    for (index_t k = 0; k < n * simd::most_lanes; k += simd::most_lanes)
      moved[as_size(places.offset(b) + k)] = S.interchanges[as_size(places.offset(from + b) + k)];
  S.interchanges = moved;
  return S;
}

/// X := op(A)⁻¹·X with the factors of a varied_view.
template <PackingBackend B, class F, class T>
status run_solve_varied(const B& backend, const varied_state<F>& state, const varied_view<T>& X,
                        operation op, const batch_solve_options& options) {
  const varied_sides<T> sides(state.order, X);
  std::vector<varied_work> all;
  std::vector<batch_systems<T>> systems;
  std::vector<std::vector<std::int32_t>> moved(sides.parts().size());
  std::size_t slot = 0;
  for (const varied_part<T>& part : sides.parts()) {
    const index_t n = part.sides.rows(), r = part.sides.cols(), lanes = lanes_for<T>(n, n);
    if (const status s = check_batch_workspace<B, T>(options.workspace, n, n, r); !s) return s;
    if (lanes > 0) slot = max(slot, slot_bytes<T>(n, n, r));
    all.push_back({systems.size(), 0, part.to - part.from, max<index_t>(1, lanes),
                   cost_of(flops_of_solve(n, r), n * (n + r))});
    systems.push_back(systems_of_part(systems_of(state.groups[part.group], part.sides, op),
                                      part.from, part.to, moved[systems.size()]));
  }
  std::atomic<status_kind> failure = status_kind::success;
  const status s = run_varied<T>(
      backend, all, slot, options.workspace,
      [&](const varied_work& w, index_t from, index_t to, std::byte* memory) {
        if constexpr (LapackScalar<T>)
          if (lanes_for<T>(systems[w.part].factors.rows(), systems[w.part].factors.rows()) > 0)
            return batch_calls<T>::solve(systems[w.part], from, to, memory);
        const varied_part<T>& part = sides.parts()[w.part];
        const status solved = without_exceptions([&] {
          return solve_one_by_one(backend::serial{}, state.groups[part.group],
                                  batch_sides<T>{part.sides}, op, part.from + from, part.from + to);
        });
        if (!solved) failure = solved.kind();
      });
  return failure == status_kind::success ? s : status_of_work(failure);
}

/// Checks the arguments, then solves. No exception leaves it.
template <PackingBackend B, class F, class T>
status solve_varied(const B& backend, const varied_factor<F>& f, const varied_view<T>& X,
                    operation op, const batch_solve_options& options) noexcept {
  return without_exceptions([&] {
    const status outcome = f.status();
    if (outcome.kind() == status_kind::empty) return status::argument("factor", outcome.what());
    if (!outcome.ok() && !outcome.of_the_matrix()) return outcome;
    const auto& state = factor_access::state(f);
    matrix_list<T> in_A;
    status s = in_A.assign(state.A, "factor");
    for (index_t b = 0; s && b < state.A.batch(); ++b)
      if (state.A.rows(b) != state.A.cols(b)) s = status::argument("factor", "is not square");
    if (s) s = check_varied_sides<T>(state.A, in_A, X);
    if (s) s = check_operation(op);
    if (s) s = check_floats(options.floats);
    if (s) s = check_batch_tuning<T>(backend, options.tuning, batch_operation::solve, 1, 1);
    if (s) s = run_solve_varied(backend, state, X, op, options);
    return s ? outcome : s;
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
