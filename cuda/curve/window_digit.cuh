// Signed windows of scalars, of any width, without carries between them.
#pragma once
#include "primitives/types.cuh"

// Returns digit i of k in signed windows of `bits` < 31 bits: the window, plus the bit below it,
// minus 2^bits times the bit on its top. The digits are in [-2^(bits-1), 2^(bits-1)], need no carry
// from each other, and ceil(256 / bits) of them suffice for every k < 2^256 unless bits divides
// 256. word(j) returns word j of k.
template <class Word> GECC_FN i32 window_digit(Word word, int i, int bits) {
    u32 field;  // the window with the bit below it
    if (i == 0) {
        field = word(0) << 1;
    } else {
        int position = bits * i - 1, first = position >> 5;
        u64 pair = word(first) | (u64)(first < 7 ? word(first + 1) : 0) << 32;
        field = (u32)(pair >> (position & 31));
    }
    field &= (2u << bits) - 1;
    return (i32)((field >> 1) + (field & 1)) - (i32)(field >> bits << bits);
}

GECC_FN int window_count(int bits) {
    return (256 + bits - 1) / bits;
}
