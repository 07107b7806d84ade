// Carry chains of the lengths that the methods need, on the GPU; modular/chains.cuh has the
// portable counterparts.
//
// As in primitives/ptx.cuh each chain is one asm block. So that one text works for every length,
// the operands of step k are adjacent and have the same numbers in all blocks; multiplicands are
// therefore listed as read and written, although no instruction writes them, and ptxas removes the
// resulting copies.
#pragma once
#include "primitives/ptx.cuh"

// Step k of r += y or r -= y: operands 2k and 2k + 1.
#define GECC_SUM_TEXT_1(first, next) first " %0, %0, %1;\n\t"
#define GECC_SUM_TEXT_2(first, next) GECC_SUM_TEXT_1(first, next) next " %2, %2, %3;\n\t"
#define GECC_SUM_TEXT_3(first, next) GECC_SUM_TEXT_2(first, next) next " %4, %4, %5;\n\t"
#define GECC_SUM_TEXT_4(first, next) GECC_SUM_TEXT_3(first, next) next " %6, %6, %7;\n\t"
#define GECC_SUM_TEXT_5(first, next) GECC_SUM_TEXT_4(first, next) next " %8, %8, %9;\n\t"
#define GECC_SUM_TEXT_6(first, next) GECC_SUM_TEXT_5(first, next) next " %10, %10, %11;\n\t"
#define GECC_SUM_TEXT_7(first, next) GECC_SUM_TEXT_6(first, next) next " %12, %12, %13;\n\t"
#define GECC_SUM_TEXT_8(first, next) GECC_SUM_TEXT_7(first, next) next " %14, %14, %15;\n\t"
#define GECC_SUM_TEXT_9(first, next) GECC_SUM_TEXT_8(first, next) next " %16, %16, %17;\n\t"
#define GECC_SUM_TEXT_10(first, next) GECC_SUM_TEXT_9(first, next) next " %18, %18, %19;\n\t"
#define GECC_SUM_TEXT_11(first, next) GECC_SUM_TEXT_10(first, next) next " %20, %20, %21;\n\t"
#define GECC_SUM_TEXT_12(first, next) GECC_SUM_TEXT_11(first, next) next " %22, %22, %23;\n\t"
#define GECC_SUM_TEXT_13(first, next) GECC_SUM_TEXT_12(first, next) next " %24, %24, %25;\n\t"
#define GECC_SUM_TEXT_14(first, next) GECC_SUM_TEXT_13(first, next) next " %26, %26, %27;\n\t"
#define GECC_SUM_TEXT_15(first, next) GECC_SUM_TEXT_14(first, next) next " %28, %28, %29;\n\t"
#define GECC_SUM_TEXT_16(first, next) GECC_SUM_TEXT_15(first, next) next " %30, %30, %31;\n\t"
#define GECC_SUM_TEXT_17(first, next) GECC_SUM_TEXT_16(first, next) next " %32, %32, %33;\n\t"
#define GECC_SUM_TEXT_18(first, next) GECC_SUM_TEXT_17(first, next) next " %34, %34, %35;\n\t"
#define GECC_SUM_TEXT_19(first, next) GECC_SUM_TEXT_18(first, next) next " %36, %36, %37;\n\t"
#define GECC_SUM_TEXT_20(first, next) GECC_SUM_TEXT_19(first, next) next " %38, %38, %39;\n\t"
#define GECC_SUM_TEXT_21(first, next) GECC_SUM_TEXT_20(first, next) next " %40, %40, %41;\n\t"
#define GECC_SUM_TEXT_22(first, next) GECC_SUM_TEXT_21(first, next) next " %42, %42, %43;\n\t"
#define GECC_SUM_TEXT_23(first, next) GECC_SUM_TEXT_22(first, next) next " %44, %44, %45;\n\t"
#define GECC_SUM_TEXT_24(first, next) GECC_SUM_TEXT_23(first, next) next " %46, %46, %47;\n\t"
#define GECC_SUM_TEXT_25(first, next) GECC_SUM_TEXT_24(first, next) next " %48, %48, %49;\n\t"
#define GECC_SUM_TEXT_26(first, next) GECC_SUM_TEXT_25(first, next) next " %50, %50, %51;\n\t"
#define GECC_SUM_TEXT_27(first, next) GECC_SUM_TEXT_26(first, next) next " %52, %52, %53;\n\t"
#define GECC_SUM_TEXT_28(first, next) GECC_SUM_TEXT_27(first, next) next " %54, %54, %55;\n\t"
#define GECC_SUM_TEXT_29(first, next) GECC_SUM_TEXT_28(first, next) next " %56, %56, %57;\n\t"
#define GECC_SUM_TEXT_30(first, next) GECC_SUM_TEXT_29(first, next) next " %58, %58, %59;\n\t"
#define GECC_SUM_TEXT_31(first, next) GECC_SUM_TEXT_30(first, next) next " %60, %60, %61;\n\t"
#define GECC_SUM_TEXT_32(first, next) GECC_SUM_TEXT_31(first, next) next " %62, %62, %63;\n\t"
#define GECC_SUM_OPERANDS_1(r, y) "+&r"(r[0]), "+&r"(y[0])
#define GECC_SUM_OPERANDS_2(r, y) GECC_SUM_OPERANDS_1(r, y), "+&r"(r[1]), "+&r"(y[1])
#define GECC_SUM_OPERANDS_3(r, y) GECC_SUM_OPERANDS_2(r, y), "+&r"(r[2]), "+&r"(y[2])
#define GECC_SUM_OPERANDS_4(r, y) GECC_SUM_OPERANDS_3(r, y), "+&r"(r[3]), "+&r"(y[3])
#define GECC_SUM_OPERANDS_5(r, y) GECC_SUM_OPERANDS_4(r, y), "+&r"(r[4]), "+&r"(y[4])
#define GECC_SUM_OPERANDS_6(r, y) GECC_SUM_OPERANDS_5(r, y), "+&r"(r[5]), "+&r"(y[5])
#define GECC_SUM_OPERANDS_7(r, y) GECC_SUM_OPERANDS_6(r, y), "+&r"(r[6]), "+&r"(y[6])
#define GECC_SUM_OPERANDS_8(r, y) GECC_SUM_OPERANDS_7(r, y), "+&r"(r[7]), "+&r"(y[7])
#define GECC_SUM_OPERANDS_9(r, y) GECC_SUM_OPERANDS_8(r, y), "+&r"(r[8]), "+&r"(y[8])
#define GECC_SUM_OPERANDS_10(r, y) GECC_SUM_OPERANDS_9(r, y), "+&r"(r[9]), "+&r"(y[9])
#define GECC_SUM_OPERANDS_11(r, y) GECC_SUM_OPERANDS_10(r, y), "+&r"(r[10]), "+&r"(y[10])
#define GECC_SUM_OPERANDS_12(r, y) GECC_SUM_OPERANDS_11(r, y), "+&r"(r[11]), "+&r"(y[11])
#define GECC_SUM_OPERANDS_13(r, y) GECC_SUM_OPERANDS_12(r, y), "+&r"(r[12]), "+&r"(y[12])
#define GECC_SUM_OPERANDS_14(r, y) GECC_SUM_OPERANDS_13(r, y), "+&r"(r[13]), "+&r"(y[13])
#define GECC_SUM_OPERANDS_15(r, y) GECC_SUM_OPERANDS_14(r, y), "+&r"(r[14]), "+&r"(y[14])
#define GECC_SUM_OPERANDS_16(r, y) GECC_SUM_OPERANDS_15(r, y), "+&r"(r[15]), "+&r"(y[15])
#define GECC_SUM_OPERANDS_17(r, y) GECC_SUM_OPERANDS_16(r, y), "+&r"(r[16]), "+&r"(y[16])
#define GECC_SUM_OPERANDS_18(r, y) GECC_SUM_OPERANDS_17(r, y), "+&r"(r[17]), "+&r"(y[17])
#define GECC_SUM_OPERANDS_19(r, y) GECC_SUM_OPERANDS_18(r, y), "+&r"(r[18]), "+&r"(y[18])
#define GECC_SUM_OPERANDS_20(r, y) GECC_SUM_OPERANDS_19(r, y), "+&r"(r[19]), "+&r"(y[19])
#define GECC_SUM_OPERANDS_21(r, y) GECC_SUM_OPERANDS_20(r, y), "+&r"(r[20]), "+&r"(y[20])
#define GECC_SUM_OPERANDS_22(r, y) GECC_SUM_OPERANDS_21(r, y), "+&r"(r[21]), "+&r"(y[21])
#define GECC_SUM_OPERANDS_23(r, y) GECC_SUM_OPERANDS_22(r, y), "+&r"(r[22]), "+&r"(y[22])
#define GECC_SUM_OPERANDS_24(r, y) GECC_SUM_OPERANDS_23(r, y), "+&r"(r[23]), "+&r"(y[23])
#define GECC_SUM_OPERANDS_25(r, y) GECC_SUM_OPERANDS_24(r, y), "+&r"(r[24]), "+&r"(y[24])
#define GECC_SUM_OPERANDS_26(r, y) GECC_SUM_OPERANDS_25(r, y), "+&r"(r[25]), "+&r"(y[25])
#define GECC_SUM_OPERANDS_27(r, y) GECC_SUM_OPERANDS_26(r, y), "+&r"(r[26]), "+&r"(y[26])
#define GECC_SUM_OPERANDS_28(r, y) GECC_SUM_OPERANDS_27(r, y), "+&r"(r[27]), "+&r"(y[27])
#define GECC_SUM_OPERANDS_29(r, y) GECC_SUM_OPERANDS_28(r, y), "+&r"(r[28]), "+&r"(y[28])
#define GECC_SUM_OPERANDS_30(r, y) GECC_SUM_OPERANDS_29(r, y), "+&r"(r[29]), "+&r"(y[29])
#define GECC_SUM_OPERANDS_31(r, y) GECC_SUM_OPERANDS_30(r, y), "+&r"(r[30]), "+&r"(y[30])
#define GECC_SUM_OPERANDS_32(r, y) GECC_SUM_OPERANDS_31(r, y), "+&r"(r[31]), "+&r"(y[31])

