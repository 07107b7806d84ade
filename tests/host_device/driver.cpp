// Arithmetic, point formulas, recoding and multiplication by windows, for one curve (the generated
// curve.cuh on the include path).
#include "curve/affine_add.cuh"
#include "curve/batch_inverse.cuh"
#include "curve/xyzz.cuh"
#include "field_lines.hpp"
#include "lines.hpp"

static bool run_field_of_words(const char* name, const Numbers& in, Numbers& out) {
    fe a = field(in, 0);
    if (!strcmp(name, "fe_from_words")) put(out, fe_from_words(a.v).v);
    else if (!strcmp(name, "fe_to_words")) {
        u32 words[8];
        fe_to_words(words, a);
        put(out, words);
    } else return false;
    return true;
}

// Sums whose reduction is put off. `open_settle` gets the lower 256 bits and, in two words of two's
// complement, the rest.
static bool run_open(const char* name, const Numbers& in, Numbers& out) {
    fe a = field(in, 0), b = field(in, 1), c = field(in, 2), d = field(in, 3);
    if (!strcmp(name, "fe_mul_sub")) put(out, fe_mul_sub(a, b, c).v);
    else if (!strcmp(name, "fe_sqr_sub_twice")) put(out, fe_sqr_sub_twice(a, b).v);
    else if (!strcmp(name, "fe_sqr_sub_sub_twice")) put(out, fe_sqr_sub_sub_twice(a, b, c).v);
    else if (!strcmp(name, "fe_mul_sub_mul")) put(out, fe_mul_sub_mul(a, b, c, d).v);
    else if (!strcmp(name, "fe_mul_sub_sqr")) put(out, fe_mul_sub_sqr(a, b, c).v);
    else if (!strcmp(name, "open_settle")) {
        fe_open open;
        for (u32 w = 0; w < sizeof open / sizeof(u32); w++) open.v[w] = w < 8 ? a.v[w] : b.v[w - 8];
        put(out, open_settle(open).v);
    } else return false;
    return true;
}

static bool run_scalar(const char* name, const Numbers& in, Numbers& out) {
    sc a = scalar(in, 0), b = scalar(in, 1);
    if (!strcmp(name, "sc_mul")) put(out, sc_mul(a, b).v);
    else if (!strcmp(name, "sc_mont_sqr")) put(out, sc_mont_sqr(a).v);
    else if (!strcmp(name, "sc_add")) put(out, sc_add(a, b).v);
    else if (!strcmp(name, "sc_sub")) put(out, sc_sub(a, b).v);
    else if (!strcmp(name, "sc_inv")) put(out, sc_from_montgomery(sc_mont_inv(sc_to_montgomery(a.v))).v);
    else if (!strcmp(name, "sc_from_words")) put(out, sc_from_words(a.v).v);
    else return false;
    return true;
}

// The point with its z replaced by a number of the caller's, so that sums meet coordinates that are
// not affine.
static jacobian scaled(const affine& a, const u32* z) {
    fe factor = fe_from_words(z), square = fe_sqr(factor);
    jacobian r = {fe_mul(a.x, square), fe_mul(a.y, fe_mul(square, factor)), factor};
    return r;
}

static xyzz scaled_xyzz(const affine& a, const u32* z) {
    jacobian p = scaled(a, z);
    fe square = fe_sqr(p.z);
    xyzz r = {p.x, p.y, square, fe_mul(square, p.z)};
    return r;
}

static void put_xyzz(Numbers& out, const xyzz& p) {
    put_point(out, to_jacobian(p), fe_is_zero(p.zz));
}

static void add_affine(const affine& a, const affine& b, bool a_finite, bool b_finite, Numbers& out) {
    fe denominator;
    AdditionCase which = addition_case(denominator, a_finite, b_finite, a.x, b.x, [&](fe& ay, fe& by) {
        ay = a.y;
        by = b.y;
    });
    affine r = a;
    if (which == kChord || which == kTangent) r = add_on_line(which, a, b, fe_inv(denominator));
    if (which == kSumIsSecond) r = b;
    put_point(out, to_jacobian(r), which == kSumIsIdentity || (which == kSumIsFirst && !a_finite));
}

template <bool kUniform> static void multiply(const sc& k, const affine& p, Numbers& out) {
    HostTable table;
    finish_multiples(table, p, fe_inv(put_multiples(table, p)));
    OddScalar<kWindows> s[kScalars];
    split_scalar(s, k);
    put_point(out, multiply_by_windows<kUniform>(table, s), false);
}

// Whether multiply_by_windows meets an exception before its last window, where only a small group
// has any: reckoned by logarithms, for any point of the group.
static bool meets_exception(const sc& k, u32 order, u32 lambda) {
    OddScalar<kWindows> s[kScalars];
    split_scalar(s, k);
    u32 sum = 0;
    for (int j = kWindows - 1; j > 0; j--) {
        for (int b = 0; b < kWindowBits; b++) sum = 2 * sum % order;
        for (int which = 0; which < kScalars; which++) {
            OddDigit d = next_odd_digit(s[which]);
            u32 addend = (2 * d.index + 1) * (which == 0 ? 1 : lambda) % order;
            if (d.negative) addend = (order - addend) % order;
            bool first = j == kWindows - 1 && which == 0;
            if (!first && (sum == 0 || sum == addend || (sum + addend) % order == 0)) return true;
            sum = (sum + addend) % order;
        }
    }
    return false;
}

