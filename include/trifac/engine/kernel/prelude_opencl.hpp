#pragma once
// The neutral words of the kernel dialect in OpenCL C 1.2; prelude_cuda.hpp defines them in CUDA
// C++. Kernel texts use only words common to both, except for VW > 1: vectors are OpenCL only.

namespace trifac::kernel {

/// Makes compilers report positions in this source file. Must be on the line on which the raw
/// string begins.
#define TRIFAC_KERNEL_TEXT_(line) #line
#define TRIFAC_KERNEL_TEXT(line) TRIFAC_KERNEL_TEXT_(line)
#define TRIFAC_KERNEL_LINE(file) \
  "#line " TRIFAC_KERNEL_TEXT(__LINE__) " \"trifac/engine/kernel/" file "\"\n"

/// Parameters of every program, as -D options:
///   REAL     float or double            COMPLEX  1 if an element is a pair of REALs, else 0
///   VW       elements in a REALV; 1 on GPUs
///   DOUBLE   1 if REAL is double
///   FAST     defined if the program is compiled with fast-math
inline constexpr const char* prelude_opencl = TRIFAC_KERNEL_LINE("prelude_opencl.hpp") R"kernel(
#if DOUBLE
  #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifndef FAST
  #pragma OPENCL FP_CONTRACT OFF
#endif

typedef long i64;
/* An integer of the size of a REAL. */
#if DOUBLE
typedef long WORD;
#else
typedef int WORD;
#endif

/* Functions and address spaces. LOCAL declares an array of the group, LOCAL_PTR a pointer to
   one. LARGE_LOCAL(type, name, count), at most one per program, declares an array that is
   allocated at launch if LOCAL_WITH_LAUNCH, its size in bytes, is defined: CUDA limits declared
   arrays to 48 KB. */
#define KERNEL __kernel
#define DEVICE static inline
/* A function that must be inlined: tiles passed as arrays would otherwise leave the registers. */
#ifdef __clang__
  #define INLINED static inline __attribute__((always_inline))
#else
  #define INLINED static inline
#endif
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_PTR __local
#define LARGE_LOCAL(type, name, count) LOCAL type name[count]
#define RESTRICT restrict
/* A status word (arithmetic.hpp). Volatile if kernels of two queues run concurrently: one of
   them may read what the other writes. */
#define STATE GLOBAL i64

/* The position of a work-item. GROUP_SHAPE, before the kernel's name, fixes the size of a group;
   so does LAUNCH_BOUNDS, x*y a divisor of 512, which on CUDA limits an item to 128 registers, so
   that the kernel can start while a product of the other queue runs. */
#define GROUP(d) ((i64)get_group_id(d))
#define GROUPS(d) ((i64)get_num_groups(d))
#ifndef CLUSTER_ITEMS
  #define ITEM(d) ((int)get_local_id(d))
  #define ITEMS(d) ((int)get_local_size(d))
#endif
#define GROUP_SHAPE(x, y) __attribute__((reqd_work_group_size(x, y, 1)))
#define LAUNCH_BOUNDS(x, y) GROUP_SHAPE(x, y)
/* All items of a group, or none, must reach a barrier; it orders their local and global memory. */
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* A cluster: in CUDA, up to CLUSTER_MOST groups that run concurrently and can access each
   other's local memory. The definition here is for tests only: one work-group, divided into
   groups of CLUSTER_ITEMS. CLUSTER_LOCAL declares an array of each group, IN_GROUP(name, rank)
   is that of another group, which has started before the first CLUSTER_BARRIER and ends after
   the last. CLUSTER_BARRIER is a barrier of all groups and orders local and global memory among
   them. CLUSTER_SHAPE: LAUNCH_BOUNDS of a group. */
#ifdef CLUSTER_ITEMS
  #ifndef CLUSTER_MOST
    #define CLUSTER_MOST 16
  #endif
  #define CLUSTER_SHAPE(items)
  #define CLUSTER_RANK ((int)get_local_id(0) / CLUSTER_ITEMS)
  #define ITEM(d) ((int)get_local_id(0) % CLUSTER_ITEMS)
  #define CLUSTER_LOCAL(type, name, count)         \
    LOCAL type name##_of_all[CLUSTER_MOST][count]; \
    LOCAL_PTR type* const name = name##_of_all[CLUSTER_RANK]
  #define IN_GROUP(name, rank) (name##_of_all[rank])
  #define CLUSTER_BARRIER() BARRIER()
#endif

/* A warp: WARP consecutive items, which can read each other's registers. SHUFFLE_XOR(room, x,
   mask) is the x of item ITEM(0) ^ mask, mask < WARP, after all items of the warp have called
   SHUFFLE_STORE(room, x) and then SHUFFLE_BARRIER(). room: SHUFFLE_ROOM(items) local elements;
   another SHUFFLE_BARRIER() must precede the next store to them. One axis. */
#define WARP 32
#define SHUFFLE_ROOM(items) (items)
#define SHUFFLE_STORE(room, x) ((room)[ITEM(0)] = (x))
#define SHUFFLE_BARRIER() BARRIER()
#define SHUFFLE_XOR(room, x, mask) ((room)[ITEM(0) ^ (mask)])
/* WARP_BARRIER orders the local memory of a warp. Inside if (WARP_ALONE(c)), with c equal for
   the whole warp, SHUFFLE_BARRIER and WARP_BARRIER are allowed: here they are barriers of the
   group, so all items enter. */
#define WARP_BARRIER() BARRIER()
#define WARP_ALONE(c) (1)

/* Increments the counter at p and returns its old value. p: 64 bits, initially zero. */
#define ATOMIC_INC(p) atomic_inc((volatile GLOBAL int*)(p))

#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("nounroll")
#define NO_VECTOR _Pragma("clang loop vectorize(disable)")

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
/* REALV: VW consecutive REALs. Supported: + - * / fma sqrt, comparison with ?:, load and store. */
#if VW == 1
  #define REALV REAL
  #define LOAD_REALV(p) (*(p))
  #define STORE_REALV(p, x) (*(p) = (x))
  #define STORE_INTS(p, x) (*(p) = (int)(x))
  #define ANY_LANE(m) (m)
#else
  #define REALV JOIN(REAL, VW)
  #ifdef __clang__
    /* PoCL's vload and vstore are nested functions that account for a third of its compile time. */
    typedef REALV REALV_ANYWHERE __attribute__((aligned(sizeof(REAL))));
    #define ACCESS_IN_(space)                                                              \
      DEVICE __attribute__((overloadable)) REALV load_realv(space const REAL* p)           \
      {                                                                                    \
        return *(space const REALV_ANYWHERE*)p;                                            \
      }                                                                                    \
      DEVICE __attribute__((overloadable)) void store_realv(space REAL* p, REALV x)        \
      {                                                                                    \
        *(space REALV_ANYWHERE*)p = x;                                                     \
      }
    ACCESS_IN_(__global)
    ACCESS_IN_(__local)
    ACCESS_IN_(__private)
    #define LOAD_REALV(p) load_realv(p)
    #define STORE_REALV(p, x) store_realv(p, x)
    typedef JOIN(int, VW) INTV_ANYWHERE __attribute__((aligned(4)));
    #define STORE_INTS(p, x) (*(GLOBAL INTV_ANYWHERE*)(p) = JOIN(JOIN(convert_, int), VW)(x))
  #else
    #define LOAD_REALV(p) JOIN(vload, VW)(0, p)
    #define STORE_REALV(p, x) JOIN(vstore, VW)(x, 0, p)
    #define STORE_INTS(p, x) JOIN(vstore, VW)(JOIN(JOIN(convert_, int), VW)(x), 0, p)
  #endif
  /* True if a comparison of REALVs holds in any lane. */
  #define ANY_LANE(m) any(m)
  /* Deinterleaves and interleaves pairs (re, im) in two vectors. */
  #define EVEN_LANES(a, b) ((REALV)((a).even, (b).even))
  #define ODD_LANES(a, b) ((REALV)((a).odd, (b).odd))
  #define LOW_PAIRS(x, re, im) ((x).even = (re).lo, (x).odd = (im).lo)
  #define HIGH_PAIRS(x, re, im) ((x).even = (re).hi, (x).odd = (im).hi)
#endif
)kernel";

}  // namespace trifac::kernel
