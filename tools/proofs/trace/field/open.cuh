// Field elements that record the operations on them: the formulas of cuda/curve/ and cuda/scheme/
// are compiled with this file instead of cuda/field/ and print their sequence of operations.
//
// An element is the number of the line that made it. Questions about values are answered by the
// digits of `decisions`, in their order, and further ones by 0; each question is printed with its
// answer.
#pragma once
#include "curve.cuh"
#include "primitives/words.cuh"
#include <cstdio>

struct fe {
    int line = -1;
};

// An element less `taken` others, of which open_settle takes three at most.
struct fe_open {
    int line = -1, taken = 0;
};

static const char* decisions = "";
static int lines = 0;

static int print(const char* operation, int a, int b = -1) {
    std::printf("%s %d %d\n", operation, a, b);
    return lines++;
}

static fe fe_constant(const u32 (&words)[8]) {
    std::printf("constant ");
    for (int i = 7; i >= 0; i--) std::printf("%08x", words[i]);
    std::printf("\n");
    return fe{lines++};
}

static fe fe_variable(const char* name) {
    std::printf("variable %s\n", name);
    return fe{lines++};
}

static bool decide(const char* question, int a) {
    bool answer = *decisions == '1';
    if (*decisions) decisions++;
    print(question, a, answer);
    return answer;
}

static fe fe_zero() {
    const u32 zero[8] = {0};
    return fe_constant(zero);
}

static fe fe_one() {
    const u32 one[8] = GECC_FIELD_ONE;
    return fe_constant(one);
}

static fe fe_mul(fe a, fe b) { return fe{print("mul", a.line, b.line)}; }
static fe fe_sqr(fe a) { return fe{print("mul", a.line, a.line)}; }
static fe fe_add(fe a, fe b) { return fe{print("add", a.line, b.line)}; }
static fe fe_sub(fe a, fe b) { return fe{print("sub", a.line, b.line)}; }
static fe fe_half(fe a) { return fe{print("half", a.line)}; }
static fe fe_neg(fe a) { return fe_sub(fe_zero(), a); }
static fe fe_double(fe a) { return fe_add(a, a); }
static fe fe_triple(fe a) { return fe_add(fe_double(a), a); }
static fe fe_select(u32 mask, fe a, fe b) { return mask ? a : b; }
static bool fe_is_zero(fe a) { return decide("zero", a.line); }
static bool fe_equal(fe a, fe b) { return fe_is_zero(fe_sub(a, b)); }
static fe fe_sqrt_candidate(fe a) { return fe{print("root", a.line)}; }
// Plain numbers that enter are elements with a name; of those that leave, only whether they are odd
// is asked.
static fe fe_from_words(const u32* words) { return fe_variable(words[0] == 1 ? "number1" : "number2"); }
static void fe_to_words(u32* words, fe a) { words[0] = decide("odd", a.line); }

static fe_open open_mul(fe a, fe b) { return fe_open{fe_mul(a, b).line, 0}; }
static fe_open open_sqr(fe a) { return fe_open{fe_sqr(a).line, 0}; }
static fe_open open_sub(fe_open a, fe b) { return fe_open{print("sub", a.line, b.line), a.taken + 1}; }

static fe open_settle(fe_open a) {
    if (a.taken > 3) std::printf("too many subtractions\n");
    return fe{a.line};
}

static fe fe_mul_sub(fe a, fe b, fe c) { return open_settle(open_sub(open_mul(a, b), c)); }
static fe fe_sqr_sub_twice(fe a, fe b) { return open_settle(open_sub(open_sub(open_sqr(a), b), b)); }

static fe fe_sqr_sub_sub_twice(fe a, fe b, fe c) {
    return open_settle(open_sub(open_sub(open_sub(open_sqr(a), b), c), c));
}

static fe fe_mul_sub_mul(fe a, fe b, fe c, fe d) { return fe_sub(fe_mul(a, b), fe_mul(c, d)); }
static fe fe_mul_sub_sqr(fe a, fe b, fe c) { return fe_sub(fe_mul(a, b), fe_sqr(c)); }
