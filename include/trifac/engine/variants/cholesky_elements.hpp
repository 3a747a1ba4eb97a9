#pragma once
// Cholesky element by element: by rows (Banachiewicz) and by columns (Crout). L may be A (in place)
// or another matrix (out of place: A is only read). Any view with operator()(i, j) will do, such as
// the row pointers of the source (docs/sources.md A).

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// Banachiewicz: row i of L from the rows above it.
///     l_ij = (a_ij − Σ_{k<j} l_ik·conj(l_jk)) / l_jj,  j < i
///     l_ii = sqrt(a_ii − Σ_{k<i} |l_ik|²)
/// n³/3 flops, no workspace. LINPACK: pofa (column j of U from those left of it).
template <class On, class Source, class View>
void cholesky_banachiewicz(On& on, const Source& A, const View& L) {
  for (index_t i = 0; i < A.rows() && !on.stopped(); ++i) {
    on.factor_row(A, L, i);
    on.factor_diagonal(A, L, i);
  }
}

/// Crout: column j of L from the columns left of it.
///     l_jj = sqrt(a_jj − Σ_{k<j} |l_jk|²)
///     l_ij = (a_ij − Σ_{k<j} l_ik·conj(l_jk)) / l_jj,  i > j
/// The last `cutoff` columns run on one thread. n³/3 flops, no workspace. LAPACK: potf2.
template <class On, class Source, class View, class... Sums>
void cholesky_crout(On& on, const Source& A, const View& L, index_t cutoff, Sums... sums) {
  const auto columns = [&](auto& executor, index_t from, index_t to) {
    for (index_t j = from; j < to && !executor.stopped(); ++j) {
      executor.factor_diagonal(A, L, j, sums...);
      executor.factor_column(A, L, j, sums...);
    }
  };
  const index_t shared = detail::max<index_t>(0, A.rows() - cutoff);
  columns(on, 0, shared);
  if (cutoff > 0) on.sequential([&](auto& one_thread) { columns(one_thread, shared, A.rows()); });
}

/// Crout with distributed sums: the thread that computes l_ij adds |l_ij|² to sums[i], so that the
/// diagonal element of column i is
///     l_ii = sqrt(a_ii − sums[i])
/// The last `cutoff` columns run on one thread. n³/3 flops; sums: n zeros of the real type.
template <class On, class Source, class View, class R>
void cholesky_crout_distributed_sum(On& on, const Source& A, const View& L, index_t cutoff,
                                    R* sums) {
  cholesky_crout(on, A, L, cutoff, sums);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