// r = a + b (+ carry) and r = a - b; LAST = 2 LENGTH is the number of the operand that takes the
// carry.
#define GECC_DEFINE_ADD(LENGTH, LAST) \
    template <> GECC_MEMBER u32 add<LENGTH>(u32* r, const u32* a, const u32* b) { \
        u32 x[LENGTH], y[LENGTH], out; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, b); \
        asm(GECC_SUM_TEXT_##LENGTH("add.cc.u32", "addc.cc.u32") "addc.u32 %" #LAST ", 0, 0;\n\t" \
            : GECC_SUM_OPERANDS_##LENGTH(x, y), "=&r"(out)); \
        chain_copy<LENGTH>(r, x); \
        return out; \
    }
#define GECC_DEFINE_SUB(LENGTH, LAST) \
    template <> GECC_MEMBER u32 sub<LENGTH>(u32* r, const u32* a, const u32* b) { \
        u32 x[LENGTH], y[LENGTH], out; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, b); \
        asm(GECC_SUM_TEXT_##LENGTH("sub.cc.u32", "subc.cc.u32") "subc.u32 %" #LAST ", 0, 0;\n\t" \
            : GECC_SUM_OPERANDS_##LENGTH(x, y), "=&r"(out)); \
        chain_copy<LENGTH>(r, x); \
        return out; \
    }
