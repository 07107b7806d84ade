// ristretto255 (RFC 9496): the steps before and after products of elements, and elements from
// bytes. A fixed sequence per item.
//
// Launch contract. keys, elements: the 32 bytes of item i are at offset i key_stride and i
// element_stride, and a stride is 0 if all items share the value. halves: half of each key, for
// kernels/edwards_multiply.cu or gecc_ed25519_multiply. statuses: kSigned, or
// kSecretKeyOutOfRange. xy, kinds: points of the elements, and of the base point for those that are
// not kFinite. xyz: products of halves. rows: encodings of elements. uniform: 64 bytes per item.
// data, offsets: messages, as in kernels/hash.cu; suffix, suffix_bytes, tail, tail_blocks: what
// follows them (hash/expand_message_512.cuh), in an allocation of a multiple of 4 bytes. keys,
// halves, xyz, prefixes, data, uniform and rows are secrets: the caller wipes them.
//
// Curves: ed25519
#include "hash/expand_message_512.cuh"
#include "kernels/batched.cuh"
#include "kernels/edwards_batch.cuh"
#include "kernels/texts.cuh"
#include "kernels/vector.cuh"
#include "scheme/ristretto255.cuh"

namespace {
struct RistrettoEncode {
    using Number = fe;
    const u32* xyz;
    u64 n;
    const u8* statuses;
    const u8* kinds;
    u8* rows;
    u8* codes;

    __device__ __forceinline__ ed_projective half(u64 i) const {
        return {load_coordinate(xyz, n, i, 0), load_coordinate(xyz, n, i, 1), load_coordinate(xyz, n, i, 2)};
    }
    __device__ __forceinline__ fe denominator(u64 i) const {
        return ristretto_denominator(half(i));
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u32 code = ristretto255_code(statuses[i], kinds ? kinds[i] : kFinite);
        codes[i] = (u8)code;
        u32 is_valid = opaque(mask_if(code == kValid));
        fe encoding;
        ristretto_encode_double(encoding.v, half(i), inverse);
        store_row((uint4*)(rows + 32 * i), 1, fe_select(is_valid, encoding, fe_zero()));
    }
};

// The bytes that are mapped to an element.
struct UniformBytes {
    const uint4* row;

    GECC_MEMBER fe half(int which) const {
        return load_row(row + 2 * which, 1);
    }
};
}  // namespace

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ristretto255_halves(const SecretKeys* keys, u64 key_stride, Scalars* halves, SignStatuses* statuses, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 half[8];
        statuses[i] = ristretto255_half(half, (const u32*)(keys + i * key_stride));
        store_column(halves, n, i, half);
    }
}

// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256, 2)
    gecc_ristretto255_decode(const AnyRows* elements, u64 element_stride, Xy* xy, PointKinds* kinds, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        ed_affine point;
        kinds[i] = ristretto_decode(point, (const u32*)(elements + i * element_stride));
        store_affine(xy, n, i, point);
    }
}

// Encodes twice the products; the rows of rejected items are zeros. kinds: null if all are kFinite.
// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 2)
    gecc_ristretto255_encode(const Xyz* xyz, const SignStatuses* statuses, const Optional<PointKinds>* kinds,
                             AnyRows* rows, Codes* codes, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    RistrettoEncode op = {xyz, n, statuses, kinds, rows, codes};
    run_batched(op, n, prefixes, memory);
}

// Expands messages to uniform bytes.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ristretto255_expand(const Texts* data, const Offsets* offsets, const Texts* suffix, u32 suffix_bytes,
                             const ExpansionTail* tail, u32 tail_blocks, AnyRows* uniform, u64 n) {
    Expansion expansion = {{(const u32*)suffix, 0, suffix_bytes}, tail, tail_blocks};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 number[16];
        fe low, high;
        sha512_number(number, expand_message_512(expansion, bytes_between(data, offsets, i)));
        words_copy(low.v, number);
        words_copy(high.v, number + 8);
        uint4* row = (uint4*)(uniform + 64 * i);
        store_row(row, 1, low);
        store_row(row + 2, 1, high);
    }
}

// Maps uniform bytes to elements.
// Launch: one thread per item, in blocks of 128.
extern "C" __global__ void __launch_bounds__(256, 2)
    gecc_ristretto255_map(const AnyRows* uniform, AnyRows* rows, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        fe encoding;
        ristretto_encode(encoding.v, ristretto_map_both(UniformBytes{(const uint4*)(uniform + 64 * i)}));
        store_row((uint4*)(rows + 32 * i), 1, encoding);
    }
}
