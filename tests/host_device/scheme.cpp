// Verification and recovery of one item as the kernels compute it, for one curve (the generated
// curve.cuh on the include path). Numbers on the lines are plain.
#include "curve/multiply_add.cuh"
#include "curve/table_sum.cuh"
#include "lines.hpp"
#include "scheme/bip340.cuh"
#include "scheme/compare.cuh"
#include "scheme/equation.cuh"
#include "scheme/key_index.cuh"
#include "scheme/recovery.cuh"
#include "scheme/batch_verification.cuh"

// Window sizes of the tables of G, in turn; other points have the first. A group too small for
// these has others in its curve.cuh.
#ifndef GECC_TEST_TABLE_BITS
#define GECC_TEST_TABLE_BITS {5, 9}
#endif
static const int kTableBits[2] = GECC_TEST_TABLE_BITS;
static const int kMaxBits = 9;

// A table of signed windows of a point, as kernels/table.cu lays it out.
struct WindowedTable {
    int bits;
    affine entries[64 << kMaxBits];

    WindowedTable(affine p, int bits) : bits(bits) {
        for (int window = 0; window < window_count(bits); window++) {
            jacobian sum = to_jacobian(p);
            bool identity = false;
            for (int d = 0; d < 1 << (bits - 1); d++) {
                entries[(window << (bits - 1)) + d] = scale_by_inverse(sum.x, sum.y, fe_inv(sum.z));
                add_var(sum, identity, p);
            }
            jacobian unit = to_jacobian(p);
            for (int k = 0; k < bits; k++) unit = jacobian_double(unit);
            p = scale_by_inverse(unit.x, unit.y, fe_inv(unit.z));
        }
    }
};

struct HostBase {
    const WindowedTable& table;
    const u32* scalar;

    int windows() const {
        return window_count(table.bits);
    }
    void prefetch(int window) const {
        GECC_CHECK(window >= 0 && window < windows());
    }
    i32 get(affine& r, int window) const {
        i32 digit = window_digit([this](int w) { return scalar[w]; }, window, table.bits);
        if (digit != 0) r = table.entries[(window << (table.bits - 1)) + (digit < 0 ? -digit : digit) - 1];
        return digit;
    }
};

static const WindowedTable& generator_table(const sc& u1) {
    static const WindowedTable first(generator(), kTableBits[0]), second(generator(), kTableBits[1]);
    // Both window sizes in turn, by a bit of the input.
    return u1.v[0] & 2 ? first : second;
}

static jacobian multiply_add(const sc& u1, const sc& u2, const affine& q) {
    HostTable table;
    finish_multiples(table, q, fe_inv(put_multiples(table, q)));
    OddScalar<kWindows> s[kScalars];
    split_scalar(s, u2);
    return multiply_add_var(table, s, HostBase{generator_table(u1), u1.v});
}

struct TwoTables {
    HostBase g, key;

    struct Place {
        affine entry;
        i32 digit;
    };
    int terms() const {
        return g.windows() + key.windows();
    }
    Place find(int term) const {
        GECC_CHECK(term < terms());
        Place place;
        int window = term - g.windows();
        place.digit = window < 0 ? g.get(place.entry, term) : key.get(place.entry, window);
        return place;
    }
    affine load(const Place& place) const {
        return place.entry;
    }
    void align() const {}
};

// By a table of the key, as for keys that repeat.
static bool sum_by_tables(xyzz& sum, const sc& u1, const sc& u2, const affine& q) {
    static WindowedTable table(generator(), kTableBits[0]);
    static affine key = generator();
    if (!fe_equal(key.x, q.x) || !fe_equal(key.y, q.y)) table = WindowedTable(key = q, kTableBits[0]);
    return sum_entries_var(sum, TwoTables{{generator_table(u1), u1.v}, {table, u2.v}});
}

static void put_sum_by_tables(Numbers& out, const sc& u1, const sc& u2, const affine& q) {
    xyzz sum;
    u32 x[8] = {}, y[8] = {};
    if (!sum_by_tables(sum, u1, u2, q)) {
        fe_to_words(x, fe_mul(sum.x, fe_inv(sum.zz)));
        fe_to_words(y, fe_mul(sum.y, fe_inv(sum.zzz)));
    }
    put(out, x);
    put(out, y);
}

static void put_small(Numbers& out, u32 value) {
    put(out, sc_small(value).v);
}

static void put_equation(Numbers& out, Verdict verdict, const Equation& q) {
    put_small(out, verdict);
    if (verdict != kPending) return;
    put(out, q.u1.v);
    put(out, q.u2.v);
    put(out, q.x.v);
}

