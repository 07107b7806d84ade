// Field elements that record the operations on them: curve/edwards.cuh and scheme/ed25519.cuh are
// compiled with this file instead of cuda/field/field.cuh and print their sequence of operations.
//
// An element is a number of eight words that has the line that made it (numbers.cuh). Questions, and whether a
// canonical number is odd, are answered by the digits of `decisions`, further ones by 0. An encoding is such a number
// too, whose highest bit is set where x is odd.
#pragma once
#include "curve.cuh"
#include "numbers.cuh"
#include "primitives/words.cuh"

struct fe {
    u32 v[8];
};

static const char* decisions = "";

template <class... Operands> static bool decide(const char* question, Operands... operands) {
    bool answer = *decisions == '1';
    if (*decisions) decisions++;
    std::printf("%s", question);
    (std::printf(" %d", operands), ...);
    std::printf(" %d\n", (int)answer);
    lines++;
    return answer;
}

static fe fe_constant(const u32 (&words)[8]) {
    fe r;
    words_copy(r.v, words);
    return r;
}
static fe fe_zero() {
    const u32 zero[8] = {0};
    return fe_constant(zero);
}
static fe fe_one() {
    const u32 one[8] = GECC_FIELD_ONE;
    return fe_constant(one);
}

static fe fe_mul(const fe& a, const fe& b) { return recorded<fe>("mul", a.v, b.v); }
static fe fe_sqr(const fe& a) { return fe_mul(a, a); }
static fe fe_add(const fe& a, const fe& b) { return recorded<fe>("add", a.v, b.v); }
static fe fe_sub(const fe& a, const fe& b) { return recorded<fe>("sub", a.v, b.v); }
static fe fe_neg(const fe& a) { return fe_sub(fe_zero(), a); }
static fe fe_double(const fe& a) { return fe_add(a, a); }
static fe fe_sqrt_candidate(const fe& a) { return recorded<fe>("root", a.v); }
static fe fe_select(u32 mask, const fe& a, const fe& b) {
    if (mask != 0 && mask != ~0u) fail("no mask");
    return mask ? a : b;
}
static bool fe_is_zero(const fe& a) {
    int line = line_of(a.v);
    return decide("zero", line);
}
static bool fe_equal(const fe& a, const fe& b) { return fe_is_zero(fe_sub(a, b)); }
static fe fe_canonical(const fe& a) {
    int line = line_of(a.v), own = lines;
    bool odd = decide("canonical", line);
    lines = own;  // the question is the line of the result
    fe r;
    name_line(r.v, 8, odd);
    return r;
}

// The line of a number, and its highest bit.
static int line_below(const u32* words, int& top) {
    fe number;
    words_copy(number.v, words);
    number.v[7] &= 0x7fffffff;
    top = words[7] >> 31;
    return line_of(number.v);
}
static u32 asked_difference(const u32* a, const u32* b) {
    int top_of_a, top_of_b;
    int first = line_below(a, top_of_a), second = line_below(b, top_of_b);
    return decide("differ", first, top_of_a, second, top_of_b);
}
static u32 asked_or(const u32* a) {
    int line = line_of(a);
    return decide("nonzero", line);
}
#define words_difference asked_difference
#define words_or asked_or