// The digits of k in `bits` bits, put together again modulo n by Horner's rule from the top.
static void recompose_digits(const sc& k, int bits, Numbers& out) {
    i32 digits[256];
    int windows = (256 + bits - 1) / bits;
    SignedDigits<8> s = signed_digits_var(k, bits);
    for (int i = 0; i < windows; i++) digits[i] = next_digit(s);
    sc sum = {};
    for (int i = windows - 1; i >= 0; i--) {
        for (int b = 0; b < bits; b++) sum = sc_add(sum, sum);
        sc digit = {{(u32)(digits[i] < 0 ? -digits[i] : digits[i])}};
        sum = digits[i] < 0 ? sc_sub(sum, digit) : sc_add(sum, digit);
    }
    put(out, sum.v);
}

// The same of the odd digits for secret scalars, of nine bits.
static void recompose_odd_digits(const sc& k, Numbers& out) {
    OddScalar<29, 9> s;
    odd_scalar(s, k);
    sc sum = {};
    for (int i = 0; i < 29; i++) {
        OddDigit d = next_odd_digit(s);
        for (int b = 0; b < 9; b++) sum = sc_add(sum, sum);
        sc digit = {{2 * d.index + 1}};
        sum = d.negative ? sc_sub(sum, digit) : sc_add(sum, digit);
    }
    put(out, sum.v);
}

// k P by the signed digits of the parts of k, as sums by buckets have them.
static void multiply_by_parts(const sc& k, const affine& p, int bits, Numbers& out) {
    static constexpr int kBits = kScalars == 2 ? 130 : 256;
    const u32 one[8] = {1};
    SignedDigits<kPartWords> parts[kScalars];
    i32 digits[kScalars][kBits];
    affine points[kScalars] = {p};
#if GECC_HAS_ENDOMORPHISM
    const u32 beta[8] = GECC_FIELD_BETA;
    points[1].x = fe_mul(p.x, fe_constant(beta));
    points[1].y = p.y;
#endif
    int windows = (kBits + bits - 1) / bits;
    signed_parts_var(parts, k, bits);
    for (int part = 0; part < kScalars; part++)
        for (int i = 0; i < windows; i++) digits[part][i] = next_digit(parts[part]);
    xyzz sum = xyzz_identity();
    for (int i = windows - 1; i >= 0; i--) {
        sum = double_times(sum, bits);
        for (int part = 0; part < kScalars; part++) {
            i32 digit = digits[part][i];
            affine addend = digit < 0 ? affine_neg(points[part]) : points[part];
            for (i32 d = digit < 0 ? -digit : digit; d > 0; d--) sum = xyzz_add_var(sum, scaled_xyzz(addend, one));
        }
    }
    put_xyzz(out, sum);
}

static bool run_curve(const char* name, const Numbers& in, Numbers& out) {
    affine p = point(in, 0), q = point(in, 2);
    if (!strcmp(name, "is_on_curve")) put_flag(out, is_on_curve(p));
    else if (!strcmp(name, "affine_add")) add_affine(p, q, true, true, out);
    else if (!strcmp(name, "affine_add_first")) add_affine(p, q, true, false, out);
    else if (!strcmp(name, "affine_add_second")) add_affine(p, q, false, true, out);
    else if (!strcmp(name, "affine_double")) {
        put_point(out, to_jacobian(double_on_line(p, fe_inv(fe_double(p.y)))), false);
    } else if (!strcmp(name, "jacobian_double")) put_point(out, jacobian_double(scaled(p, in.words[4])), false);
    else if (!strcmp(name, "add_uniform")) put_point(out, add_uniform(scaled(p, in.words[4]), q), false);
    else if (!strcmp(name, "add_var")) {
        jacobian sum = scaled(p, in.words[4]);
        bool identity = fe_is_zero(sum.z);
        add_var(sum, identity, q);
        put_point(out, sum, identity);
    } else if (!strcmp(name, "xyzz_add")) {
        put_xyzz(out, xyzz_add_var(scaled_xyzz(p, in.words[4]), scaled_xyzz(q, in.words[5])));
    } else if (!strcmp(name, "multiply_by_parts")) {
        multiply_by_parts(scalar(in, 2), p, (int)in.words[3][0], out);
    } else if (!strcmp(name, "decompress")) {
        affine r;
        bool finite = decompress_var(r, p.x, in.words[1][0] & 1) == kFinite;
        put_point(out, to_jacobian(finite ? r : p), !finite);
    } else if (!strcmp(name, "multiply_var")) multiply<false>(scalar(in, 2), p, out);
    else if (!strcmp(name, "multiply_uniform")) multiply<true>(scalar(in, 2), p, out);
    else if (!strcmp(name, "meets_exception")) {
        put_flag(out, meets_exception(scalar(in, 0), in.words[1][0], in.words[2][0]));
    } else if (!strcmp(name, "recompose_digits")) recompose_digits(scalar(in, 0), (int)in.words[1][0], out);
    else if (!strcmp(name, "recompose_odd_digits")) recompose_odd_digits(scalar(in, 0), out);
    else if (!strcmp(name, "invert_all")) {
        // Numbers of the line are the values, raw.
        u32 values[8 * kMaxNumbers], prefixes[8 * kMaxNumbers];
        for (int k = 0; k < in.count; k++)
            for (int w = 0; w < 8; w++) values[w * kMaxNumbers + k] = in.words[k][w];
        invert_all<fe>(values, prefixes, in.count, 1, kMaxNumbers);
        for (int k = 0; k < in.count; k++)
            for (int w = 0; w < 8; w++) out.words[k][w] = values[w * kMaxNumbers + k];
        out.count = in.count;
    } else return false;
    return true;
}

int main() {
    return answer_lines([](const char* name, const Numbers& in, Numbers& out) {
        return run_field(name, in, out) || run_field_of_words(name, in, out) || run_open(name, in, out) ||
               run_scalar(name, in, out) || run_curve(name, in, out);
    });
}
