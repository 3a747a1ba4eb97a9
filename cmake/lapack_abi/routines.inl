// All routines of one scalar type T and one integer type I, and their second names: SciPy's wheels
// call scipy_dgetrf_.

using T = TRIFAC_SCALAR;
using R = real_t<T>;

// IWORK of real matrices, RWORK of complex ones.
#if TRIFAC_LAPACK_COMPLEX
  #define TRIFAC_LAPACK_WORK R
#else
  #define TRIFAC_LAPACK_WORK I
#endif

// In the order in which they build on each other.
// clang-format off
#include "lu.inl"
#include "cholesky.inl"
#include "triangle.inl"
#include "norms.inl"
#include "condition.inl"
#include "refine.inl"
#include "equilibrate.inl"
#include "expert.inl"
// clang-format on
#ifdef TRIFAC_LOW_LETTER
using low = std::conditional_t<is_complex<T>, std::complex<float>, float>;
  #include "mixed.inl"
#endif

#define TRIFAC_ALSO_SCIPY(symbol) TRIFAC_ALIAS(TRIFAC_PASTED(scipy_, symbol, ), symbol)
#define TRIFAC_ROUTINE(name) TRIFAC_ALSO_SCIPY(TRIFAC_LAPACK(name))
#define TRIFAC_MIXED_ROUTINE(name) TRIFAC_ALSO_SCIPY(TRIFAC_LAPACK_MIXED(name))
#include "names.inl"
#undef TRIFAC_MIXED_ROUTINE
#undef TRIFAC_ROUTINE
#undef TRIFAC_ALSO_SCIPY
#undef TRIFAC_LAPACK_WORK
