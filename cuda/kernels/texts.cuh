// Byte strings of any length, one after the other.
#pragma once
#include "hash/message.cuh"
#include "kernels/layout.cuh"

GECC_FN BytesSource bytes_between(const u8* data, const u64* offsets, u64 i) {
    BytesSource r = {(const u32*)data, offsets[i], offsets[i + 1] - offsets[i]};
    return r;
}
