#pragma once
// The neutral words of the kernel dialect in CUDA C++ for NVRTC (with --fmad=false). Described in
// prelude_opencl.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* prelude_cuda = TRIFAC_KERNEL_LINE("prelude_cuda.hpp") R"kernel(
#if VW != 1
  #error "CUDA has scalar items only: VW must be 1"
#endif

typedef long long i64;
#if DOUBLE
typedef long long WORD;
#else
typedef int WORD;
#endif

#define KERNEL extern "C" __global__
#define DEVICE static __device__ __forceinline__
#define INLINED DEVICE
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_PTR
#ifdef LOCAL_WITH_LAUNCH
  #define LARGE_LOCAL(type, name, count) extern LOCAL type name[]
#else
  #define LARGE_LOCAL(type, name, count) LOCAL type name[count]
#endif
#define RESTRICT __restrict__
#define STATE volatile GLOBAL i64

#define CUDA_AXIS(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : v.z)
#define GROUP(d) ((i64)CUDA_AXIS(blockIdx, d))
#define GROUPS(d) ((i64)CUDA_AXIS(gridDim, d))
#define ITEM(d) ((int)CUDA_AXIS(threadIdx, d))
#define ITEMS(d) ((int)CUDA_AXIS(blockDim, d))
#define GROUP_SHAPE(x, y) __launch_bounds__((x) * (y), 1)
#define LAUNCH_BOUNDS(x, y) __launch_bounds__((x) * (y), 512 / ((x) * (y)))
#define BARRIER() __syncthreads()

#define WARP 32
#define SHUFFLE_ROOM(items) 0
#define SHUFFLE_STORE(room, x) ((void)(room))
#define SHUFFLE_BARRIER()
#define SHUFFLE_XOR(room, x, mask) __shfl_xor_sync(0xffffffffu, x, mask)
#define WARP_BARRIER() __syncwarp()
#define WARP_ALONE(c) (c)

/* From 8.0 on, for real elements: *size and the returned row are those of the best item of a warp:
   the largest size of at least 0, NaN before every number, -1 after every one, and of equal ones
   the smallest row. Sizes are compared as integers, in whose order they are; complex ones may be
   below 0. */
#if __CUDA_ARCH__ >= 800 && !COMPLEX
  #define HAS_BEST_OF_WARP 1
DEVICE int best_of_warp(REAL* size, int row)
{
  #if DOUBLE
  const i64 bits = *size != *size ? 0x7ff8000000000000 : __double_as_longlong(*size);
  const i64 key = *size < 0 ? 0 : bits + 1;
  const unsigned high = (unsigned)(key >> 32), low = (unsigned)key;
  const unsigned first = __reduce_max_sync(0xffffffffu, high);
  const unsigned second = __reduce_max_sync(0xffffffffu, high == first ? low : 0);
  const bool is_best = high == first && low == second;
  const i64 best = (i64)first << 32 | second;
  *size = best == 0 ? -1 : __longlong_as_double(best - 1);
  #else
  const unsigned bits = *size != *size ? 0x7fc00000u : __float_as_uint(*size);
  const unsigned key = *size < 0 ? 0 : bits + 1;
  const unsigned best = __reduce_max_sync(0xffffffffu, key);
  const bool is_best = key == best;
  *size = best == 0 ? -1 : __uint_as_float(best - 1);
  #endif
  return __reduce_min_sync(0xffffffffu, is_best ? row : 0x7fffffff);
}
#endif

#define CLUSTER_MOST 16
#define CLUSTER_SHAPE(items) LAUNCH_BOUNDS(items, 1)
DEVICE int cluster_rank()
{
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
template <class T>
DEVICE T* in_group(T* own, int rank)
{
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
  return there;
}
#define CLUSTER_RANK cluster_rank()
#define CLUSTER_LOCAL(type, name, count) LOCAL type name[count]
#define IN_GROUP(name, rank) in_group(&(name)[0], rank)
#define CLUSTER_BARRIER() \
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory")

#define ATOMIC_INC(p) atomicAdd((int*)(p), 1)

#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#define NO_VECTOR

#define REALV REAL
#define LOAD_REALV(p) (*(p))
#define STORE_REALV(p, x) (*(p) = (x))
#define STORE_INTS(p, x) (*(p) = (int)(x))
#define ANY_LANE(m) (m)
)kernel";

}  // namespace trifac::kernel