#define GECC_DEFINE_ADD_CARRY(LENGTH, LAST) \
    template <> GECC_MEMBER u32 add_carry<LENGTH>(u32* r, const u32* a, const u32* b, u32 carry) { \
        u32 x[LENGTH], y[LENGTH]; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, b); \
        asm("{.reg .u32 t;\n\tadd.cc.u32 t, %" #LAST ", 0xffffffff;\n\t" \
            GECC_SUM_TEXT_##LENGTH("addc.cc.u32", "addc.cc.u32") "addc.u32 %" #LAST ", 0, 0;}\n\t" \
            : GECC_SUM_OPERANDS_##LENGTH(x, y), "+&r"(carry)); \
        chain_copy<LENGTH>(r, x); \
        return carry; \
    }

template <int N> GECC_FN void chain_copy(u32* r, const u32* a) {
    GECC_UNROLL
    for (int i = 0; i < N; i++) r[i] = a[i];
}

GECC_DEFINE_ADD(6, 12)
GECC_DEFINE_ADD(10, 20)
GECC_DEFINE_ADD(11, 22)
GECC_DEFINE_ADD(14, 28)
GECC_DEFINE_ADD(16, 32)
GECC_DEFINE_ADD(18, 36)
GECC_DEFINE_ADD(19, 38)
GECC_DEFINE_ADD(20, 40)
GECC_DEFINE_ADD(23, 46)
GECC_DEFINE_ADD(24, 48)
GECC_DEFINE_ADD(27, 54)
GECC_DEFINE_ADD(28, 56)
GECC_DEFINE_ADD(31, 62)
GECC_DEFINE_ADD(32, 64)
GECC_DEFINE_SUB(6, 12)
GECC_DEFINE_SUB(12, 24)
GECC_DEFINE_SUB(14, 28)
GECC_DEFINE_ADD_CARRY(4, 8)
GECC_DEFINE_ADD_CARRY(12, 24)
GECC_DEFINE_ADD_CARRY(16, 32)

