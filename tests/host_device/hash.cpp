// Runs one operation of the device code of hashing and signing per line of input, for one curve
// (the generated curve.cuh on the include path).
#include "bytes.hpp"
#include "hash/sha256.cuh"
#include "scheme/bip340.cuh"
#include "scheme/silent_payments.cuh"
#include "scheme/nonce.cuh"
#include "scheme/sign.cuh"
#include "scheme/sm2_digest.cuh"

static void put_mask(u32 mask) {
    printf("%02x", mask & 0xff);
}

static bool run_hash(const std::string& name, const std::vector<Bytes>& in) {
    if (name == "sha256") put(hash_message<Sha256>(Message(in[0], in[1]).source));
    else if (name == "sha256d") put(sha256d_message(Message(in[0], in[1]).source));
    else if (name == "sm3") put(hash_message<Sm3>(Message(in[0], in[1]).source));
    else if (name == "keccak256") put(keccak256_message(Message(in[0], in[1]).source));
    else if (name == "keccak256_of_point") put(keccak256_of_point(Number(in[0]).v, Number(in[1]).v));
    else if (name == "sm2_digest") {
        Message id(in[0], in[1]), message(in[2], in[3]);
        put(sm2_message_digest(sm2_za(id.source, Number(in[4]).v, Number(in[5]).v), message.source));
    } else return false;
    return true;
}

static bool run_scheme(const std::string& name, const std::vector<Bytes>& in) {
    if (name == "nonce_sha256") put(rfc6979_nonce<Sha256>(Number(in[0]).v, Number(in[1]).v, in[2][0]).v);
    else if (name == "nonce_sm3") put(rfc6979_nonce<Sm3>(Number(in[0]).v, Number(in[1]).v, in[2][0]).v);
    else if (name == "nonce_with_data_sha256")
        put(rfc6979_nonce_with_data<Sha256>(Number(in[0]).v, Number(in[1]).v, Number(in[2]).v, in[3][0]).v);
    else if (name == "nonce_with_data_sm3")
        put(rfc6979_nonce_with_data<Sm3>(Number(in[0]).v, Number(in[1]).v, Number(in[2]).v, in[3][0]).v);
    else if (name == "key_masks") {
        u32 replaced[8];
        Number key(in[0]);
        words_copy(replaced, key.v);
        replace_by_one(replaced, key_mask(key.v));
        put_mask(key_mask(key.v));
        put_mask(sm2_key_mask(key.v));
        put(replaced);
    } else if (name == "ecdsa_sign") {
        // digest, key, nonce, x(R), y(R), low s
        Number x(in[3]), y(in[4]);
        sc inverse = sc_mont_inv(Number(in[2]).scalar());
        SignatureParts parts = ecdsa_sign(Number(in[0]).v, Number(in[1]).scalar(), x.v, inverse);
        u32 flip = make_s_low(parts.s, mask_if(in[5][0] != 0));
        put(parts.r.v);
        put(parts.s.v);
        put_mask(recovery_id(x.v, y.v, flip));
        put_mask(parts.usable);
    } else if (name == "sm2_sign") {
        // digest, key, nonce, x(R)
        sc one = {{1, 0, 0, 0, 0, 0, 0, 0}};
        sc inverse = sc_mont_inv(sc_add(sc_from_words(Number(in[1]).v), one));
        SignatureParts parts = sm2_sign(Number(in[0]).v, Number(in[2]).scalar(), Number(in[3]).v, inverse);
        put(parts.r.v);
        put(parts.s.v);
        put_mask(parts.usable);
    } else return false;
    return true;
}

static XOnly x_only_of(const Bytes& x, const Bytes& y) {
    return x_only(affine{fe_from_words(Number(x).v), fe_from_words(Number(y).v)});
}

static u32 big_endian(const Bytes& bytes, int at) {
    return (u32)bytes[at] << 24 | (u32)bytes[at + 1] << 16 | (u32)bytes[at + 2] << 8 | bytes[at + 3];
}

static bool run_bip340(const std::string& name, const std::vector<Bytes>& in) {
    if (name == "bip340_nonce") {
        // key, x(P), y(P), auxiliary data, message
        sc nonce;
        u32 usable = bip340_nonce(nonce, Number(in[0]).scalar(), x_only_of(in[1], in[2]), Number(in[3]).v,
                                  Message(in[4], in[5]).source);
        put(nonce.v);
        put_mask(usable);
    } else if (name == "bip340_sign") {
        // nonce, x(R), y(R), key, x(P), y(P), message
        put(bip340_sign(Number(in[0]).scalar(), x_only_of(in[1], in[2]), Number(in[3]).scalar(),
                        x_only_of(in[4], in[5]), Message(in[6], in[7]).source)
                .v);
    } else if (name == "bip340_equation") {
        // r, s, x(P), y(P), message
        Equation q;
        Verdict verdict = bip340_equation(q, Number(in[0]).v, Number(in[1]).v, x_only_of(in[2], in[3]),
                                          Message(in[4], in[5]).source);
        printf("%02x", verdict);
        if (verdict != kPending) return true;
        put(q.u1.v);
        put(q.u2.v);
        put(q.x.v);
    } else if (name == "tap_tweak") {
        // x(P), root or nothing
        u32 tweak[8];
        if (in[1].empty()) tap_tweak(tweak, Number(in[0]).v, nullptr);
        else tap_tweak(tweak, Number(in[0]).v, Number(in[1]).v);
        put(tweak);
    } else if (name == "silent_tweak") {
        // x(P), y(P), k
        u32 tweak[8];
        silent_tweak(tweak, x_only_of(in[0], in[1]), big_endian(in[2], 0));
        put(tweak);
    } else if (name == "silent_input_hash") {
        // outpoint, x(A), y(A)
        u32 outpoint[9], hash[8];
        for (int w = 0; w < 9; w++) outpoint[w] = big_endian(in[0], 4 * w);
        silent_input_hash(hash, outpoint, x_only_of(in[1], in[2]));
        put(hash);
    } else return false;
    return true;
}

int main() {
    return answer_lines([](const std::string& name, const std::vector<Bytes>& in) {
        return run_hash(name, in) || run_scheme(name, in) || run_bip340(name, in);
    });
}
