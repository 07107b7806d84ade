// The full square of a number of eight words: the triangle of cross products in rows as in
// field/product.cuh, doubled once, then the squares of the words in one chain. 36 wide
// multiplications.
#pragma once
#include "primitives/words.cuh"

GECC_FN void square(u32* r, const u32* a) {
    // even holds words 0, 1, ...; odd holds words 1, 2, .... Row i has the products a[i] a[j] with
    // j > i.
    u32 even[14], odd[14];
    products<4>(odd, a + 1, a[0]);
    products<3>(even + 2, a + 2, a[0]);
    odd[8] = add_products<3>(odd + 2, a + 2, a[1]);
    even[8] = even[9] = 0;
    add_products<3>(even + 4, a + 3, a[1]);
    odd[9] = 0;
    add_products<3>(odd + 4, a + 3, a[2]);
    even[10] = add_products<2>(even + 6, a + 4, a[2]);
    odd[10] = add_products<2>(odd + 6, a + 4, a[3]);
    even[11] = 0;
    add_products<2>(even + 8, a + 5, a[3]);
    odd[11] = 0;
    add_products<2>(odd + 8, a + 5, a[4]);
    even[12] = add_products<1>(even + 10, a + 6, a[4]);
    odd[12] = add_products<1>(odd + 10, a + 6, a[5]);
    even[13] = 0;
    add_products<1>(even + 12, a + 7, a[5]);
    odd[13] = 0;
    add_products<1>(odd + 12, a + 7, a[6]);

    u32 cross[14];  // words 1 .. 14 of the triangle, which is below 2^480
    cross[0] = odd[0];
    cross[13] = odd[13] + add<12>(cross + 1, even + 2, odd + 1);
    r[0] = 0;
    r[1] = cross[0] << 1;
    GECC_UNROLL
    for (int i = 1; i < 14; i++) r[i + 1] = cross[i] << 1 | cross[i - 1] >> 31;
    r[15] = cross[13] >> 31;
    add_squares(r, a);
}
