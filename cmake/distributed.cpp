// The library trifac-distributed: the calls of trifac/scalapack.h.

#include "trifac/distributed.hpp"

#include <cctype>
#include <complex>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/blacs.hpp"
#include "trifac/scalapack.h"

namespace {

using namespace trifac;

/// −100·i − j for a matrix that is argument i; which entry j of the descriptor is wrong stands in
/// brackets in the status, as "(LLD)"; of blocks that are not square it is NB.
int descriptor_info(int argument, std::string_view what) {
  constexpr std::string_view entries[] = {"DTYPE", "CTXT", "M",    "N",  "MB",
                                          "NB",    "RSRC", "CSRC", "LLD"};
  const auto open = what.find('(');
  if (open != what.npos)
    for (int j = 0; j < 9; ++j) {
      const std::string_view rest = what.substr(open + 1);
      const std::string_view name = entries[j];
      if (rest.starts_with(name) && (rest[name.size()] == ')' || rest[name.size()] == ' '))
        return -100 * argument - j - 1;
    }
  return -argument;
}

constexpr int no_room = 1010;

/// Where the arguments of a call are, counted from 1.
struct places {
  int option, a, desca, b = 0, descb = 0;
};

int info_of(const status& s, const places& where) {
  switch (s.kind()) {
    case status_kind::success:
      return 0;
    case status_kind::invalid_argument: {
      const std::string_view name = s.argument();
      if (name == "A" || name == "B") {
        const int desc = name == "A" ? where.desca : where.descb;
        const int info = descriptor_info(desc, s.what());
        return info == -desc ? (name == "A" ? -where.a : -where.b) : info;
      }
      if (name == "op") return -1;  // trans; where.option is ipiv's place there
      return -where.option;
    }
    case status_kind::out_of_memory:
    case status_kind::backend_failure:
      return -no_room;
    default:
      return static_cast<int>(s.index()) + 1;
  }
}

/// What the calls ask besides: sizes, the corner (1, 1), one context, room; −info where it does not
/// hold.
struct condition {
  int info;
  bool good;
};

/// 0 where all processes make this call and find all of these good, else −info of the first that
/// one does not; the same on all. desc[1] is a context of this process.
template <std::size_t N>
int agree(distributed::call which, const distributed::grid& on, const condition (&conditions)[N]) {
  distributed::traffic moved;
  distributed::agreement all;
  // First: another call has other conditions.
  all.same(static_cast<std::int64_t>(which), status::at(status_kind::invalid_argument, 1));
  for (const condition& c : conditions)
    all.holds(c.good, status::at(status_kind::invalid_argument, c.info));
  const status s = all.reach(on, moved);
  return s.ok() ? 0 : -static_cast<int>(s.index());
}

bool is_one(const int* i) {
  return *i == 1;
}

/// DTYPE of a dense matrix in blocks; those of band matrices have shorter descriptors.
bool is_dense(const int* desc) {
  return desc[0] == 1;
}

triangle part_of(const char* uplo) {
  return std::toupper(static_cast<unsigned char>(*uplo)) == 'U' ? triangle::upper : triangle::lower;
}
bool is_one_of(const char* letter, std::string_view letters) {
  return letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)))) !=
         letters.npos;
}

/// Whether all processes have the same descriptor of A: before arguments are read whose length
/// follows from it.
template <class T>
status agree_on(const distributed::array<T>& A) {
  distributed::traffic moved;
  distributed::agreement all;
  all.matrix(A, "A");
  return all.reach(A.grid(), moved);
}

/// As agree, after the processes that are in no context have left.
template <std::size_t N>
bool begin(distributed::call which, const distributed::grid& on, int desca,
           const condition (&conditions)[N], int* info) {
  *info = on.usable() ? agree(which, on, conditions) : -100 * desca - 2;
  return *info == 0;
}

template <class T>
void potrf(const char* uplo, const int* n, T* a, const int* ia, const int* ja, const int* desca,
           int* info) {
  const distributed::grid on = distributed::grid_of(desca[1]);
  if (!begin(distributed::call::cholesky, on, 6,
             {{1, is_one_of(uplo, "LU")},
              {2, *n >= 0 && *n == desca[2] && *n == desca[3]},
              {4, is_one(ia)},
              {5, is_one(ja)},
              {601, is_dense(desca)}},
             info))
    return;
  const auto f =
      distributed::try_cholesky(distributed::array_of(on, a, desca), {.part = part_of(uplo)});
  *info = info_of(f.status(), {1, 3, 6});
}

