#ifndef TRIFAC_DISTRIBUTED_SCALAPACK_H
#define TRIFAC_DISTRIBUTED_SCALAPACK_H
/*
 * Cholesky, LU and solves of distributed matrices for C and Fortran: arguments and semantics are
 * those of ScaLAPACK's p?potrf, p?getrf, p?potrs and p?getrs with ia = ja = ib = jb = 1 and a BLACS
 * context in desc[1]. Link with the library trifac-distributed (CMake:
 * find_package(trifac COMPONENTS scalapack), trifac::scalapack).
 *
 * Collective over the context. *info is the same on all processes:
 *   0        success
 *   -i       argument i is invalid or differs between processes; nothing was modified. -1, too,
 *            where a process makes another of these calls
 *   -100i-j  the same for entry j of the descriptor in argument i
 *   k > 0    p?potrf: the leading minor of order k is not positive definite, or NaN;
 *            p?getrf: U(k,k) is zero (L\U is complete) or not finite; p?getrs, p?potrs: row k of X
 *            is the first that is not finite. Zeros on the diagonal are not detected, as in
 *            ScaLAPACK: after k > 0 from p?getrf X has infinities and NaN
 *   -1010    a process ran out of memory: for the buffers, then nothing was modified; or in a local
 *            call later, then the matrix being overwritten is unspecified
 * Differences from ScaLAPACK: m, n and nrhs are those of the descriptors; blocks are square (MB =
 * NB); trifac_p?getrf chooses the pivots of a panel by a tournament, so some |l_ij| may exceed 1
 * (at most 64); ipiv has ScaLAPACK's meaning. trifac_p?getrf_partial has the same arguments and
 * pivots as ScaLAPACK, |l_ij| ≤ 1 (complex: √2), with messages for each column; of equal candidates
 * it takes the first row of the matrix on every grid, ScaLAPACK only on grids of one process row.
 * trifac_p?getrs and ScaLAPACK's accept both factors.
 */
#ifdef __cplusplus
extern "C" {
#endif

/* float */
void trifac_pspotrf(const char* uplo, const int* n, float* a, const int* ia, const int* ja,
                    const int* desca, int* info);
void trifac_psgetrf(const int* m, const int* n, float* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info);
void trifac_psgetrf_partial(const int* m, const int* n, float* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info);
void trifac_pspotrs(const char* uplo, const int* n, const int* nrhs, const float* a, const int* ia,
                    const int* ja, const int* desca, float* b, const int* ib, const int* jb,
                    const int* descb, int* info);
void trifac_psgetrs(const char* trans, const int* n, const int* nrhs, const float* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, float* b, const int* ib,
                    const int* jb, const int* descb, int* info);

/* double */
void trifac_pdpotrf(const char* uplo, const int* n, double* a, const int* ia, const int* ja,
                    const int* desca, int* info);
void trifac_pdgetrf(const int* m, const int* n, double* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info);
void trifac_pdgetrf_partial(const int* m, const int* n, double* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info);
void trifac_pdpotrs(const char* uplo, const int* n, const int* nrhs, const double* a, const int* ia,
                    const int* ja, const int* desca, double* b, const int* ib, const int* jb,
                    const int* descb, int* info);
void trifac_pdgetrs(const char* trans, const int* n, const int* nrhs, const double* a,
                    const int* ia, const int* ja, const int* desca, const int* ipiv, double* b,
                    const int* ib, const int* jb, const int* descb, int* info);

/* single complex */
void trifac_pcpotrf(const char* uplo, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* info);
void trifac_pcgetrf(const int* m, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info);
void trifac_pcgetrf_partial(const int* m, const int* n, void* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info);
void trifac_pcpotrs(const char* uplo, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, void* b, const int* ib, const int* jb,
                    const int* descb, int* info);
void trifac_pcgetrs(const char* trans, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, void* b, const int* ib,
                    const int* jb, const int* descb, int* info);

/* double complex */
void trifac_pzpotrf(const char* uplo, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* info);
void trifac_pzgetrf(const int* m, const int* n, void* a, const int* ia, const int* ja,
                    const int* desca, int* ipiv, int* info);
void trifac_pzgetrf_partial(const int* m, const int* n, void* a, const int* ia, const int* ja,
                            const int* desca, int* ipiv, int* info);
void trifac_pzpotrs(const char* uplo, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, void* b, const int* ib, const int* jb,
                    const int* descb, int* info);
void trifac_pzgetrs(const char* trans, const int* n, const int* nrhs, const void* a, const int* ia,
                    const int* ja, const int* desca, const int* ipiv, void* b, const int* ib,
                    const int* jb, const int* descb, int* info);

#ifdef __cplusplus
}
#endif

#endif
