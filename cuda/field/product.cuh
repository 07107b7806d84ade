// The full product of two numbers of eight words.
//
// Row i multiplies a by b[i]. Its products at even word positions and those at odd positions form
// one unbroken carry chain each, into an accumulator of aligned pairs: `even` holds words 0, 1,
// ..., `odd` holds words 1, 2, .... A chain that ends inside the accumulator leaves its carry in
// the next word, which no earlier row has reached; a chain that ends in an unused pair cannot
// overflow it, since (2^32-1)^2 + 2 (2^32-1) < 2^64. 64 wide multiplications and 22 additions.
#pragma once
#include "primitives/words.cuh"

// r[0 .. 15] = even + odd 2^32.
GECC_FN void merge_even_odd(u32* r, const u32* even, const u32* odd) {
    r[0] = even[0];
    u32 carry = add<15>(r + 1, even + 1, odd);
    GECC_CHECK(carry == 0);
    (void)carry;
}

GECC_FN void product(u32* r, const u32* a, const u32* b) {
    u32 even[16], odd[15];
    products<4>(even, a, b[0]);
    products<4>(odd, a + 1, b[0]);
    even[8] = 0;
    GECC_UNROLL
    for (int i = 1; i < 7; i += 2) {
        odd[i + 7] = add_products<4>(odd + i - 1, a, b[i]);
        even[i + 8] = 0;
        add_products<4>(even + i + 1, a + 1, b[i]);
        even[i + 9] = add_products<4>(even + i + 1, a, b[i + 1]);
        odd[i + 8] = 0;
        add_products<4>(odd + i + 1, a + 1, b[i + 1]);
    }
    odd[14] = add_products<4>(odd + 6, a, b[7]);
    even[15] = 0;
    add_products<4>(even + 8, a + 1, b[7]);
    merge_even_odd(r, even, odd);
}