template <class T>
void getrf(const int* m, const int* n, T* a, const int* ia, const int* ja, const int* desca,
           int* ipiv, int* info, pivoting how = pivoting::tournament) {
  const distributed::grid on = distributed::grid_of(desca[1]);
  if (!begin(distributed::call::lu, on, 6,
             {{1, *m >= 0 && *m == desca[2]},
              {2, *n >= 0 && *n == desca[3]},
              {4, is_one(ia)},
              {5, is_one(ja)},
              {601, is_dense(desca)}},
             info))
    return;
  const auto f = distributed::try_lu(distributed::array_of(on, a, desca), {.pivoting = how});
  if (f.status().of_the_matrix())
    for (std::size_t l = 0; l < f.interchanges().size(); ++l)
      ipiv[l] = static_cast<int>(f.interchanges()[l]) + 1;
  *info = info_of(f.status(), {1, 3, 6});
}

template <class T>
void potrs(const char* uplo, const int* n, const int* nrhs, const T* a, const int* ia,
           const int* ja, const int* desca, T* b, const int* ib, const int* jb, const int* descb,
           int* info) {
  const distributed::grid on = distributed::grid_of(desca[1]);
  if (!begin(distributed::call::solve_cholesky, on, 7,
             {{1, is_one_of(uplo, "LU")},
              {2, *n >= 0 && *n == desca[2] && *n == desca[3]},
              {3, *nrhs >= 0 && *nrhs == descb[3]},
              {5, is_one(ia)},
              {6, is_one(ja)},
              {9, is_one(ib)},
              {10, is_one(jb)},
              {701, is_dense(desca)},
              {1101, is_dense(descb)},
              {1102, descb[1] == desca[1]}},
             info))
    return;
  const distributed::array_cholesky_factor<T> f(distributed::array_of(on, const_cast<T*>(a), desca),
                                                part_of(uplo), status(), {});
  *info = info_of(distributed::try_solve(f, distributed::array_of(on, b, descb)), {1, 4, 7, 8, 11});
}

template <class T>
void getrs(const char* trans, const int* n, const int* nrhs, const T* a, const int* ia,
           const int* ja, const int* desca, const int* ipiv, T* b, const int* ib, const int* jb,
           const int* descb, int* info) {
  const distributed::grid on = distributed::grid_of(desca[1]);
  const auto A = distributed::array_of(on, const_cast<T*>(a), desca);
  // That the descriptors are equal is known only after agree_on.
  const bool rows_known = on.usable() && desca[2] >= 0 && desca[4] > 0 && desca[6] >= 0;
  const index_t rows = rows_known ? A.rows().local_count() : 0;
  std::vector<index_t> interchanges;
  const bool room = distributed::make_room(interchanges, rows);
  if (!begin(distributed::call::solve_lu, on, 7,
             {{1, is_one_of(trans, "NTC")},
              {2, *n >= 0 && *n == desca[2] && *n == desca[3]},
              {3, *nrhs >= 0 && *nrhs == descb[3]},
              {5, is_one(ia)},
              {6, is_one(ja)},
              {10, is_one(ib)},
              {11, is_one(jb)},
              {701, is_dense(desca)},
              {1201, is_dense(descb)},
              {1202, descb[1] == desca[1]},
              {no_room, room}},
             info))
    return;
  constexpr places at = {8, 4, 7, 9, 12};
  if (const status s = agree_on(A); !s) {
    *info = info_of(s, at);
    return;
  }
  for (index_t l = 0; l < rows; ++l) interchanges[static_cast<std::size_t>(l)] = ipiv[l] - 1;
  const distributed::array_lu_factor<T> f(A, std::move(interchanges), status(), {}, 0);
  const operation op = is_one_of(trans, "N")   ? operation::none
                       : is_one_of(trans, "T") ? operation::transpose
                                               : operation::adjoint;
  *info = info_of(distributed::try_solve(f, distributed::array_of(on, b, descb), op), at);
}

}  // namespace

