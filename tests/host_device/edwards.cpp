// Arithmetic, points, verification and signing on a twisted Edwards curve (the generated curve.cuh
// is included).
#include <algorithm>
#include <utility>
#include <vector>

#include "field_lines.hpp"
#include "hash/expand_message_512.cuh"
#include "scheme/ed25519.cuh"
#include "scheme/ristretto255.cuh"
#include "scheme/x25519.cuh"

struct HostMultiples {
    ed_addend entries[2][kEdMultiples];
    void put(int point, int m, const ed_addend& entry) {
        entries[point][m] = entry;
    }
    ed_addend get(int point, int m) {
        return entries[point][m];
    }
    void align() const {}
    // Windows more than are needed.
    int most(int windows) const {
        return windows + windows % 3 < kEdWindows ? windows + windows % 3 : kEdWindows;
    }
};

// The multiples of a point that is multiplied by a secret.
struct HostScan {
    ed_addend entries[kEdMultiples] = {};
    u32 numbers[8];
    u32* words() {
        return numbers;
    }
    void put(int m, const ed_addend& entry) {
        entries[m] = entry;
    }
    ed_addend get(u32 index) const {
        if (index != 0xffffffff && index >= kEdMultiples) GECC_TRAP();
        ed_addend zeros = {};
        return index == 0xffffffff ? zeros : entries[index];
    }
    void align() const {}
};

// The numbers that are mapped to an element.
struct HostHalves {
    fe halves[2];
    fe half(int which) const {
        return halves[which];
    }
};

static ed_projective multiply_point(const ed_affine& p, const u32* k) {
    HostScan multiples;
    return to_projective(ed_multiply_point_uniform(multiples, p, k));
}

// The multiples of 2^(bits window) P, built as on the device: entry known + m is entry known plus
// entry m.
struct HostTable {
    int bits;
    std::vector<ed_niels> entries;

    HostTable(const ed_affine& p, int bits) : bits(bits) {
        ed_projective first = {p.x, p.y, fe_one()};
        for (int window = 0; window < ed_window_count(bits); window++) {
            fe inverse = fe_inv(first.z);
            size_t start = entries.size(), known = 1;
            entries.push_back(to_niels({fe_mul(first.x, inverse), fe_mul(first.y, inverse)}));
            for (; known < (size_t)1 << (bits - 1); known *= 2) {
                for (size_t m = 0; m < known; m++) {
                    ed_completed sum = ed_add_affine(to_extended(entries[start + known - 1]), entries[start + m], 0);
                    entries.push_back(to_niels(sum, fe_inv(fe_mul(sum.z, sum.t))));
                }
            }
            for (int k = 0; k < bits; k++) first = to_projective(ed_double(first));
        }
    }
};

// The sum of the products of tables and numbers.
struct HostTables {
    std::vector<std::pair<const HostTable*, const u32*>> products;

    struct Place {
        const ed_niels* entry;
        i32 digit;
    };
    int terms() const {
        int terms = 0;
        for (auto [table, words] : products) terms += ed_window_count(table->bits);
        return terms;
    }
    Place find(int term) const {
        size_t product = 0;
        for (int windows; term >= (windows = ed_window_count(products.at(product).first->bits)); product++)
            term -= windows;
        auto [table, words] = products[product];
        i32 digit = ed_window_digit([words = words](int w) { return words[w]; }, term, table->bits);
        size_t entry = ((size_t)term << (table->bits - 1)) + (digit < 0 ? -digit : digit) - 1;
        return {digit ? &table->entries.at(entry) : nullptr, digit};
    }
    ed_niels load(const Place& place) const {
        return *place.entry;
    }
    void align() const {}
};

struct HostBase {
    HostTable table = HostTable(ed_generator(), 8);
    HostTables times(const u32* words) const {
        return {{{&table, words}}};
    }
};

static void put_encoding(Numbers& out, const ed_projective& a) {
    u32 encoding[8];
    ed_encode(encoding, a, fe_inv(a.z));
    put(out, encoding);
}

static int number_bits(const u32* words) {
    int bits = 0;
    for (int w = 0; w < 8; w++)
        if (words[w]) bits = 32 * (w + 1) - leading_zeros(words[w]);
    return bits;
}

