// SM3 (GB/T 32905-2016).
#pragma once
#include "hash/state.cuh"

struct Sm3 {
    static GECC_MEMBER HashState initial() {
        return {{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}};
    }

    // Section 5.3. The expanded message is a window of sixteen words that runs four words ahead of
    // the rounds: W'_j = W_j ^ W_(j+4).
    template <Adding kAdding = kBesideLogic>
    static GECC_MEMBER HashState compress(const HashState& state, const HashBlock& block) {
        HashBlock w = block;
        u32 a = state.v[0], b = state.v[1], c = state.v[2], d = state.v[3];
        u32 e = state.v[4], f = state.v[5], g = state.v[6], h = state.v[7];
        GECC_UNROLL
        for (int j = 0; j < 64; j++) {
            if (j >= 12) w.v[(j + 4) & 15] = expanded(w, j + 4);
            u32 rotated = rotate_left(a, 12);
            u32 ss1 = rotate_left(add_words<kAdding>(add_words<kAdding>(e, round_constant(j)), rotated), 7);
            u32 ff = j < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
            u32 gg = j < 16 ? e ^ f ^ g : (e & f) | (~e & g);
            u32 tt1 = add_words<kAdding>(add_words<kAdding>(d, w.v[j & 15] ^ w.v[(j + 4) & 15]), ff);
            u32 tt2 = add_words<kAdding>(add_words<kAdding>(h, w.v[j & 15]), gg);
            tt1 = add_words<kAdding>(tt1, ss1 ^ rotated);
            tt2 = add_words<kAdding>(tt2, ss1);
            d = c;
            c = rotate_left(b, 9);
            b = a;
            a = tt1;
            h = g;
            g = rotate_left(f, 19);
            f = e;
            e = tt2 ^ rotate_left(tt2, 9) ^ rotate_left(tt2, 17);
        }
        HashState r = {{state.v[0] ^ a, state.v[1] ^ b, state.v[2] ^ c, state.v[3] ^ d, state.v[4] ^ e, state.v[5] ^ f,
                        state.v[6] ^ g, state.v[7] ^ h}};
        return r;
    }

private:
    static GECC_MEMBER u32 round_constant(int j) {
        u32 base = j < 16 ? 0x79cc4519 : 0x7a879d8a;
        return j % 32 == 0 ? base : rotate_left(base, j % 32);
    }
    static GECC_MEMBER u32 expanded(const HashBlock& w, int j) {
        u32 x = w.v[j & 15] ^ w.v[(j - 9) & 15] ^ rotate_left(w.v[(j - 3) & 15], 15);
        x = x ^ rotate_left(x, 15) ^ rotate_left(x, 23);
        return x ^ rotate_left(w.v[(j - 13) & 15], 7) ^ w.v[(j - 6) & 15];
    }
};
