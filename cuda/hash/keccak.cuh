// Keccak-256 as Ethereum uses it: Keccak[512] (FIPS 202 without its domain separation), 32 bytes.
#pragma once
#include "hash/state.cuh"

static constexpr int kKeccakRate = 136;  // bytes of a block
// The byte after the message, as the top byte of a word, and the last bit of the block, in its last
// lane.
static constexpr u32 kKeccakMark = 0x01000000;
static constexpr u64 kKeccakLastBit = 1ull << 63;

// Lane (x, y) is v[x + 5 y].
struct KeccakState {
    u64 v[25];
};

GECC_FN u64 rotate_lane(u64 lane, int bits) {
    return bits == 0 ? lane : lane << bits | lane >> (64 - bits);
}

GECC_TABLE u64 kKeccakRoundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// FIPS 202, section 3.2.
GECC_FN void keccak_round(KeccakState& a, u64 round_constant) {
    const int offsets[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                             25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
    u64 parity[5], moved[25];
    GECC_UNROLL
    for (int x = 0; x < 5; x++) parity[x] = a.v[x] ^ a.v[x + 5] ^ a.v[x + 10] ^ a.v[x + 15] ^ a.v[x + 20];
    // theta, rho and pi: lane (x, y) goes to (y, 2 x + 3 y).
    GECC_UNROLL
    for (int x = 0; x < 5; x++) {
        u64 change = parity[(x + 4) % 5] ^ rotate_lane(parity[(x + 1) % 5], 1);
        GECC_UNROLL
        for (int y = 0; y < 5; y++) {
            int from = x + 5 * y, to = y + 5 * ((2 * x + 3 * y) % 5);
            moved[to] = rotate_lane(a.v[from] ^ change, offsets[from]);
        }
    }
    // chi
    GECC_UNROLL
    for (int y = 0; y < 25; y += 5) {
        GECC_UNROLL
        for (int x = 0; x < 5; x++) a.v[x + y] = moved[x + y] ^ (~moved[(x + 1) % 5 + y] & moved[(x + 2) % 5 + y]);
    }
    a.v[0] ^= round_constant;
}

GECC_FN void keccak_f(KeccakState& state) {
    GECC_NO_UNROLL
    for (int round = 0; round < 24; round++) keccak_round(state, kKeccakRoundConstants[round]);
}

// Returns the first 32 bytes as big-endian words.
GECC_FN HashState keccak_digest(const KeccakState& state) {
    HashState r;
    GECC_UNROLL
    for (int i = 0; i < 4; i++) {
        r.v[2 * i] = swap_bytes((u32)state.v[i]);
        r.v[2 * i + 1] = swap_bytes((u32)(state.v[i] >> 32));
    }
    return r;
}

// Returns the digest of x || y, big-endian, whose last bytes are the address of an Ethereum
// account.
GECC_FN HashState keccak256_of_point(const u32* x, const u32* y) {
    KeccakState state = {};
    GECC_UNROLL
    for (int i = 0; i < 4; i++) {
        state.v[i] = (u64)swap_bytes(x[6 - 2 * i]) << 32 | swap_bytes(x[7 - 2 * i]);
        state.v[4 + i] = (u64)swap_bytes(y[6 - 2 * i]) << 32 | swap_bytes(y[7 - 2 * i]);
    }
    state.v[8] = swap_bytes(kKeccakMark);
    state.v[kKeccakRate / 8 - 1] = kKeccakLastBit;
    keccak_f(state);
    return keccak_digest(state);
}
