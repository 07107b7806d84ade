// Arithmetic, points and verification on a twisted Edwards curve (the generated curve.cuh on the include path).
#include <vector>

#include "field_lines.hpp"
#include "scheme/ed25519.cuh"

struct HostMultiples {
    ed_addend entries[kEdMultiples];
    void put(int m, const ed_addend& entry) {
        entries[m] = entry;
    }
    ed_addend get(int m) {
        return entries[m];
    }
};

struct HostBase {
    std::vector<ed_niels> entries;
    HostBase() {
        ed_addend step = to_addend(to_extended(ed_generator()));
        ed_extended multiple = ed_identity();
        for (int m = 0; m < kEdBaseMultiples; m++) {
            multiple = to_extended(ed_add(multiple, step, 0));
            fe inverse = fe_inv(multiple.z);
            entries.push_back(to_niels({fe_mul(multiple.x, inverse), fe_mul(multiple.y, inverse)}));
        }
    }
    ed_niels get(int m) const {
        return entries[m];
    }
    void align() const {}
};

static ed_projective multiply_add(const ed_affine& p, const u32* k, const u32* s) {
    static const HostBase base;
    HostMultiples multiples;
    ed_put_multiples(multiples, p);
    return ed_multiply_add_var(multiples, k, base, s);
}

// The message is the bytes of the numbers from `first` on, this many of them, at this place in an array.
struct HostChallenge {
    std::vector<u32> words;
    ChallengeSource source;
    HostChallenge(const Numbers& in, int r, int key, int first) {
        u64 length = in.words[first][0], start = in.words[first + 1][0];
        words.assign((start + length) / 4 + 2, 0xa5a5a5a5);
        memcpy((u8*)words.data() + start, in.words[first + 2], length);
        source = ChallengeSource{in.words[r], in.words[key], {words.data(), start, length}};
    }
};

static bool run_points(const char* name, const Numbers& in, Numbers& out) {
    if (!strcmp(name, "sc_from_wide")) {
        u32 wide[16];
        words_copy(wide, in.words[0]);
        words_copy(wide + 8, in.words[1]);
        put(out, sc_from_wide(wide).v);
    } else if (!strcmp(name, "sc_mul")) {
        put(out, sc_mul(scalar(in, 0), scalar(in, 1)).v);
    } else if (!strcmp(name, "ed_decode")) {
        ed_affine p = {fe_zero(), fe_zero()};
        PointKind kind = ed_decode_var(p, in.words[0], in.words[1][0]);
        if (kind != kFinite) p = {fe_zero(), fe_zero()};
        const u32 words[8] = {kind, 0, 0, 0, 0, 0, 0, 0};
        put(out, words);
        put(out, fe_canonical(p.x).v);
        put(out, fe_canonical(p.y).v);
    } else if (!strcmp(name, "ed_small_order")) {
        put_flag(out, ed_encodes_small_order_var(in.words[0]));
    } else if (!strcmp(name, "ed_multiply_add")) {  // k, x, y, s: k (x, y) + s B
        ed_projective sum = multiply_add({field(in, 1), field(in, 2)}, in.words[0], in.words[3]);
        u32 encoding[8];
        ed_encode(encoding, sum, fe_inv(sum.z));
        put(out, encoding);
    } else if (!strcmp(name, "ed_challenge")) {  // R, A, length, start, bytes
        put(out, ed25519_challenge(HostChallenge(in, 0, 1, 2).source).v);
    } else if (!strcmp(name, "ed_verify")) {  // rule, R, S, A, length, start, bytes
        const u32 rule = in.words[0][0], *r = in.words[1], *s = in.words[2], *key = in.words[3];
        sc k = ed25519_challenge(HostChallenge(in, 1, 3, 4).source);
        ed_affine minus_a, minus_r;
        Verdict verdict = ed25519_check(minus_a, minus_r, r, s, key, rule);
        if (verdict == kPending) {
            ed_projective sum = multiply_add(minus_a, k.v, s);
            verdict = rule & kCofactored ? ed25519_compare_cofactored(sum, minus_r)
                                         : ed25519_compare(sum, fe_inv(sum.z), r);
        }
        const u32 words[8] = {verdict, 0, 0, 0, 0, 0, 0, 0};
        put(out, words);
    } else return false;
    return true;
}

int main() {
    return answer_lines([](const char* name, const Numbers& in, Numbers& out) {
        return run_field(name, in, out) || run_points(name, in, out);
    });
}