// Step k of a chain of low or of high halves of products: operands 3k .. 3k + 2.
#define GECC_HALF_TEXT_1(first, next) first " %0, %1, %2, %0;\n\t"
#define GECC_HALF_TEXT_2(first, next) GECC_HALF_TEXT_1(first, next) next " %3, %4, %5, %3;\n\t"
#define GECC_HALF_TEXT_3(first, next) GECC_HALF_TEXT_2(first, next) next " %6, %7, %8, %6;\n\t"
#define GECC_HALF_TEXT_4(first, next) GECC_HALF_TEXT_3(first, next) next " %9, %10, %11, %9;\n\t"
#define GECC_HALF_TEXT_5(first, next) GECC_HALF_TEXT_4(first, next) next " %12, %13, %14, %12;\n\t"
#define GECC_HALF_TEXT_6(first, next) GECC_HALF_TEXT_5(first, next) next " %15, %16, %17, %15;\n\t"
#define GECC_HALF_TEXT_7(first, next) GECC_HALF_TEXT_6(first, next) next " %18, %19, %20, %18;\n\t"
#define GECC_HALF_TEXT_8(first, next) GECC_HALF_TEXT_7(first, next) next " %21, %22, %23, %21;\n\t"
#define GECC_HALF_TEXT_9(first, next) GECC_HALF_TEXT_8(first, next) next " %24, %25, %26, %24;\n\t"
#define GECC_HALF_TEXT_10(first, next) GECC_HALF_TEXT_9(first, next) next " %27, %28, %29, %27;\n\t"
#define GECC_HALF_TEXT_11(first, next) GECC_HALF_TEXT_10(first, next) next " %30, %31, %32, %30;\n\t"
#define GECC_HALF_TEXT_12(first, next) GECC_HALF_TEXT_11(first, next) next " %33, %34, %35, %33;\n\t"
#define GECC_HALF_TEXT_13(first, next) GECC_HALF_TEXT_12(first, next) next " %36, %37, %38, %36;\n\t"
#define GECC_HALF_TEXT_14(first, next) GECC_HALF_TEXT_13(first, next) next " %39, %40, %41, %39;\n\t"
#define GECC_HALF_TEXT_15(first, next) GECC_HALF_TEXT_14(first, next) next " %42, %43, %44, %42;\n\t"
#define GECC_HALF_TEXT_16(first, next) GECC_HALF_TEXT_15(first, next) next " %45, %46, %47, %45;\n\t"
#define GECC_HALF_TEXT_17(first, next) GECC_HALF_TEXT_16(first, next) next " %48, %49, %50, %48;\n\t"
#define GECC_HALF_TEXT_18(first, next) GECC_HALF_TEXT_17(first, next) next " %51, %52, %53, %51;\n\t"
#define GECC_HALF_TEXT_19(first, next) GECC_HALF_TEXT_18(first, next) next " %54, %55, %56, %54;\n\t"
#define GECC_HALF_TEXT_20(first, next) GECC_HALF_TEXT_19(first, next) next " %57, %58, %59, %57;\n\t"
#define GECC_HALF_TEXT_21(first, next) GECC_HALF_TEXT_20(first, next) next " %60, %61, %62, %60;\n\t"
#define GECC_HALF_TEXT_22(first, next) GECC_HALF_TEXT_21(first, next) next " %63, %64, %65, %63;\n\t"
#define GECC_HALF_TEXT_23(first, next) GECC_HALF_TEXT_22(first, next) next " %66, %67, %68, %66;\n\t"
#define GECC_HALF_TEXT_24(first, next) GECC_HALF_TEXT_23(first, next) next " %69, %70, %71, %69;\n\t"
#define GECC_HALF_TEXT_25(first, next) GECC_HALF_TEXT_24(first, next) next " %72, %73, %74, %72;\n\t"
#define GECC_HALF_TEXT_26(first, next) GECC_HALF_TEXT_25(first, next) next " %75, %76, %77, %75;\n\t"
#define GECC_HALF_TEXT_27(first, next) GECC_HALF_TEXT_26(first, next) next " %78, %79, %80, %78;\n\t"
#define GECC_HALF_TEXT_28(first, next) GECC_HALF_TEXT_27(first, next) next " %81, %82, %83, %81;\n\t"
#define GECC_HALF_TEXT_29(first, next) GECC_HALF_TEXT_28(first, next) next " %84, %85, %86, %84;\n\t"
#define GECC_HALF_OPERANDS_1(acc, x, y) "+&r"(acc[0]), "+&r"(x[0]), "+&r"(y[0])
#define GECC_HALF_OPERANDS_2(acc, x, y) GECC_HALF_OPERANDS_1(acc, x, y), "+&r"(acc[1]), "+&r"(x[1]), "+&r"(y[1])
#define GECC_HALF_OPERANDS_3(acc, x, y) GECC_HALF_OPERANDS_2(acc, x, y), "+&r"(acc[2]), "+&r"(x[2]), "+&r"(y[2])
#define GECC_HALF_OPERANDS_4(acc, x, y) GECC_HALF_OPERANDS_3(acc, x, y), "+&r"(acc[3]), "+&r"(x[3]), "+&r"(y[3])
#define GECC_HALF_OPERANDS_5(acc, x, y) GECC_HALF_OPERANDS_4(acc, x, y), "+&r"(acc[4]), "+&r"(x[4]), "+&r"(y[4])
#define GECC_HALF_OPERANDS_6(acc, x, y) GECC_HALF_OPERANDS_5(acc, x, y), "+&r"(acc[5]), "+&r"(x[5]), "+&r"(y[5])
#define GECC_HALF_OPERANDS_7(acc, x, y) GECC_HALF_OPERANDS_6(acc, x, y), "+&r"(acc[6]), "+&r"(x[6]), "+&r"(y[6])
#define GECC_HALF_OPERANDS_8(acc, x, y) GECC_HALF_OPERANDS_7(acc, x, y), "+&r"(acc[7]), "+&r"(x[7]), "+&r"(y[7])
#define GECC_HALF_OPERANDS_9(acc, x, y) GECC_HALF_OPERANDS_8(acc, x, y), "+&r"(acc[8]), "+&r"(x[8]), "+&r"(y[8])
#define GECC_HALF_OPERANDS_10(acc, x, y) GECC_HALF_OPERANDS_9(acc, x, y), "+&r"(acc[9]), "+&r"(x[9]), "+&r"(y[9])
#define GECC_HALF_OPERANDS_11(acc, x, y) GECC_HALF_OPERANDS_10(acc, x, y), "+&r"(acc[10]), "+&r"(x[10]), "+&r"(y[10])
#define GECC_HALF_OPERANDS_12(acc, x, y) GECC_HALF_OPERANDS_11(acc, x, y), "+&r"(acc[11]), "+&r"(x[11]), "+&r"(y[11])
#define GECC_HALF_OPERANDS_13(acc, x, y) GECC_HALF_OPERANDS_12(acc, x, y), "+&r"(acc[12]), "+&r"(x[12]), "+&r"(y[12])
#define GECC_HALF_OPERANDS_14(acc, x, y) GECC_HALF_OPERANDS_13(acc, x, y), "+&r"(acc[13]), "+&r"(x[13]), "+&r"(y[13])
#define GECC_HALF_OPERANDS_15(acc, x, y) GECC_HALF_OPERANDS_14(acc, x, y), "+&r"(acc[14]), "+&r"(x[14]), "+&r"(y[14])
#define GECC_HALF_OPERANDS_16(acc, x, y) GECC_HALF_OPERANDS_15(acc, x, y), "+&r"(acc[15]), "+&r"(x[15]), "+&r"(y[15])
#define GECC_HALF_OPERANDS_17(acc, x, y) GECC_HALF_OPERANDS_16(acc, x, y), "+&r"(acc[16]), "+&r"(x[16]), "+&r"(y[16])
#define GECC_HALF_OPERANDS_18(acc, x, y) GECC_HALF_OPERANDS_17(acc, x, y), "+&r"(acc[17]), "+&r"(x[17]), "+&r"(y[17])
#define GECC_HALF_OPERANDS_19(acc, x, y) GECC_HALF_OPERANDS_18(acc, x, y), "+&r"(acc[18]), "+&r"(x[18]), "+&r"(y[18])
#define GECC_HALF_OPERANDS_20(acc, x, y) GECC_HALF_OPERANDS_19(acc, x, y), "+&r"(acc[19]), "+&r"(x[19]), "+&r"(y[19])
#define GECC_HALF_OPERANDS_21(acc, x, y) GECC_HALF_OPERANDS_20(acc, x, y), "+&r"(acc[20]), "+&r"(x[20]), "+&r"(y[20])
#define GECC_HALF_OPERANDS_22(acc, x, y) GECC_HALF_OPERANDS_21(acc, x, y), "+&r"(acc[21]), "+&r"(x[21]), "+&r"(y[21])
#define GECC_HALF_OPERANDS_23(acc, x, y) GECC_HALF_OPERANDS_22(acc, x, y), "+&r"(acc[22]), "+&r"(x[22]), "+&r"(y[22])
#define GECC_HALF_OPERANDS_24(acc, x, y) GECC_HALF_OPERANDS_23(acc, x, y), "+&r"(acc[23]), "+&r"(x[23]), "+&r"(y[23])
#define GECC_HALF_OPERANDS_25(acc, x, y) GECC_HALF_OPERANDS_24(acc, x, y), "+&r"(acc[24]), "+&r"(x[24]), "+&r"(y[24])
#define GECC_HALF_OPERANDS_26(acc, x, y) GECC_HALF_OPERANDS_25(acc, x, y), "+&r"(acc[25]), "+&r"(x[25]), "+&r"(y[25])
#define GECC_HALF_OPERANDS_27(acc, x, y) GECC_HALF_OPERANDS_26(acc, x, y), "+&r"(acc[26]), "+&r"(x[26]), "+&r"(y[26])
#define GECC_HALF_OPERANDS_28(acc, x, y) GECC_HALF_OPERANDS_27(acc, x, y), "+&r"(acc[27]), "+&r"(x[27]), "+&r"(y[27])
#define GECC_HALF_OPERANDS_29(acc, x, y) GECC_HALF_OPERANDS_28(acc, x, y), "+&r"(acc[28]), "+&r"(x[28]), "+&r"(y[28])

