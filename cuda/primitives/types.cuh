// Fixed-width names and function attributes. NVRTC has no standard headers, so nothing here
// includes one.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#ifdef __CUDACC__
#define GECC_FN static __device__ __forceinline__
#define GECC_MEMBER __device__ __forceinline__
// For long routines that several call sites share: one copy in the instruction cache.
#define GECC_SHARED_FN static __device__ __noinline__
// A table that is indexed at run time. It is in constant memory, because a local array would be
// built on the stack.
#define GECC_TABLE static __device__ __constant__ const
#define GECC_UNROLL _Pragma("unroll")
#define GECC_NO_UNROLL _Pragma("unroll 1")
#define GECC_UNROLL_BY_6 _Pragma("unroll 6")
#define GECC_UNROLL_BY_4 _Pragma("unroll 4")
#define GECC_TRAP() __trap()
#else
#define GECC_FN static inline
#define GECC_MEMBER inline
#define GECC_SHARED_FN static inline
#define GECC_TABLE static const
#define GECC_UNROLL
#define GECC_NO_UNROLL
#define GECC_UNROLL_BY_6
#define GECC_UNROLL_BY_4
#define GECC_TRAP() __builtin_trap()
#endif

// Representation bounds and preconditions, checked in debug builds (-DGECC_DEBUG) only.
#ifdef GECC_DEBUG
#define GECC_CHECK(condition) \
    do { \
        if (!(condition)) GECC_TRAP(); \
    } while (0)
#else
#define GECC_CHECK(condition) \
    do { \
    } while (0)
#endif
