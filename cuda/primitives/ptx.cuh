// Words on the GPU: carry chains and wide products in PTX. primitives/host.cuh is the portable
// counterpart.
//
// Each chain is one asm block: a carry flag that must survive between two asm statements is not
// safe, even if it happens to work. ptxas fuses a multiply-add of a low half followed by one of the
// high half into one IMAD.WIDE with carry. Outputs are marked early-clobber: without it, an
// accumulator that starts with the same value as a multiplicand (a constant zero is enough) may
// share its register, and the block overwrites it before it is read for the last time. The carry
// out of a chain is 0 or 1, and the borrow out is a mask, 0 or all ones; ptxas drops that
// instruction if the word is not used.
#pragma once
#include "primitives/types.cuh"

// Returns the number of leading zeros of a nonzero number.
GECC_FN int leading_zeros(u32 value) {
    return __clz((int)value);
}

template <int N> GECC_MEMBER u32 add(u32* r, const u32* a, const u32* b);
template <int N> GECC_MEMBER u32 add_carry(u32* r, const u32* a, const u32* b, u32 carry);
template <int N> GECC_MEMBER u32 sub(u32* r, const u32* a, const u32* b);
template <int N> GECC_MEMBER u32 sub_borrow(u32* r, const u32* a, const u32* b, u32 borrow);
template <int N> GECC_MEMBER void products(u32* r, const u32* a, u32 b);
template <int N> GECC_MEMBER u32 add_products(u32* acc, const u32* a, u32 b);
template <int N> GECC_MEMBER u32 add_products_after(u32* acc, const u32* a, u32 b, u32 x, u32 y);

