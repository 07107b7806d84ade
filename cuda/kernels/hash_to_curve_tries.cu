// Points of messages by suites that try x-coordinates until the curve has a point with one: the
// point has an even y.
//
// Launch contract. Block: a multiple of 32 threads. data, offsets: messages, as in kernels/hash.cu.
// next_item: 0 before. xy, kinds: out; kOffCurve, and G as the point, for an item without a point
// among its first 100. For public messages: the number of tries depends on the message.
//
// Half of all x belong to a point. If a warp waited for the last of its 32 items, it would take six
// or seven tries instead of two. So each lane whose item has its point claims the next item of the
// batch, and all lanes try at the same time.
//
// Curves: p256 sm2
#include "kernels/point_batch.cuh"
#include "kernels/texts.cuh"
#include "scheme/hash_to_curve.cuh"

namespace {
// The limit of YACL (hash_to_curve::MOST_TRIES).
static constexpr u32 kMostTries = 100;
static constexpr u32 kAllLanes = 0xffffffff;

// The messages that no lane has claimed.
struct Claims {
    u32* next_item;
    u64 n;
    bool has_more;  // the same in all lanes of the warp

    // Gives each idle lane another item. Returns n or more to a lane if there is none left. All
    // lanes of the warp must call this together.
    __device__ __forceinline__ u64 take(bool is_idle) {
        u32 idle = __ballot_sync(kAllLanes, is_idle), lane = threadIdx.x % 32, first = 0;
        if (idle == 0) return n;
        if (lane == 0) first = atomicAdd(next_item, __popc(idle));
        first = __shfl_sync(kAllLanes, first, 0);
        has_more = (u64)first + __popc(idle) < n;
        return (u64)first + __popc(idle & ((1u << lane) - 1));
    }
};

template <class X>
GECC_FN void hash_by_tries(const u8* data, const u64* offsets, u32* next_item, const PointTarget& out) {
    Claims claims = {next_item, out.n, true};
    X candidate;
    u64 item = 0;
    u32 tries = 0;  // of the item, or 0 without one
    GECC_NO_UNROLL
    while (true) {
        if (claims.has_more) {
            u64 claimed = claims.take(tries == 0);
            if (tries == 0 && claimed < out.n) {
                item = claimed;
                tries = 1;
                candidate.start(bytes_between(data, offsets, item));
            }
        }
        if (!__any_sync(kAllLanes, tries != 0)) return;
        if (tries == 0) continue;
        affine p;
        PointKind kind = decompress_var(p, candidate.x(), false);
        if (kind == kFinite || tries == kMostTries) {
            out.store(item, kind == kFinite ? p : generator(), kind);
            tries = 0;
        } else {
            candidate.step();
            tries++;
        }
    }
}
}  // namespace

// x = SM3(message) modulo p; SM3 of the digest, and so on.
// Launch: 3 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 3)
    gecc_rehash_sm3(const Texts* data, const Offsets* offsets, NextItem* next_item, Xy* xy, PointKinds* kinds, u64 n) {
    hash_by_tries<RehashedX<Sm3>>(data, offsets, next_item, PointTarget{xy, kinds, n});
}

// x = SM3(message) modulo p; x + 1, and so on.
// Launch: 3 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 3)
    gecc_increment_sm3(const Texts* data, const Offsets* offsets, NextItem* next_item, Xy* xy, PointKinds* kinds, u64 n) {
    hash_by_tries<IncrementedX<Sm3>>(data, offsets, next_item, PointTarget{xy, kinds, n});
}

// x = SHA-256(01 || message) || SHA-256(02 || message) modulo p; the same of x without leading
// zeros, and so on.
// Launch: 3 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 3)
    gecc_rehash_wide_sha256(const Texts* data, const Offsets* offsets, NextItem* next_item, Xy* xy, PointKinds* kinds,
                            u64 n) {
    hash_by_tries<RehashedWideX<Sha256>>(data, offsets, next_item, PointTarget{xy, kinds, n});
}