template <int L> GECC_MEMBER void add_low_pairs(u32* acc, const u32* a, const u32* b);
template <int L> GECC_MEMBER void add_high_pairs(u32* acc, const u32* a, const u32* b);

// CARRY = 3 LENGTH is the number of the operand acc[LENGTH].
#define GECC_DEFINE_PAIRS(LENGTH, CARRY) \
    template <> GECC_MEMBER void add_low_pairs<LENGTH>(u32* acc, const u32* a, const u32* b) { \
        u32 x[LENGTH], y[LENGTH]; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, b); \
        asm(GECC_HALF_TEXT_##LENGTH("mad.lo.cc.u32", "madc.lo.cc.u32") "addc.u32 %" #CARRY ", %" #CARRY ", 0;\n\t" \
            : GECC_HALF_OPERANDS_##LENGTH(acc, x, y), "+&r"(acc[LENGTH])); \
    } \
    template <> GECC_MEMBER void add_high_pairs<LENGTH>(u32* acc, const u32* a, const u32* b) { \
        u32 x[LENGTH], y[LENGTH]; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, b); \
        asm(GECC_HALF_TEXT_##LENGTH("mad.hi.cc.u32", "madc.hi.cc.u32") \
            : GECC_HALF_OPERANDS_##LENGTH(acc, x, y)); \
    }