// digest, r, s, low-s
static Verdict ecdsa(Equation& q, const Numbers& in) {
    Signature signature;
    Verdict verdict = check_ecdsa_signature(signature, in.words[1], in.words[2], in.words[3][0] != 0);
    q = ecdsa_equation(in.words[0], signature.r, sc_mont_inv(sc_to_montgomery(signature.s.v)));
    return verdict;
}

// The rest of a verification; the key's x, y and kind are the numbers from `key` on. Rejected items
// are computed too, as on the device.
static void put_verdict(Numbers& out, Verdict verdict, const Equation& q, const Numbers& in, int key) {
    u8 kind = (u8)in.words[key + 2][0];
    affine p = kind == kFinite ? point(in, key) : generator();
    jacobian sum = multiply_add(q.u1, q.u2, p);
    if (verdict == kPending) verdict = key_verdict(kind);
    if (verdict == kPending) {
        verdict = compare_result(sum, q.x);
        xyzz by_tables;
        bool identity = sum_by_tables(by_tables, q.u1, q.u2, p);
        bool matches = !identity && x_matches(by_tables.x, by_tables.zz, q.x);
        GECC_CHECK(verdict == (identity ? kIdentityResult : matches ? kValid : kMismatch));
    }
    put_small(out, verdict);
}

// u1, u2, the point and r: the verdict, by both ways to the sum
static void put_even_verdict(Numbers& out, const sc& u1, const sc& u2, const affine& q, const u32* r) {
    jacobian sum = multiply_add(u1, u2, q);
    fe zz = fe_sqr(sum.z);
    xyzz point = {sum.x, sum.y, zz, fe_mul(zz, sum.z)}, by_tables;
    bool identity = fe_is_zero(sum.z);
    Verdict verdict = compare_even(point, identity, fe_inv(comparison_denominator(point, identity)), r);
    GECC_CHECK(sum_by_tables(by_tables, u1, u2, q) == identity);
    fe inverse = fe_inv(comparison_denominator(by_tables, identity));
    GECC_CHECK(verdict == compare_even(by_tables, identity, inverse, r));
    put_small(out, verdict);
}

// A number as a message of 32 bytes, in these words.
static BytesSource message(u32* words, const u32* number) {
    for (int w = 0; w < 8; w++) words[w] = swap_bytes(number[7 - w]);
    return BytesSource{words, 0, 32};
}

// r, s, x(P), y(P), message
static void put_bip340_verdict(Numbers& out, const Numbers& in) {
    u32 words[8];
    affine key = point(in, 2);
    Equation q;
    Verdict verdict = bip340_equation(q, in.words[0], in.words[1], x_only(key), message(words, in.words[4]));
    if (verdict == kPending) put_even_verdict(out, q.u1, q.u2, key, q.x.v);
    else put_small(out, verdict);
}

// nonce, x(R), y(R), key, x(P), y(P), message: s
static sc bip340_s(const Numbers& in) {
    u32 words[8];
    XOnly r = x_only(point(in, 1)), key = x_only(point(in, 4));
    return bip340_sign(scalar(in, 0), r, scalar(in, 3), key, message(words, in.words[6]));
}

// digest, r, s, recovery id: the verdict, and the key where it is valid
static void recover(const Numbers& in, Numbers& out) {
    Signature signature;
    Verdict verdict = check_signature(signature, in.words[1], in.words[2]);
    sc u1, u2;
    affine r;
    recovery_scalars(u1, u2, in.words[0], signature.s, sc_mont_inv(sc_to_montgomery(signature.r.v)));
    Verdict lifted = lift_r(r, signature.r, (u8)in.words[3][0]);
    if (verdict == kPending) verdict = lifted;
    jacobian key = multiply_add(u1, u2, r);
    if (verdict == kPending) verdict = fe_is_zero(key.z) ? kIdentityResult : kValid;
    put_small(out, verdict);
    if (verdict == kValid) put_point(out, key, false);
}

static KeyWords key_words(const affine& p) {
    KeyWords r;
    words_copy(r.v, p.x.v);
    words_copy(r.v + 8, p.y.v);
    return r;
}

// slot bits, seed, two keys of an index, and the key to look for
static u32 find(const Numbers& in) {
    u32 slot_bits = in.words[0][0], slots[16], words[32];
    u64 seed = in.words[1][0] | (u64)in.words[1][1] << 32;
    for (u32& slot : slots) slot = kNoKey;
    for (u32 t = 0; t < 2; t++) {
        KeyWords key = key_words(point(in, 2 + 2 * t));
        store_key(words, 2, t, key);
        probe_slots(key_hash(key, seed), slot_bits, [&slots, t, slot_bits](u32 slot) {
            GECC_CHECK(slot < 1u << slot_bits);
            if (slots[slot] != kNoKey) return false;
            slots[slot] = t;
            return true;
        });
    }
    return find_key(KeyIndex{words, 2, seed, slots, slot_bits}, key_words(point(in, 6)));
}

