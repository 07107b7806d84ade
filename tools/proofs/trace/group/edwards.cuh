// Points of a twisted Edwards curve and digits that record the operations on them. The loops of
// curve/edwards_multiply.cuh, of ed_base_multiple and of ed_is_of_small_order are compiled with
// these. A value is the number of the line that made it. A point is one value, in whichever
// coordinates it is represented.
#pragma once
#include "decide.cuh"

// Of a point its coordinates, the inverse of Z, and the products of both.
enum Kind { kX, kY, kZ, kInverse, kAffineX, kAffineY };
struct fe {
    Kind kind;
    int line = -1;
};
static fe fe_inv(const fe& a) { return a.kind == kZ ? fe{kInverse, a.line} : (fail("no Z is inverted"), fe{}); }
static fe fe_mul(const fe& a, const fe& b) {
    if ((a.kind != kX && a.kind != kY) || b.kind != kInverse || a.line != b.line) fail("no coordinate over its Z");
    return {a.kind == kX ? kAffineX : kAffineY, a.line};
}

template <class... Operands> static int made(const char* operation, Operands... operands) {
    std::printf("%s", operation);
    (std::printf(" %d", operands), ...);
    std::printf("\n");
    return lines++;
}

struct ed_affine {
    fe x, y;
};
struct ed_projective {
    int line;
};
struct ed_extended {
    fe x, y, z;
};
struct ed_completed {
    int line;
    explicit ed_completed(int line) : line(line) {}
};
struct ed_addend {
    int line, digit;  // -1 if not a multiple by a digit whose value is open
};
// The lowest words of an entry's sum and difference: 1 is put into those of zeros, and nothing into
// others.
struct LowWord {
    u32 v[1];
};
static const u32 kOther = 2;
struct ed_niels {
    LowWord sum, difference;
    int line, digit;
};

static int line_of(const ed_affine& a) {
    if (a.x.kind != kAffineX || a.y.kind != kAffineY || a.x.line != a.y.line) fail("no point");
    return a.x.line;
}
static int line_of(const ed_extended& a) { return a.x.line; }
static ed_extended extended(int line) { return {{kX, line}, {kY, line}, {kZ, line}}; }
static ed_affine affine(int line) { return {{kAffineX, line}, {kAffineY, line}}; }

static ed_affine ed_generator() { return affine(made("generator")); }
static ed_extended ed_identity() { return extended(made("identity")); }
static ed_completed ed_completed_identity() { return ed_completed(made("identity")); }
static ed_extended to_extended(const ed_affine& a) { return extended(line_of(a)); }
static ed_extended to_extended(const ed_completed& a) { return extended(a.line); }
static ed_projective to_projective(const ed_extended& a) { return {line_of(a)}; }
static ed_projective to_projective(const ed_completed& a) { return {a.line}; }
static ed_addend to_addend(const ed_extended& a) { return {line_of(a), -1}; }
static ed_niels to_niels(const ed_affine& a) { return {{kOther}, {kOther}, line_of(a), -1}; }
static ed_completed ed_double(const ed_projective& a) { return ed_completed(made("double", a.line)); }
static bool ed_is_identity(const ed_projective& a) { return decide("is_identity", a.line); }

// Whether the addend is negated, where that is known: else the mask is the complement of the line
// of its digit.
static int sign(int digit, u32 negative) {
    if (digit < 0) return negative == 0 ? 0 : negative == ~0u ? 1 : (fail("no mask"), 0);
    if (negative != ~(u32)digit) fail("a multiple with the sign of another digit");
    return 0;
}
static ed_completed ed_add(const ed_extended& a, const ed_addend& b, u32 negative) {
    return ed_completed(made("add", line_of(a), b.line, sign(b.digit, negative)));
}
static ed_completed ed_add_affine(const ed_extended& a, const ed_niels& b, u32 negative) {
    u32 low = b.line < 0 ? 1 : kOther;
    if (b.sum.v[0] != low || b.difference.v[0] != low) fail("an entry with other words");
    return ed_completed(made("add", line_of(a), b.line, sign(b.digit, negative)));
}

// The sums of scalars and halves: which scalar, and the width that the halves are for.
static void name_scalar(u32* words, u32 which) {
    for (int i = 0; i < 8; i++) words[i] = which;
}
template <int kWidth> static void ed_add_halves(u32* r, const u32* value) { r[0] = value[0], r[1] = kWidth; }

static u32 opaque(u32 value) { return value; }

struct Sign {
    int line;
    explicit operator u32() const { return ~(u32)line; }
};
struct Digit {
    int line = -1;
    i32 value = 0;  // where the code takes it as a word
    Digit(int zero) {
        if (zero != 0) fail("no digit");
    }
    Digit(int line, i32 value) : line(line), value(value) {}
    bool operator!=(int zero) const {
        if (zero != 0) fail("a digit is compared");
        return line >= 0 && decide("present", line);
    }
    Sign operator>>(int bits) const { return bits == 31 ? Sign{line} : (fail("no sign"), Sign{}); }
    explicit operator u32() const { return (u32)value; }
};

// In 256 runs a digit takes each value of eight bits, always different from the adjacent digits.
static int run_of_values = 0;
template <int kWidth> static Digit ed_digit(const u32* sum, int window) {
    if (sum[1] != kWidth) fail("digits of another width");
    i32 value = (i32)(u8)(run_of_values + 37 * window) - 128;
    return Digit(made("digit", (int)sum[0], window), value);
}
struct Place {
    int digit;
};
static Place ed_place(const Digit& digit) { return {digit.line}; }

// What the loops read from and write to.
struct Store {
    ed_addend get(int point, const Place& place) const { return {made("entry", point, place.digit), place.digit}; }
    void put(int point, int m, const ed_addend& entry) { made("put", point, m, entry.line); }
    void align() const {}
};
struct Uniform {
    int multiples;
    ed_niels get(int window, u32 m) const {
        if (m == ~0u) return {{0}, {0}, -1, -1};
        if (m >= (u32)multiples) fail("no such multiple");
        return {{kOther}, {kOther}, made("multiple", window, (int)m), -1};
    }
};

static void give(int line) { std::printf("result %d\n", line); }
