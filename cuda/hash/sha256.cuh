// SHA-256 (FIPS 180-4).
#pragma once
#include "hash/state.cuh"

struct Sha256 {
    static GECC_MEMBER HashState initial() {
        return {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    }

    // Section 6.2.2. The schedule is a window of sixteen words: word t replaces word t - 16.
    template <Adding kAdding = kBesideLogic>
    static GECC_MEMBER HashState compress(const HashState& state, const HashBlock& block) {
        const u32 constants[64] = {
            0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
            0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
            0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
            0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
            0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
            0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
            0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
        HashBlock w = block;
        u32 a = state.v[0], b = state.v[1], c = state.v[2], d = state.v[3];
        u32 e = state.v[4], f = state.v[5], g = state.v[6], h = state.v[7];
        GECC_UNROLL
        for (int t = 0; t < 64; t++) {
            if (t >= 16) w.v[t & 15] = scheduled<kAdding>(w, t);
            u32 t1 = add_words<kAdding>(add_words<kAdding>(h, w.v[t & 15]), constants[t]);
            t1 = add_words<kAdding>(add_words<kAdding>(t1, (e & f) ^ (~e & g)), large_sigma1(e));
            u32 t2 = add_words<kAdding>((a & b) ^ (a & c) ^ (b & c), large_sigma0(a));
            h = g;
            g = f;
            f = e;
            e = add_words<kAdding>(d, t1);
            d = c;
            c = b;
            b = a;
            a = add_words<kAdding>(t1, t2);
        }
        HashState r = {{state.v[0] + a, state.v[1] + b, state.v[2] + c, state.v[3] + d, state.v[4] + e, state.v[5] + f,
                        state.v[6] + g, state.v[7] + h}};
        return r;
    }

private:
    template <Adding kAdding> static GECC_MEMBER u32 scheduled(const HashBlock& w, int t) {
        u32 low = add_words<kAdding>(small_sigma0(w.v[(t - 15) & 15]), w.v[t & 15]);
        return add_words<kAdding>(add_words<kAdding>(low, w.v[(t - 7) & 15]), small_sigma1(w.v[(t - 2) & 15]));
    }
    static GECC_MEMBER u32 large_sigma0(u32 x) {
        return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22);
    }
    static GECC_MEMBER u32 large_sigma1(u32 x) {
        return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25);
    }
    static GECC_MEMBER u32 small_sigma0(u32 x) {
        return rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
    }
    static GECC_MEMBER u32 small_sigma1(u32 x) {
        return rotate_right(x, 17) ^ rotate_right(x, 19) ^ x >> 10;
    }
};