// seed, item: the coefficient
static void put_coefficient(const Numbers& in, Numbers& out) {
    Seed seed;
    for (int w = 0; w < 4; w++) seed.v[w] = (u64)in.words[0][7 - 2 * w] << 32 | in.words[0][6 - 2 * w];
    Coefficient a = coefficient_of(seed, in.words[1][0] | (u64)in.words[1][1] << 32);
    const u32 words[8] = {a.v[0], a.v[1], a.v[2], a.v[3]};
    put(out, words);
    put_small(out, is_zero(a));
}

// a, bits: -a modulo n, put together again from its digits from the top
static sc opposite_of_digits(const u32* a, int bits) {
    i32 digits[65];
    int windows = (128 + bits) / bits;
    SignedDigits<4> rest = opposite_digits_var(a, bits);
    for (int i = 0; i < windows; i++) digits[i] = next_digit(rest);
    GECC_CHECK(rest.carry == 0);
    sc sum = {};
    for (int i = windows - 1; i >= 0; i--) {
        GECC_CHECK(digits[i] >= -(1 << (bits - 1)) && digits[i] <= 1 << (bits - 1));
        for (int b = 0; b < bits; b++) sum = sc_add(sum, sum);
        sum = digits[i] < 0 ? sc_sub(sum, sc_small((u32)-digits[i])) : sc_add(sum, sc_small((u32)digits[i]));
    }
    return sum;
}

static bool run(const char* name, const Numbers& in, Numbers& out) {
    Equation q;
    if (!strcmp(name, "ecdsa_equation")) {
        Verdict verdict = ecdsa(q, in);
        put_equation(out, verdict, q);
    } else if (!strcmp(name, "sm2_equation")) {
        Verdict verdict = sm2_equation(q, in.words[0], in.words[1], in.words[2]);
        put_equation(out, verdict, q);
    } else if (!strcmp(name, "ecdsa_verify")) {
        Verdict verdict = ecdsa(q, in);
        put_verdict(out, verdict, q, in, 4);
    } else if (!strcmp(name, "sm2_verify")) {
        Verdict verdict = sm2_equation(q, in.words[0], in.words[1], in.words[2]);
        put_verdict(out, verdict, q, in, 3);
    } else if (!strcmp(name, "verify_even")) {
        put_even_verdict(out, scalar(in, 0), scalar(in, 1), point(in, 2), in.words[4]);
    } else if (!strcmp(name, "bip340_verify")) {
        put_bip340_verdict(out, in);
    } else if (!strcmp(name, "bip340_sign")) {
        put(out, bip340_s(in).v);
    } else if (!strcmp(name, "recover")) {
        recover(in, out);
    } else if (!strcmp(name, "multiply_add")) {
        put_point(out, multiply_add(scalar(in, 0), scalar(in, 1), point(in, 2)), false);
    } else if (!strcmp(name, "sum_by_tables")) {
        put_sum_by_tables(out, scalar(in, 0), scalar(in, 1), point(in, 2));
    } else if (!strcmp(name, "find_key")) {
        put_small(out, find(in) + 1);
    } else if (!strcmp(name, "coefficient")) {
        put_coefficient(in, out);
    } else if (!strcmp(name, "times_coefficient")) {
        const Coefficient a = {{in.words[0][0], in.words[0][1], in.words[0][2], in.words[0][3]}};
        put(out, sc_mont_mul(montgomery_factor(a), scalar(in, 1)).v);
    } else if (!strcmp(name, "opposite_digits")) {
        put(out, opposite_of_digits(in.words[0], (int)in.words[1][0]).v);
    } else if (!strcmp(name, "window_digits")) {
        // The digits of a number below 2^256, put together again modulo n from the top.
        int bits = (int)in.words[1][0];
        sc sum = {};
        for (int i = window_count(bits) - 1; i >= 0; i--) {
            i32 digit = window_digit([&in](int w) { return in.words[0][w]; }, i, bits);
            GECC_CHECK(digit >= -(1 << (bits - 1)) && digit <= 1 << (bits - 1));
            for (int b = 0; b < bits; b++) sum = sc_add(sum, sum);
            sum = digit < 0 ? sc_sub(sum, sc_small((u32)-digit)) : sc_add(sum, sc_small((u32)digit));
        }
        put(out, sum.v);
    } else return false;
    return true;
}

int main() {
    return answer_lines(run);
}