void trifac_pspotrf(const char* uplo, const int* n, float* a, const int* ia, const int* ja,
                    const int* desca, int* info) {
  potrf(uplo, n, a, ia, ja, desca, info);
}
void trifac_psgetrf(const int* m, const int* n, float* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info) {
  getrf(m, n, a, ia, ja, desca, ipiv, info);
}
void trifac_psgetrf_partial(const int* m, const int* n, float* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info) {
  getrf(m, n, a, ia, ja, desca, ipiv, info, pivoting::partial);
}
void trifac_pspotrs(const char* uplo, const int* n, const int* nrhs, const float* a, const int* ia,
                    const int* ja, const int* desca, float* b, const int* ib, const int* jb,
                    const int* descb, int* info) {
  potrs(uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info);
}
void trifac_psgetrs(const char* trans, const int* n, const int* nrhs, const float* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, float* b, const int* ib,
                    const int* jb, const int* descb, int* info) {
  getrs(trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info);
}
void trifac_pdpotrf(const char* uplo, const int* n, double* a, const int* ia, const int* ja,
                    const int* desca, int* info) {
  potrf(uplo, n, a, ia, ja, desca, info);
}
void trifac_pdgetrf(const int* m, const int* n, double* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info) {
  getrf(m, n, a, ia, ja, desca, ipiv, info);
}
void trifac_pdgetrf_partial(const int* m, const int* n, double* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info) {
  getrf(m, n, a, ia, ja, desca, ipiv, info, pivoting::partial);
}
void trifac_pdpotrs(const char* uplo, const int* n, const int* nrhs, const double* a, const int* ia,
                    const int* ja, const int* desca, double* b, const int* ib, const int* jb,
                    const int* descb, int* info) {
  potrs(uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info);
}
void trifac_pdgetrs(const char* trans, const int* n, const int* nrhs, const double* a,
                    const int* ia, const int* ja, const int* desca, const int* ipiv, double* b,
                    const int* ib, const int* jb, const int* descb, int* info) {
  getrs(trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info);
}
void trifac_pcpotrf(const char* uplo, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* info) {
  potrf(uplo, n, static_cast<std::complex<float>*>(a), ia, ja, desca, info);
}
void trifac_pcgetrf(const int* m, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info) {
  getrf(m, n, static_cast<std::complex<float>*>(a), ia, ja, desca, ipiv, info);
}
void trifac_pcgetrf_partial(const int* m, const int* n, void* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info) {
  getrf(m, n, static_cast<std::complex<float>*>(a), ia, ja, desca, ipiv, info, pivoting::partial);
}
void trifac_pcpotrs(const char* uplo, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, void* b, const int* ib, const int* jb,
                    const int* descb, int* info) {
  potrs(uplo, n, nrhs, static_cast<const std::complex<float>*>(a), ia, ja, desca,
        static_cast<std::complex<float>*>(b), ib, jb, descb, info);
}
void trifac_pcgetrs(const char* trans, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, void* b, const int* ib,
                    const int* jb, const int* descb, int* info) {
  getrs(trans, n, nrhs, static_cast<const std::complex<float>*>(a), ia, ja, desca, ipiv,
        static_cast<std::complex<float>*>(b), ib, jb, descb, info);
}
void trifac_pzpotrf(const char* uplo, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* info) {
  potrf(uplo, n, static_cast<std::complex<double>*>(a), ia, ja, desca, info);
}
void trifac_pzgetrf(const int* m, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info) {
  getrf(m, n, static_cast<std::complex<double>*>(a), ia, ja, desca, ipiv, info);
}
void trifac_pzgetrf_partial(const int* m, const int* n, void* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info) {
  getrf(m, n, static_cast<std::complex<double>*>(a), ia, ja, desca, ipiv, info, pivoting::partial);
}
void trifac_pzpotrs(const char* uplo, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, void* b, const int* ib, const int* jb,
                    const int* descb, int* info) {
  potrs(uplo, n, nrhs, static_cast<const std::complex<double>*>(a), ia, ja, desca,
        static_cast<std::complex<double>*>(b), ib, jb, descb, info);
}
void trifac_pzgetrs(const char* trans, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, void* b, const int* ib,
                    const int* jb, const int* descb, int* info) {
  getrs(trans, n, nrhs, static_cast<const std::complex<double>*>(a), ia, ja, desca, ipiv,
        static_cast<std::complex<double>*>(b), ib, jb, descb, info);
}