GECC_DEFINE_PAIRS(1, 3)
GECC_DEFINE_PAIRS(4, 12)
GECC_DEFINE_PAIRS(5, 15)
GECC_DEFINE_PAIRS(8, 24)
GECC_DEFINE_PAIRS(9, 27)
GECC_DEFINE_PAIRS(12, 36)
GECC_DEFINE_PAIRS(13, 39)
GECC_DEFINE_PAIRS(16, 48)
GECC_DEFINE_PAIRS(17, 51)
GECC_DEFINE_PAIRS(21, 63)
GECC_DEFINE_PAIRS(25, 75)
GECC_DEFINE_PAIRS(29, 87)

// Step k of a chain of whole products: operands 4k .. 4k + 3.
#define GECC_WIDE_STEP(low, r0, r1, x, y) \
    low " %" #r0 ", %" #x ", %" #y ", %" #r0 ";\n\tmadc.hi.cc.u32 %" #r1 ", %" #x ", %" #y ", %" #r1 ";\n\t"
#define GECC_WIDE_TEXT_1(first) GECC_WIDE_STEP(first, 0, 1, 2, 3)
#define GECC_WIDE_TEXT_2(first) GECC_WIDE_TEXT_1(first) GECC_WIDE_STEP("madc.lo.cc.u32", 4, 5, 6, 7)
#define GECC_WIDE_TEXT_3(first) GECC_WIDE_TEXT_2(first) GECC_WIDE_STEP("madc.lo.cc.u32", 8, 9, 10, 11)
#define GECC_WIDE_TEXT_4(first) GECC_WIDE_TEXT_3(first) GECC_WIDE_STEP("madc.lo.cc.u32", 12, 13, 14, 15)
#define GECC_WIDE_TEXT_5(first) GECC_WIDE_TEXT_4(first) GECC_WIDE_STEP("madc.lo.cc.u32", 16, 17, 18, 19)
#define GECC_WIDE_TEXT_6(first) GECC_WIDE_TEXT_5(first) GECC_WIDE_STEP("madc.lo.cc.u32", 20, 21, 22, 23)
#define GECC_WIDE_TEXT_7(first) GECC_WIDE_TEXT_6(first) GECC_WIDE_STEP("madc.lo.cc.u32", 24, 25, 26, 27)
#define GECC_WIDE_TEXT_8(first) GECC_WIDE_TEXT_7(first) GECC_WIDE_STEP("madc.lo.cc.u32", 28, 29, 30, 31)
#define GECC_WIDE_TEXT_9(first) GECC_WIDE_TEXT_8(first) GECC_WIDE_STEP("madc.lo.cc.u32", 32, 33, 34, 35)
#define GECC_WIDE_TEXT_10(first) GECC_WIDE_TEXT_9(first) GECC_WIDE_STEP("madc.lo.cc.u32", 36, 37, 38, 39)
#define GECC_WIDE_TEXT_11(first) GECC_WIDE_TEXT_10(first) GECC_WIDE_STEP("madc.lo.cc.u32", 40, 41, 42, 43)
#define GECC_WIDE_TEXT_12(first) GECC_WIDE_TEXT_11(first) GECC_WIDE_STEP("madc.lo.cc.u32", 44, 45, 46, 47)
#define GECC_WIDE_TEXT_13(first) GECC_WIDE_TEXT_12(first) GECC_WIDE_STEP("madc.lo.cc.u32", 48, 49, 50, 51)
#define GECC_WIDE_TEXT_14(first) GECC_WIDE_TEXT_13(first) GECC_WIDE_STEP("madc.lo.cc.u32", 52, 53, 54, 55)
#define GECC_WIDE_TEXT_15(first) GECC_WIDE_TEXT_14(first) GECC_WIDE_STEP("madc.lo.cc.u32", 56, 57, 58, 59)
#define GECC_WIDE_TEXT_16(first) GECC_WIDE_TEXT_15(first) GECC_WIDE_STEP("madc.lo.cc.u32", 60, 61, 62, 63)
#define GECC_WIDE_OPERAND(acc, x, y, k) \
    "+&r"(acc[2 * k]), "+&r"(acc[2 * k + 1]), "+&r"(x[k]), "+&r"(y[k])
