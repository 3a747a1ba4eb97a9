// The routines of one scalar type, TRIFAC_LAPACK_TYPE (0 to 3 for s, d, c, z), with integers of 32
// and of 64 bits. Each is written once, by Fortran's arguments, in the files that routines.inl
// includes.

#include "routine.hpp"

#define TRIFAC_PASTE(a, b, c) a##b##c
#define TRIFAC_PASTED(a, b, c) TRIFAC_PASTE(a, b, c)

#if TRIFAC_LAPACK_TYPE == 0
  #define TRIFAC_LETTER s
  #define TRIFAC_LETTER_NAME "S"
  #define TRIFAC_SCALAR float
#elif TRIFAC_LAPACK_TYPE == 1
  #define TRIFAC_LETTER d
  #define TRIFAC_LETTER_NAME "D"
  #define TRIFAC_SCALAR double
  #define TRIFAC_LOW_LETTER s
  #define TRIFAC_MIXED_LETTERS ds
  #define TRIFAC_MIXED_NAME "DS"
#elif TRIFAC_LAPACK_TYPE == 2
  #define TRIFAC_LETTER c
  #define TRIFAC_LETTER_NAME "C"
  #define TRIFAC_SCALAR std::complex<float>
#else
  #define TRIFAC_LETTER z
  #define TRIFAC_LETTER_NAME "Z"
  #define TRIFAC_SCALAR std::complex<double>
  #define TRIFAC_LOW_LETTER c
  #define TRIFAC_MIXED_LETTERS zc
  #define TRIFAC_MIXED_NAME "ZC"
#endif
#define TRIFAC_LAPACK_COMPLEX (TRIFAC_LAPACK_TYPE >= 2)

// The symbol of a routine, dgetrf_ or dgetrf_64_, and what XERBLA is told, "DGETRF".
#define TRIFAC_LAPACK(name) TRIFAC_PASTED(TRIFAC_LETTER, name, TRIFAC_SUFFIX)
#define TRIFAC_LAPACK_LOW(name) TRIFAC_PASTED(TRIFAC_LOW_LETTER, name, TRIFAC_SUFFIX)
#define TRIFAC_LAPACK_MIXED(name) TRIFAC_PASTED(TRIFAC_MIXED_LETTERS, name, TRIFAC_SUFFIX)
#define TRIFAC_LAPACK_NAME(name) TRIFAC_LETTER_NAME name
#define TRIFAC_LAPACK_MIXED_NAME(name) TRIFAC_MIXED_NAME name

#define TRIFAC_EXPORT extern "C" __attribute__((visibility("default")))
#define TRIFAC_ALIAS(alias_name, symbol) \
  TRIFAC_EXPORT decltype(symbol) alias_name __attribute__((alias(TRIFAC_QUOTED(symbol))));
#define TRIFAC_QUOTED(symbol) TRIFAC_QUOTE(symbol)
#define TRIFAC_QUOTE(symbol) #symbol

namespace trifac::lapack_abi {

namespace integers_of_32_bits {
using I = std::int32_t;
#define TRIFAC_SUFFIX _
#include "routines.inl"
#undef TRIFAC_SUFFIX
}  // namespace integers_of_32_bits

namespace integers_of_64_bits {
using I = std::int64_t;
#define TRIFAC_SUFFIX _64_
#include "routines.inl"
#undef TRIFAC_SUFFIX
}  // namespace integers_of_64_bits

}  // namespace trifac::lapack_abi
