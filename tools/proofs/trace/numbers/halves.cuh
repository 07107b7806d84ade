// The functions that the recodings of curve/recode.cuh call, on numbers of five words. `decisions`
// determines which numbers are odd and which comparisons hold, in their order; after its end,
// numbers are even and comparisons do not hold.
#pragma once
#include "curve.cuh"
#include "numbers.cuh"
#include "primitives/host.cuh"
#include "primitives/types.cuh"

struct sc {
    u32 v[8];
};
template <int N> struct SignedDigits {
    u32 rest[N];
    u32 carry, negate;
    int bits;
};
template <int T> struct OddScalar {
    u32 windows[5];
    u32 negative;
};
static constexpr int kScalars = 2, kPartWords = 5, kWindows = 26;

static const char* decisions = "";

static bool decide() {
    return *decisions && *decisions++ == '1';
}

static void number_160(u32* r, const char* operation, const u32* a, const u32* b, bool odd) {
    int first = line_of(a, 5), second = line_of(b, 5);
    std::printf("%s %d %d %d\n", operation, first, second, (int)odd);
    name_line(r, 5, odd);
}

static void multiply_round_384(u32* r, const sc& k, const u32* g) {
    int first = line_of(k.v), second = line_of(g);
    std::printf("round %d %d\n", first, second);
    name_line(r, 5);
}

static void product_160(u32* r, const u32* a, const u32* b) { number_160(r, "mul", a, b, false); }
static void sub_160(u32* r, const u32* a, const u32* b) { number_160(r, "sub", a, b, decide()); }

static void add_masked_160(u32* r, const u32* a, u32 mask) {
    if (mask != 0 && mask != ~0u) fail("no mask");
    if (mask) number_160(r, "add", r, a, false);
}

// The sign is the complement of the line, so that it is seen where it goes.
static u32 to_magnitude_160(u32* r, const u32* a) {
    int line = line_of(a, 5);
    std::printf("magnitude %d\n", line);
    name_line(r, 5);
    return ~(u32)line;
}

static void prepare_windows(OddScalar<kWindows>& s) {
    int line = line_of(s.windows, 5);
    std::printf("windows %d\n", line);
    name_line(s.windows, 5);
}

static sc sc_neg(const sc& a) { return recorded<sc>("negative", a.v); }

static u32 words_less(const u32* a, const u32* b) {
    int first = line_of(a), second = line_of(b);
    bool answer = decide();
    std::printf("less %d %d %d\n", first, second, (int)answer);
    lines++;
    return answer;
}

static void give_part(const u32* words, int count, u32 sign) {
    int line = line_of(words, count);
    std::printf("result %d %u\n", line, sign);
}

static void give_digits(const SignedDigits<5>& s) {
    if (s.carry != 0 || s.bits != 7) fail("digits that do not begin with the first");
    give_part(s.rest, 5, ~s.negate);
}