#define GECC_WIDE_OPERANDS_1(acc, x, y) GECC_WIDE_OPERAND(acc, x, y, 0)
#define GECC_WIDE_OPERANDS_2(acc, x, y) GECC_WIDE_OPERANDS_1(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 1)
#define GECC_WIDE_OPERANDS_3(acc, x, y) GECC_WIDE_OPERANDS_2(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 2)
#define GECC_WIDE_OPERANDS_4(acc, x, y) GECC_WIDE_OPERANDS_3(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 3)
#define GECC_WIDE_OPERANDS_5(acc, x, y) GECC_WIDE_OPERANDS_4(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 4)
#define GECC_WIDE_OPERANDS_6(acc, x, y) GECC_WIDE_OPERANDS_5(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 5)
#define GECC_WIDE_OPERANDS_7(acc, x, y) GECC_WIDE_OPERANDS_6(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 6)
#define GECC_WIDE_OPERANDS_8(acc, x, y) GECC_WIDE_OPERANDS_7(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 7)
#define GECC_WIDE_OPERANDS_9(acc, x, y) GECC_WIDE_OPERANDS_8(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 8)
#define GECC_WIDE_OPERANDS_10(acc, x, y) GECC_WIDE_OPERANDS_9(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 9)
#define GECC_WIDE_OPERANDS_11(acc, x, y) GECC_WIDE_OPERANDS_10(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 10)
#define GECC_WIDE_OPERANDS_12(acc, x, y) GECC_WIDE_OPERANDS_11(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 11)
#define GECC_WIDE_OPERANDS_13(acc, x, y) GECC_WIDE_OPERANDS_12(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 12)
#define GECC_WIDE_OPERANDS_14(acc, x, y) GECC_WIDE_OPERANDS_13(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 13)
#define GECC_WIDE_OPERANDS_15(acc, x, y) GECC_WIDE_OPERANDS_14(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 14)
#define GECC_WIDE_OPERANDS_16(acc, x, y) GECC_WIDE_OPERANDS_15(acc, x, y), GECC_WIDE_OPERAND(acc, x, y, 15)

