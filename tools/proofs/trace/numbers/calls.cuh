// What functions of cuda/field/ that are compositions call.
#pragma once
#include "curve.cuh"
#include "numbers.cuh"
#include "primitives/words.cuh"

struct fe {
    u32 v[8];
};
struct sc {
    u32 v[8];
};
struct EightWords {
    u32 v[8];
};
struct SixteenWords {
    u32 v[16];
};
struct FieldModulus {
    static const char* inverse() { return "inverse_modulo_p"; }
};
struct OrderModulus {
    static const char* inverse() { return "inverse_modulo_n"; }
};

static fe fe_mul(const fe& a, const fe& b) { return recorded<fe>("fe_mul", a.v, b.v); }
static fe fe_sqr(const fe& a) { return recorded<fe>("fe_mul", a.v, a.v); }
static fe fe_sub(const fe& a, const fe& b) { return recorded<fe>("fe_sub", a.v, b.v); }
static fe fe_canonical(const fe& a) { return recorded<fe>("fe_canonical", a.v); }
static fe fe_constant(const u32 (&words)[8]) {
    fe r;
    words_copy(r.v, words);
    return r;
}
static SixteenWords joined(const sc& low, const sc& high) {
    SixteenWords r;
    words_copy(r.v, low.v);
    words_copy(r.v + 8, high.v);
    return r;
}
static void fe_reduce(u32* r, const u32* t) {
    for (int i = 8; i < 16; i++)
        if (t[i] != 0) fail("fe_reduce of another number than eight words");
    words_copy(r, recorded<fe>("fe_reduce", t).v);
}
static sc sc_add(const sc& a, const sc& b) { return recorded<sc>("sc_add", a.v, b.v); }
static sc sc_mont_mul(const sc& a, const sc& b) { return recorded<sc>("sc_mont_mul", a.v, b.v); }
static sc sc_to_montgomery(const u32* words) { return recorded<sc>("sc_to_montgomery", words); }
template <class M> static EightWords divsteps_inverse(EightWords a) { return recorded<EightWords>(M::inverse(), a.v); }