// r = a + b (+ carry), returns the carry. r may be a or b.
template <> GECC_MEMBER u32 add<2>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %3, %5;\n\t"
        "addc.cc.u32 %1, %4, %6;\n\t"
        "addc.u32 %2, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    return out;
}
template <> GECC_MEMBER u32 add<3>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %4, %7;\n\t"
        "addc.cc.u32 %1, %5, %8;\n\t"
        "addc.cc.u32 %2, %6, %9;\n\t"
        "addc.u32 %3, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
    return out;
}
template <> GECC_MEMBER u32 add<4>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %5, %9;\n\t"
        "addc.cc.u32 %1, %6, %10;\n\t"
        "addc.cc.u32 %2, %7, %11;\n\t"
        "addc.cc.u32 %3, %8, %12;\n\t"
        "addc.u32 %4, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    return out;
}
template <> GECC_MEMBER u32 add<7>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %8, %15;\n\t"
        "addc.cc.u32 %1, %9, %16;\n\t"
        "addc.cc.u32 %2, %10, %17;\n\t"
        "addc.cc.u32 %3, %11, %18;\n\t"
        "addc.cc.u32 %4, %12, %19;\n\t"
        "addc.cc.u32 %5, %13, %20;\n\t"
        "addc.cc.u32 %6, %14, %21;\n\t"
        "addc.u32 %7, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(b[0]), "r"(b[1]),
          "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]));
    return out;
}
template <> GECC_MEMBER u32 add<8>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %9, %17;\n\t"
        "addc.cc.u32 %1, %10, %18;\n\t"
        "addc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\t"
        "addc.cc.u32 %4, %13, %21;\n\t"
        "addc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\t"
        "addc.cc.u32 %7, %16, %24;\n\t"
        "addc.u32 %8, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    return out;
}
template <> GECC_MEMBER u32 add<9>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %10, %19;\n\t"
        "addc.cc.u32 %1, %11, %20;\n\t"
        "addc.cc.u32 %2, %12, %21;\n\t"
        "addc.cc.u32 %3, %13, %22;\n\t"
        "addc.cc.u32 %4, %14, %23;\n\t"
        "addc.cc.u32 %5, %15, %24;\n\t"
        "addc.cc.u32 %6, %16, %25;\n\t"
        "addc.cc.u32 %7, %17, %26;\n\t"
        "addc.cc.u32 %8, %18, %27;\n\t"
        "addc.u32 %9, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]));
    return out;
}
template <> GECC_MEMBER u32 add<12>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %13, %25;\n\t"
        "addc.cc.u32 %1, %14, %26;\n\t"
        "addc.cc.u32 %2, %15, %27;\n\t"
        "addc.cc.u32 %3, %16, %28;\n\t"
        "addc.cc.u32 %4, %17, %29;\n\t"
        "addc.cc.u32 %5, %18, %30;\n\t"
        "addc.cc.u32 %6, %19, %31;\n\t"
        "addc.cc.u32 %7, %20, %32;\n\t"
        "addc.cc.u32 %8, %21, %33;\n\t"
        "addc.cc.u32 %9, %22, %34;\n\t"
        "addc.cc.u32 %10, %23, %35;\n\t"
        "addc.cc.u32 %11, %24, %36;\n\t"
        "addc.u32 %12, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(r[9]), "=&r"(r[10]), "=&r"(r[11]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]),
          "r"(a[9]), "r"(a[10]), "r"(a[11]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]),
          "r"(b[6]), "r"(b[7]), "r"(b[8]), "r"(b[9]), "r"(b[10]), "r"(b[11]));
    return out;
}
template <> GECC_MEMBER u32 add<15>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("add.cc.u32 %0, %16, %31;\n\t"
        "addc.cc.u32 %1, %17, %32;\n\t"
        "addc.cc.u32 %2, %18, %33;\n\t"
        "addc.cc.u32 %3, %19, %34;\n\t"
        "addc.cc.u32 %4, %20, %35;\n\t"
        "addc.cc.u32 %5, %21, %36;\n\t"
        "addc.cc.u32 %6, %22, %37;\n\t"
        "addc.cc.u32 %7, %23, %38;\n\t"
        "addc.cc.u32 %8, %24, %39;\n\t"
        "addc.cc.u32 %9, %25, %40;\n\t"
        "addc.cc.u32 %10, %26, %41;\n\t"
        "addc.cc.u32 %11, %27, %42;\n\t"
        "addc.cc.u32 %12, %28, %43;\n\t"
        "addc.cc.u32 %13, %29, %44;\n\t"
        "addc.cc.u32 %14, %30, %45;\n\t"
        "addc.u32 %15, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(r[9]), "=&r"(r[10]), "=&r"(r[11]), "=&r"(r[12]), "=&r"(r[13]), "=&r"(r[14]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]),
          "r"(a[9]), "r"(a[10]), "r"(a[11]), "r"(a[12]), "r"(a[13]), "r"(a[14]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
          "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]), "r"(b[9]), "r"(b[10]), "r"(b[11]),
          "r"(b[12]), "r"(b[13]), "r"(b[14]));
    return out;
}
template <> GECC_MEMBER u32 add_carry<2>(u32* r, const u32* a, const u32* b, u32 carry) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "add.cc.u32 t, %7, 0xffffffff;\n\t"
        "addc.cc.u32 %0, %3, %5;\n\t"
        "addc.cc.u32 %1, %4, %6;\n\t"
        "addc.u32 %2, 0, 0;\n\t"
        "}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(carry));
    return out;
}
template <> GECC_MEMBER u32 add_carry<8>(u32* r, const u32* a, const u32* b, u32 carry) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "add.cc.u32 t, %25, 0xffffffff;\n\t"
        "addc.cc.u32 %0, %9, %17;\n\t"
        "addc.cc.u32 %1, %10, %18;\n\t"
        "addc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\t"
        "addc.cc.u32 %4, %13, %21;\n\t"
        "addc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\t"
        "addc.cc.u32 %7, %16, %24;\n\t"
        "addc.u32 %8, 0, 0;\n\t"
        "}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(carry));
    return out;
}
// r = a - b (- borrow), returns the borrow. r may be a or b.
template <> GECC_MEMBER u32 sub<2>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %3, %5;\n\t"
        "subc.cc.u32 %1, %4, %6;\n\t"
        "subc.u32 %2, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    return out;
}
template <> GECC_MEMBER u32 sub<3>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %4, %7;\n\t"
        "subc.cc.u32 %1, %5, %8;\n\t"
        "subc.cc.u32 %2, %6, %9;\n\t"
        "subc.u32 %3, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
    return out;
}
template <> GECC_MEMBER u32 sub<4>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %5, %9;\n\t"
        "subc.cc.u32 %1, %6, %10;\n\t"
        "subc.cc.u32 %2, %7, %11;\n\t"
        "subc.cc.u32 %3, %8, %12;\n\t"
        "subc.u32 %4, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    return out;
}
template <> GECC_MEMBER u32 sub<8>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %9, %17;\n\t"
        "subc.cc.u32 %1, %10, %18;\n\t"
        "subc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %20;\n\t"
        "subc.cc.u32 %4, %13, %21;\n\t"
        "subc.cc.u32 %5, %14, %22;\n\t"
        "subc.cc.u32 %6, %15, %23;\n\t"
        "subc.cc.u32 %7, %16, %24;\n\t"
        "subc.u32 %8, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    return out;
}
template <> GECC_MEMBER u32 sub<9>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %10, %19;\n\t"
        "subc.cc.u32 %1, %11, %20;\n\t"
        "subc.cc.u32 %2, %12, %21;\n\t"
        "subc.cc.u32 %3, %13, %22;\n\t"
        "subc.cc.u32 %4, %14, %23;\n\t"
        "subc.cc.u32 %5, %15, %24;\n\t"
        "subc.cc.u32 %6, %16, %25;\n\t"
        "subc.cc.u32 %7, %17, %26;\n\t"
        "subc.cc.u32 %8, %18, %27;\n\t"
        "subc.u32 %9, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]));
    return out;
}
template <> GECC_MEMBER u32 sub<10>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %11, %21;\n\t"
        "subc.cc.u32 %1, %12, %22;\n\t"
        "subc.cc.u32 %2, %13, %23;\n\t"
        "subc.cc.u32 %3, %14, %24;\n\t"
        "subc.cc.u32 %4, %15, %25;\n\t"
        "subc.cc.u32 %5, %16, %26;\n\t"
        "subc.cc.u32 %6, %17, %27;\n\t"
        "subc.cc.u32 %7, %18, %28;\n\t"
        "subc.cc.u32 %8, %19, %29;\n\t"
        "subc.cc.u32 %9, %20, %30;\n\t"
        "subc.u32 %10, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(r[9]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]), "r"(a[9]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]), "r"(b[9]));
    return out;
}
template <> GECC_MEMBER u32 sub<16>(u32* r, const u32* a, const u32* b) {
    u32 out;
    asm("sub.cc.u32 %0, %17, %33;\n\t"
        "subc.cc.u32 %1, %18, %34;\n\t"
        "subc.cc.u32 %2, %19, %35;\n\t"
        "subc.cc.u32 %3, %20, %36;\n\t"
        "subc.cc.u32 %4, %21, %37;\n\t"
        "subc.cc.u32 %5, %22, %38;\n\t"
        "subc.cc.u32 %6, %23, %39;\n\t"
        "subc.cc.u32 %7, %24, %40;\n\t"
        "subc.cc.u32 %8, %25, %41;\n\t"
        "subc.cc.u32 %9, %26, %42;\n\t"
        "subc.cc.u32 %10, %27, %43;\n\t"
        "subc.cc.u32 %11, %28, %44;\n\t"
        "subc.cc.u32 %12, %29, %45;\n\t"
        "subc.cc.u32 %13, %30, %46;\n\t"
        "subc.cc.u32 %14, %31, %47;\n\t"
        "subc.cc.u32 %15, %32, %48;\n\t"
        "subc.u32 %16, 0, 0;\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(r[8]), "=&r"(r[9]), "=&r"(r[10]), "=&r"(r[11]), "=&r"(r[12]), "=&r"(r[13]), "=&r"(r[14]), "=&r"(r[15]),
          "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]), "r"(a[9]),
          "r"(a[10]), "r"(a[11]), "r"(a[12]), "r"(a[13]), "r"(a[14]), "r"(a[15]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
          "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(b[8]), "r"(b[9]), "r"(b[10]), "r"(b[11]),
          "r"(b[12]), "r"(b[13]), "r"(b[14]), "r"(b[15]));
    return out;
}

template <> GECC_MEMBER u32 sub_borrow<2>(u32* r, const u32* a, const u32* b, u32 borrow) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "sub.cc.u32 t, 0, %7;\n\t"
        "subc.cc.u32 %0, %3, %5;\n\t"
        "subc.cc.u32 %1, %4, %6;\n\t"
        "subc.u32 %2, 0, 0;\n\t"
        "}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(borrow));
    return out;
}
template <> GECC_MEMBER u32 sub_borrow<8>(u32* r, const u32* a, const u32* b, u32 borrow) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "sub.cc.u32 t, 0, %25;\n\t"
        "subc.cc.u32 %0, %9, %17;\n\t"
        "subc.cc.u32 %1, %10, %18;\n\t"
        "subc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %20;\n\t"
        "subc.cc.u32 %4, %13, %21;\n\t"
        "subc.cc.u32 %5, %14, %22;\n\t"
        "subc.cc.u32 %6, %15, %23;\n\t"
        "subc.cc.u32 %7, %16, %24;\n\t"
        "subc.u32 %8, 0, 0;\n\t"
        "}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7]),
          "=&r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]), "r"(borrow));
    return out;
}
// r[2k .. 2k+1] = a[2k] b for k < N.
template <> GECC_MEMBER void products<1>(u32* r, const u32* a, u32 b) {
    asm("{.reg .u64 t;\n\t"
        "mul.wide.u32 t, %2, %3;\n\tmov.b64 {%0, %1}, t;}\n\t"
        : "=&r"(r[0]), "=&r"(r[1])
        : "r"(a[0]), "r"(b));
}
template <> GECC_MEMBER void products<2>(u32* r, const u32* a, u32 b) {
    asm("{.reg .u64 t;\n\t"
        "mul.wide.u32 t, %4, %6;\n\tmov.b64 {%0, %1}, t;\n\t"
        "mul.wide.u32 t, %5, %6;\n\tmov.b64 {%2, %3}, t;}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(a[0]), "r"(a[2]), "r"(b));
}
template <> GECC_MEMBER void products<3>(u32* r, const u32* a, u32 b) {
    asm("{.reg .u64 t;\n\t"
        "mul.wide.u32 t, %6, %9;\n\tmov.b64 {%0, %1}, t;\n\t"
        "mul.wide.u32 t, %7, %9;\n\tmov.b64 {%2, %3}, t;\n\t"
        "mul.wide.u32 t, %8, %9;\n\tmov.b64 {%4, %5}, t;}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5])
        : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(b));
}
template <> GECC_MEMBER void products<4>(u32* r, const u32* a, u32 b) {
    asm("{.reg .u64 t;\n\t"
        "mul.wide.u32 t, %8, %12;\n\tmov.b64 {%0, %1}, t;\n\t"
        "mul.wide.u32 t, %9, %12;\n\tmov.b64 {%2, %3}, t;\n\t"
        "mul.wide.u32 t, %10, %12;\n\tmov.b64 {%4, %5}, t;\n\t"
        "mul.wide.u32 t, %11, %12;\n\tmov.b64 {%6, %7}, t;}\n\t"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7])
        : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(a[6]), "r"(b));
}
// acc[0 .. 2N-1] += the sum of a[2k] b 2^(64k), returns the carry.
template <> GECC_MEMBER u32 add_products<1>(u32* acc, const u32* a, u32 b) {
    u32 out;
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
        "addc.u32 %2, 0, 0;\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "=&r"(out)
        : "r"(a[0]), "r"(b));
    return out;
}
template <> GECC_MEMBER u32 add_products<2>(u32* acc, const u32* a, u32 b) {
    u32 out;
    asm("mad.lo.cc.u32 %0, %5, %7, %0;\n\t"
        "madc.hi.cc.u32 %1, %5, %7, %1;\n\t"
        "madc.lo.cc.u32 %2, %6, %7, %2;\n\t"
        "madc.hi.cc.u32 %3, %6, %7, %3;\n\t"
        "addc.u32 %4, 0, 0;\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "=&r"(out)
        : "r"(a[0]), "r"(a[2]), "r"(b));
    return out;
}
template <> GECC_MEMBER u32 add_products<3>(u32* acc, const u32* a, u32 b) {
    u32 out;
    asm("mad.lo.cc.u32 %0, %7, %10, %0;\n\t"
        "madc.hi.cc.u32 %1, %7, %10, %1;\n\t"
        "madc.lo.cc.u32 %2, %8, %10, %2;\n\t"
        "madc.hi.cc.u32 %3, %8, %10, %3;\n\t"
        "madc.lo.cc.u32 %4, %9, %10, %4;\n\t"
        "madc.hi.cc.u32 %5, %9, %10, %5;\n\t"
        "addc.u32 %6, 0, 0;\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "+&r"(acc[4]), "+&r"(acc[5]), "=&r"(out)
        : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(b));
    return out;
}
template <> GECC_MEMBER u32 add_products<4>(u32* acc, const u32* a, u32 b) {
    u32 out;
    asm("mad.lo.cc.u32 %0, %9, %13, %0;\n\t"
        "madc.hi.cc.u32 %1, %9, %13, %1;\n\t"
        "madc.lo.cc.u32 %2, %10, %13, %2;\n\t"
        "madc.hi.cc.u32 %3, %10, %13, %3;\n\t"
        "madc.lo.cc.u32 %4, %11, %13, %4;\n\t"
        "madc.hi.cc.u32 %5, %11, %13, %5;\n\t"
        "madc.lo.cc.u32 %6, %12, %13, %6;\n\t"
        "madc.hi.cc.u32 %7, %12, %13, %7;\n\t"
        "addc.u32 %8, 0, 0;\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "+&r"(acc[4]), "+&r"(acc[5]), "+&r"(acc[6]),
          "+&r"(acc[7]), "=&r"(out)
        : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(a[6]), "r"(b));
    return out;
}
// acc[0 .. 2N-1] += the sum of a[2k] b 2^(64k), with the carry of x + y entering at the bottom;
// returns the carry.
template <> GECC_MEMBER u32 add_products_after<2>(u32* acc, const u32* a, u32 b, u32 x, u32 y) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "add.cc.u32 t, %8, %9;\n\t"
        "madc.lo.cc.u32 %0, %5, %7, %0;\n\t"
        "madc.hi.cc.u32 %1, %5, %7, %1;\n\t"
        "madc.lo.cc.u32 %2, %6, %7, %2;\n\t"
        "madc.hi.cc.u32 %3, %6, %7, %3;\n\t"
        "addc.u32 %4, 0, 0;}\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "=&r"(out)
        : "r"(a[0]), "r"(a[2]), "r"(b), "r"(x), "r"(y));
    return out;
}
template <> GECC_MEMBER u32 add_products_after<4>(u32* acc, const u32* a, u32 b, u32 x, u32 y) {
    u32 out;
    asm("{.reg .u32 t;\n\t"
        "add.cc.u32 t, %14, %15;\n\t"
        "madc.lo.cc.u32 %0, %9, %13, %0;\n\t"
        "madc.hi.cc.u32 %1, %9, %13, %1;\n\t"
        "madc.lo.cc.u32 %2, %10, %13, %2;\n\t"
        "madc.hi.cc.u32 %3, %10, %13, %3;\n\t"
        "madc.lo.cc.u32 %4, %11, %13, %4;\n\t"
        "madc.hi.cc.u32 %5, %11, %13, %5;\n\t"
        "madc.lo.cc.u32 %6, %12, %13, %6;\n\t"
        "madc.hi.cc.u32 %7, %12, %13, %7;\n\t"
        "addc.u32 %8, 0, 0;}\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "+&r"(acc[4]), "+&r"(acc[5]), "+&r"(acc[6]),
          "+&r"(acc[7]), "=&r"(out)
        : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(a[6]), "r"(b), "r"(x), "r"(y));
    return out;
}
// acc[0 .. 15] += the sum of a[k]^2 2^(64k). The caller guarantees that there is no carry out.
GECC_FN void add_squares(u32* acc, const u32* a) {
    asm("mad.lo.cc.u32 %0, %16, %16, %0;\n\t"
        "madc.hi.cc.u32 %1, %16, %16, %1;\n\t"
        "madc.lo.cc.u32 %2, %17, %17, %2;\n\t"
        "madc.hi.cc.u32 %3, %17, %17, %3;\n\t"
        "madc.lo.cc.u32 %4, %18, %18, %4;\n\t"
        "madc.hi.cc.u32 %5, %18, %18, %5;\n\t"
        "madc.lo.cc.u32 %6, %19, %19, %6;\n\t"
        "madc.hi.cc.u32 %7, %19, %19, %7;\n\t"
        "madc.lo.cc.u32 %8, %20, %20, %8;\n\t"
        "madc.hi.cc.u32 %9, %20, %20, %9;\n\t"
        "madc.lo.cc.u32 %10, %21, %21, %10;\n\t"
        "madc.hi.cc.u32 %11, %21, %21, %11;\n\t"
        "madc.lo.cc.u32 %12, %22, %22, %12;\n\t"
        "madc.hi.cc.u32 %13, %22, %22, %13;\n\t"
        "madc.lo.cc.u32 %14, %23, %23, %14;\n\t"
        "madc.hi.u32 %15, %23, %23, %15;\n\t"
        : "+&r"(acc[0]), "+&r"(acc[1]), "+&r"(acc[2]), "+&r"(acc[3]), "+&r"(acc[4]), "+&r"(acc[5]), "+&r"(acc[6]),
          "+&r"(acc[7]), "+&r"(acc[8]), "+&r"(acc[9]), "+&r"(acc[10]), "+&r"(acc[11]), "+&r"(acc[12]),
          "+&r"(acc[13]), "+&r"(acc[14]), "+&r"(acc[15])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
}
