// Runs one operation of the device code of hashing to points per line of input, for one curve (the
// generated curve.cuh on the include path).
#include "bytes.hpp"
#include "curve/jacobian.cuh"
#include "scheme/hash_to_curve.cuh"

static fe field(const Bytes& bytes) {
    return fe_from_words(Number(bytes).v);
}

static affine point(const Bytes& x, const Bytes& y) {
    affine r = {field(x), field(y)};
    return r;
}

static void put(const fe& a) {
    u32 words[8];
    fe_to_words(words, a);
    put(words);
}

// x and y, or two zeros for the identity.
static void put_point(const jacobian& p) {
    affine a = {fe_zero(), fe_zero()};
    if (!fe_is_zero(p.z)) a = scale_by_inverse(p.x, p.y, fe_inv(p.z));
    put(a.x);
    put(a.y);
}

// The suffix and the tail of a batch.
struct Shared {
    Message suffix;
    std::vector<u32> tail;

    Shared(const Bytes& suffix, const Bytes& tail) : suffix({0}, suffix) {
        for (size_t i = 0; i + 4 <= tail.size(); i += 4)
            this->tail.push_back((u32)tail[i] << 24 | (u32)tail[i + 1] << 16 | (u32)tail[i + 2] << 8 | tail[i + 3]);
    }
    Expansion expansion() const {
        Expansion r = {suffix.source, tail.data(), (u32)(tail.size() + 8) / 16};
        return r;
    }
};

template <int kWords> static void put_expanded(const Shared& shared, const Message& message) {
    u32 words[kWords];
    expand_message(words, shared.expansion(), message.source);
    for (u32 word : words) printf("%08x", word);
}

#if GECC_HAS_MAP_TO_CURVE
static bool run_map(const std::string& name, const std::vector<Bytes>& in) {
    if (name == "map_to_curve") {
        affine p = map_to_curve(field(in[0]));
        put(p.x);
        put(p.y);
    } else if (name == "map_sum") put_point(map_sum(point(in[0], in[1]), point(in[2], in[3])));
    else if (name == "map_to_suite") {
        // x, y, z of (x, y) = (x z^2, y z^3, z)
        affine p = point(in[0], in[1]);
        fe z = field(in[2]), zz = fe_sqr(z);
        jacobian scaled = {fe_mul(p.x, zz), fe_mul(p.y, fe_mul(zz, z)), z};
        put_point(map_to_suite(scaled));
    } else if (name == "encode_element") put_point(map_to_suite(to_jacobian(map_to_curve(field(in[0])))));
    else if (name == "hash_elements") {
        affine first = map_to_curve(field(in[0]));
        put_point(map_to_suite(map_sum(first, map_to_curve(field(in[1])))));
    } else if (name == "hash_to_curve") {
        // message, suffix, tail
        Shared shared(in[2], in[3]);
        put_point(hash_to_curve(shared.expansion(), Message(in[0], in[1]).source));
    } else if (name == "encode_to_curve") {
        Shared shared(in[2], in[3]);
        put_point(encode_to_curve(shared.expansion(), Message(in[0], in[1]).source));
    } else return false;
    return true;
}
#else
static bool run_map(const std::string&, const std::vector<Bytes>&) {
    return false;
}
#endif

// The number of tries from a candidate on, and the point.
template <class X> static void put_tries_from(X candidate) {
    affine p;
    int tries = 1;
    for (; decompress_var(p, candidate.x(), false) != kFinite; tries++) candidate.step();
    printf("%02x", tries);
    put(p.x);
    put(p.y);
}

template <class X> static void put_tries(const Message& message) {
    X candidate;
    candidate.start(message.source);
    put_tries_from(candidate);
}

// Whether there is a point, and the point or two zeros.
static void put_lift(const fe& x, bool y_is_odd) {
    affine p;
    bool exists = decompress_var(p, x, y_is_odd) == kFinite;
    printf("%02x", exists);
    put(exists ? p.x : fe_zero());
    put(exists ? p.y : fe_zero());
}

static bool run_tries(const std::string& name, const std::vector<Bytes>& in) {
    if (name == "rehash_sm3") put_tries<RehashedX<Sm3>>(Message(in[0], in[1]));
    else if (name == "increment_sm3") put_tries<IncrementedX<Sm3>>(Message(in[0], in[1]));
    else if (name == "rehash_wide_sha256") put_tries<RehashedWideX<Sha256>>(Message(in[0], in[1]));
    else if (name == "increment_from") put_tries_from(IncrementedX<Sm3>{field(in[0])});
    else if (name == "lift") put_lift(field(in[0]), in[1][31] != 0);
    else if (name == "increment_step") {
        IncrementedX<Sm3> candidate = {field(in[0])};
        candidate.step();
        put(candidate.x());
    } else if (name == "rehash_wide_step") {
        RehashedWideX<Sha256> candidate = {field(in[0])};
        candidate.step();
        put(candidate.x());
    } else return false;
    return true;
}

int main() {
    return answer_lines([](const std::string& name, const std::vector<Bytes>& in) {
        if (name == "expand_48") put_expanded<12>(Shared(in[2], in[3]), Message(in[0], in[1]));
        else if (name == "expand_96") put_expanded<24>(Shared(in[2], in[3]), Message(in[0], in[1]));
        else return run_map(name, in) || run_tries(name, in);
        return true;
    });
}