#define GECC_DEFINE_PRODUCTS(LENGTH) \
    template <> GECC_MEMBER void products<LENGTH>(u32* r, const u32* a, u32 b) { \
        GECC_UNROLL \
        for (int k = 0; k < LENGTH; k++) products<1>(r + 2 * k, a + 2 * k, b); \
    }
// CARRY = 4 LENGTH is the number of the operand that takes the carry.
#define GECC_DEFINE_ADD_PRODUCTS(LENGTH, CARRY) \
    template <> GECC_MEMBER u32 add_products<LENGTH>(u32* acc, const u32* a, u32 b) { \
        u32 x[LENGTH], y[LENGTH], out; \
        wide_operands<LENGTH>(x, y, a, b); \
        asm(GECC_WIDE_TEXT_##LENGTH("mad.lo.cc.u32") "addc.u32 %" #CARRY ", 0, 0;\n\t" \
            : GECC_WIDE_OPERANDS_##LENGTH(acc, x, y), "=&r"(out)); \
        return out; \
    }
// The carry of p + q enters at the bottom; q is the operand CARRY + 1.
#define GECC_DEFINE_ADD_PRODUCTS_AFTER(LENGTH, CARRY, Q) \
    template <> GECC_MEMBER u32 add_products_after<LENGTH>(u32* acc, const u32* a, u32 b, u32 p, u32 q) { \
        u32 x[LENGTH], y[LENGTH]; \
        wide_operands<LENGTH>(x, y, a, b); \
        asm("{.reg .u32 t;\n\tadd.cc.u32 t, %" #CARRY ", %" #Q ";\n\t" \
            GECC_WIDE_TEXT_##LENGTH("madc.lo.cc.u32") "addc.u32 %" #CARRY ", 0, 0;}\n\t" \
            : GECC_WIDE_OPERANDS_##LENGTH(acc, x, y), "+&r"(p), "+&r"(q)); \
        return p; \
    }

template <int N> GECC_FN void wide_operands(u32* x, u32* y, const u32* a, u32 b) {
    GECC_UNROLL
    for (int k = 0; k < N; k++) {
        x[k] = a[2 * k];
        y[k] = b;
    }
}

GECC_DEFINE_PRODUCTS(5)
GECC_DEFINE_ADD_PRODUCTS(5, 20)
GECC_DEFINE_PRODUCTS(6)
GECC_DEFINE_ADD_PRODUCTS(6, 24)
GECC_DEFINE_PRODUCTS(7)
GECC_DEFINE_ADD_PRODUCTS(7, 28)
GECC_DEFINE_PRODUCTS(8)
GECC_DEFINE_ADD_PRODUCTS(8, 32)
GECC_DEFINE_ADD_PRODUCTS_AFTER(3, 12, 13)
GECC_DEFINE_ADD_PRODUCTS_AFTER(5, 20, 21)
GECC_DEFINE_ADD_PRODUCTS_AFTER(6, 24, 25)
GECC_DEFINE_ADD_PRODUCTS_AFTER(7, 28, 29)
GECC_DEFINE_ADD_PRODUCTS_AFTER(8, 32, 33)

template <int N> GECC_MEMBER void add_squares_of(u32* acc, const u32* a);

#define GECC_DEFINE_ADD_SQUARES(LENGTH) \
    template <> GECC_MEMBER void add_squares_of<LENGTH>(u32* acc, const u32* a) { \
        u32 x[LENGTH], y[LENGTH]; \
        chain_copy<LENGTH>(x, a); \
        chain_copy<LENGTH>(y, a); \
        asm(GECC_WIDE_TEXT_##LENGTH("mad.lo.cc.u32") : GECC_WIDE_OPERANDS_##LENGTH(acc, x, y)); \
    }

GECC_DEFINE_ADD_SQUARES(2)
GECC_DEFINE_ADD_SQUARES(4)
GECC_DEFINE_ADD_SQUARES(6)
GECC_DEFINE_ADD_SQUARES(8)
GECC_DEFINE_ADD_SQUARES(10)
GECC_DEFINE_ADD_SQUARES(12)
GECC_DEFINE_ADD_SQUARES(14)
GECC_DEFINE_ADD_SQUARES(16)