// The multiples of 2^(8 window) B.
struct HostUniform {
    std::vector<ed_niels> entries;
    HostUniform() {
        ed_extended unit = to_extended(ed_generator()), multiple;
        for (int window = 0; window < kEdUniformWindows; window++) {
            ed_addend step = to_addend(unit);
            multiple = ed_identity();
            for (int m = 0; m < kEdUniformMultiples; m++) {
                multiple = to_extended(ed_add(multiple, step, 0));
                fe inverse = fe_inv(multiple.z);
                entries.push_back(to_niels({fe_mul(multiple.x, inverse), fe_mul(multiple.y, inverse)}));
            }
            unit = to_extended(ed_double(to_projective(multiple)));
        }
    }
    ed_niels get(int window, u32 m) const {
        ed_niels zeros = {fe_zero(), fe_zero(), fe_zero()};
        return m == 0xffffffff ? zeros : entries.at(kEdUniformMultiples * window + m);
    }
};

// The encoding of k B.
static void encode_multiple(u32* encoding, const u32* k) {
    static const HostUniform table;
    ed_projective product = ed_multiply_uniform(table, k);
    ed_encode(encoding, product, fe_inv(product.z));
}

// The bytes of the numbers from `first` + 2 on: their count, where they lie in an array, and they
// themselves, up to number `next`.
struct HostMessage {
    std::vector<u32> words;
    BytesSource source;
    int next;
    HostMessage(const Numbers& in, int first) {
        u64 length = in.words[first][0], start = in.words[first + 1][0];
        words.assign((start + length) / 4 + 2, 0xa5a5a5a5);
        memcpy((u8*)words.data() + start, in.words[first + 2], length);
        source = BytesSource{words.data(), start, length};
        next = first + 2 + (int)((length + 31) / 32);
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
    } else if (!strcmp(name, "ed_halves")) {  // k: c, d, and whether c k = -d
        EdRow row = ed_halves_var(in.words[0]);
        const u32 c[8] = {row.c[0], row.c[1], row.c[2], row.c[3], row.c[4], 0, 0, 0};
        put(out, c);
        put(out, row.d);
        put_flag(out, row.opposite);
    } else if (!strcmp(name, "ed_multiply_two")) {  // k, its point, l, its point: the sum of both products
        HostMultiples multiples;
        for (int point = 0; point < 2; point++)
            ed_put_multiples(multiples, point, {field(in, 3 * point + 1), field(in, 3 * point + 2)});
        const u32 *k = in.words[0], *l = in.words[3];
        int windows = ed_windows(std::max(number_bits(k), number_bits(l)));
        put_encoding(out, to_projective(ed_multiply_two_var(multiples, k, l, multiples.most(windows))));
    } else if (!strcmp(name, "ed_multiply_tables")) {  // bits, k, x, y, s: k (x, y) + s B
        const int bits = in.words[0][0];
        HostTable base(ed_generator(), bits), key({field(in, 2), field(in, 3)}, bits);
        HostTables tables = {{{&base, in.words[4]}, {&key, in.words[1]}}};
        put_encoding(out, ed_add_entries_var(ed_completed_identity(), tables));
    } else if (!strcmp(name, "ed_multiply_base")) {  // k
        u32 encoding[8];
        encode_multiple(encoding, in.words[0]);
        put(out, encoding);
    } else if (!strcmp(name, "ed_multiply_point")) {  // k, x, y
        put_encoding(out, multiply_point({field(in, 1), field(in, 2)}, in.words[0]));
    } else if (!strcmp(name, "ristretto_multiply")) {  // key, element: the code, and the product or 0
        u32 half[8], encoding[8];
        ed_affine p;
        u8 status = ristretto255_half(half, in.words[0]), kind = ristretto_decode(p, in.words[1]);
        u32 code = ristretto255_code(status, kind);
        ed_projective product = multiply_point(p, half);
        ristretto_encode_double(encoding, product, fe_inv(ristretto_denominator(product)));
        const u32 words[8] = {code, 0, 0, 0, 0, 0, 0, 0};
        put(out, words);
        put(out, code == kValid ? encoding : fe_zero().v);
    } else if (!strcmp(name, "ristretto_encode")) {  // x, y, z: the encodings of (x z : y z : z) and its double
        fe x = field(in, 0), y = field(in, 1), z = field(in, 2);
        ed_extended p = {fe_mul(x, z), fe_mul(y, z), z, fe_mul(fe_mul(x, y), z)};
        u32 encoding[8];
        ristretto_encode(encoding, p);
        put(out, encoding);
        ristretto_encode_double(encoding, to_projective(p), fe_inv(ristretto_denominator(to_projective(p))));
        put(out, encoding);
    } else if (!strcmp(name, "ristretto_map")) {  // both halves
        u32 encoding[8];
        ristretto_encode(encoding, ristretto_map_both(HostHalves{{field(in, 0), field(in, 1)}}));
        put(out, encoding);
    } else if (!strcmp(name, "expand_message_512")) {  // message, suffix, tail: both halves
        HostMessage message(in, 0), suffix(in, message.next), tail(in, suffix.next);
        std::vector<u32> words;
        for (u64 byte = 0; byte < tail.source.count; byte += 4) words.push_back(tail.source.word(byte));
        Expansion expansion = {suffix.source, words.data(), (u32)(words.size() + 16) / 32};
        u32 number[16];
        sha512_number(number, expand_message_512(expansion, message.source));
        put(out, number);
        put(out, number + 8);
    } else if (!strcmp(name, "ed_challenge")) {  // R, A, dom2 and the message, each as length, start, bytes
        HostMessage dom2(in, 2), message(in, dom2.next);
        put(out, ed25519_hash(dom2.source, ChallengeSource{{in.words[0], in.words[1]}, message.source}).v);
    } else if (!strcmp(name, "ed_sign")) {  // seed, dom2, message: A, R, S
        HostMessage dom2(in, 1), message(in, dom2.next);
        u32 prefix[8], key[8], r[8];
        sc scalar = ed25519_expand(prefix, in.words[0]);
        encode_multiple(key, scalar.v);
        sc nonce = ed25519_hash(dom2.source, SecretSource{{prefix}, message.source});
        encode_multiple(r, nonce.v);
        sc k = ed25519_hash(dom2.source, ChallengeSource{{r, key}, message.source});
        put(out, key);
        put(out, r);
        put(out, ed25519_sign(nonce, k, scalar).v);
    } else if (!strcmp(name, "ed_verify")) {  // rule, R, S, A, dom2, message: by halves of k, and from the sum
        const u32 rule = in.words[0][0], *r = in.words[1], *s = in.words[2], *key = in.words[3];
        HostMessage dom2(in, 4), message(in, dom2.next);
        sc k = ed25519_hash(dom2.source, ChallengeSource{{r, key}, message.source});
        ed_affine minus_a = ed_generator();
        PointKind kind = ed_decode_var(minus_a, key, rule & kCanonical);
        minus_a.x = fe_neg(minus_a.x);
        Verdict alone = ed25519_check(kind, r, s, key, rule), from_sum = alone;
        if (alone == kPending) {
            static const HostBase base;
            HostMultiples multiples;
            alone = ed25519_verify_var(multiples, base, k, minus_a, r, scalar(in, 2), rule);
            ed_put_multiples(multiples, 0, minus_a);
            ed_put_multiples(multiples, 1, ed_generator());
            ed_projective sum = to_projective(ed_multiply_two_var(multiples, k.v, s, kEdWindows));
            from_sum = ed25519_compare(sum, fe_inv(sum.z), r, rule);
        }
        for (Verdict verdict : {alone, from_sum}) {
            const u32 words[8] = {verdict, 0, 0, 0, 0, 0, 0, 0};
            put(out, words);
        }
    } else if (!strcmp(name, "fe_mul_small")) {  // an element, a factor
        put(out, fe_mul_small(field(in, 0), in.words[1][0]).v);
    } else if (!strcmp(name, "x25519")) {  // key, peer: the shared secret, and the codes with zero accepted and rejected
        u_fraction product = x25519_multiply(in.words[0], in.words[1]);
        u32 secret[8];
        x25519_encode(secret, product, fe_inv(x25519_denominator(product.z)));
        put(out, secret);
        for (u32 rejects_zero : {0u, ~0u}) {
            const u32 words[8] = {x25519_code(secret, rejects_zero), 0, 0, 0, 0, 0, 0, 0};
            put(out, words);
        }
    } else return false;
    return true;
}

int main() {
    return answer_lines([](const char* name, const Numbers& in, Numbers& out) {
        return run_field(name, in, out) || run_points(name, in, out);
    });
}
