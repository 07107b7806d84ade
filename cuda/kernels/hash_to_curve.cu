// Points of messages by the suites of RFC 9380: hash_to_curve (RO) and encode_to_curve (NU).
//
// Launch contract. data, offsets: messages, as in kernels/hash.cu; time and addresses depend on
// their lengths, but not on their bytes. suffix, suffix_bytes: what follows a message in the hash
// for b_0, in an allocation of a multiple of 4 bytes. tail, tail_blocks: what follows the varying
// part in the hashes for b_1, b_2 and b_3 (hash/expand_message.cuh). xyz: out, for gecc_normalize
// without kinds; the identity has z = 0.
//
// Curves: p256 secp256k1
#include "kernels/point_batch.cuh"
#include "kernels/texts.cuh"
#include "scheme/hash_to_curve.cuh"

namespace {
GECC_FN Expansion expansion_of(const u8* suffix, u32 suffix_bytes, const u32* tail, u32 tail_blocks) {
    Expansion r = {{(const u32*)suffix, 0, suffix_bytes}, tail, tail_blocks};
    return r;
}
}  // namespace

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256, 3)
    gecc_hash_to_curve(const Texts* data, const Offsets* offsets, const Texts* suffix, u32 suffix_bytes,
                       const ExpansionTail* tail, u32 tail_blocks, Xyz* xyz, u64 n) {
    Expansion expansion = expansion_of(suffix, suffix_bytes, tail, tail_blocks);
    JacobianBatch out = {xyz, n};
    for (u64 i = global_thread(); i < n; i += global_threads())
        out.store(i, hash_to_curve(expansion, bytes_between(data, offsets, i)));
}

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256, 3)
    gecc_encode_to_curve(const Texts* data, const Offsets* offsets, const Texts* suffix, u32 suffix_bytes,
                         const ExpansionTail* tail, u32 tail_blocks, Xyz* xyz, u64 n) {
    Expansion expansion = expansion_of(suffix, suffix_bytes, tail, tail_blocks);
    JacobianBatch out = {xyz, n};
    for (u64 i = global_thread(); i < n; i += global_threads())
        out.store(i, encode_to_curve(expansion, bytes_between(data, offsets, i)));
}
