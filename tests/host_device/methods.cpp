// Runs one operation of the multiplication methods per line of input: `operation bits argument
// ...`, arguments being hexadecimal numbers, least significant digit last, of any length. One
// number per line comes back.
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "methods/cios.cuh"
#include "methods/doubles.cuh"
#include "methods/gecc_sm2.cuh"
#include "methods/gecc_sos.cuh"
#include "methods/half_words.cuh"
#include "methods/karatsuba.cuh"
#include "methods/low_high_rows.cuh"
#include "modular/modexp.cuh"
#include "modular/mul_mod.cuh"
#include "methods/production.cuh"

typedef std::vector<std::string> Arguments;
typedef std::vector<u32> Words;

static Words number(const std::string& digits, int count) {
    Words words(count, 0);
    for (size_t i = 0; i < digits.size(); i++) {
        const char digit[2] = {digits[digits.size() - 1 - i], 0};
        u32 value = (u32)strtoul(digit, nullptr, 16);
        if (i / 8 < words.size()) words[i / 8] |= value << (4 * (i % 8));
    }
    return words;
}

static void print(const u32* words, int count) {
    for (int i = count; i-- > 0;) printf("%08x", words[i]);
    putchar('\n');
}

template <int N> static ModulusWords<N> modulus_of(const std::string& digits) {
    Words words = number(digits, N);
    ModulusWords<N> modulus;
    for (int i = 0; i < N; i++) modulus.word[i] = words[i];
    modulus.neg_inv = (u32)negated_inverse(words[0]);
    return modulus;
}

// mul or sqr: modulus, a, rounds. The chain of gecc-bench's lab/methods.cu.
template <int N, class Method> static bool chain(const std::string& operation, const Arguments& in) {
    Method method(modulus_of<N>(in[0]));
    const typename Method::Number a = method.load(number(in[1], N).data());
    typename Method::Number c = a;
    bool squares = operation == "sqr";
    for (u32 k = number(in[2], 1)[0]; k > 0; k--) c = squares ? method.sqr(c) : method.mul(c, a);
    u32 words[N];
    method.store(words, c);
    print(words, N);
    return true;
}

template <int N> static bool run_size(const std::string& method, const std::string& operation, const Arguments& in) {
    if (method == "gecc_sos") return chain<N, GeccSos<N>>(operation, in);
    if (method == "cios") return chain<N, Cios<N>>(operation, in);
    if (method == "karatsuba") return chain<N, Karatsuba<N>>(operation, in);
    if (method == "low_high_rows") return chain<N, LowHighRows<N>>(operation, in);
    if (method == "half_words") return chain<N, HalfWords<N>>(operation, in);
    if (method == "doubles") return chain<N, Doubles<N>>(operation, in);
    return false;
}

// modulus, a, b and R^2 mod modulus.
template <int N> static bool run_mul_mod(const std::string& operation, const Arguments& in) {
    MulModModulus<N> modulus = {modulus_of<N>(in[0]), {}};
    Words a = number(in[1], N), b = number(in[2], N), r2 = number(in[3], N);
    for (int i = 0; i < N; i++) modulus.r2[i] = r2[i];
    u32 r[N];
    if (operation == "mul_mod") mul_mod<N>(r, a.data(), b.data(), modulus);
    else square_mod<N>(r, a.data(), modulus);
    print(r, N);
    return true;
}

// base, exponent, words of the exponent, and the parameters of kernels/modexp.cu as one number of
// 64-bit digits.
template <int Bits> static bool run_modexp(const Arguments& in) {
    typedef Modexp<Bits> Power;
    Words base = number(in[0], Power::kWords), count = number(in[2], 1), exponent = number(in[1], count[0]);
    Words halves = number(in[3], 2 * (2 * Power::kSamples + 1));
    u64 parameters[2 * Power::kSamples + 1], samples[Power::kSamples];
    for (int i = 0; i < 2 * Power::kSamples + 1; i++) parameters[i] = halves[2 * i] | (u64)halves[2 * i + 1] << 32;
    const Power method(parameters);
    auto base_word = [&](int w) { return base[w]; };
    auto exponent_word = [&](u32 w) { return exponent[w]; };
    auto result = method.power(Power::from_words(base_word), exponent_word, count[0], parameters);
    Power::put_samples(samples, result);
    Power::make_canonical(samples, parameters);
    u32 words[Power::kWords];
    for (int w = 0; w < Power::kWords; w++) {
        words[w] = word_of_samples([&](int k) { return samples[k]; }, Power::kSamples, w);
    }
    print(words, Power::kWords);
    return true;
}

static bool run(const std::string& method, const std::string& operation, int bits, const Arguments& in) {
    if (method == "gecc_sm2") return chain<8, GeccSm2>(operation, in);
    if (method == "production_field") return chain<8, ProductionField>(operation, in);
    if (method == "production_order") return chain<8, ProductionOrder>(operation, in);
    if (method == "modexp") {
        return bits == 1024 ? run_modexp<1024>(in) : bits == 1536 ? run_modexp<1536>(in) : run_modexp<2048>(in);
    }
    bool modular = method == "modular";
    switch (bits) {
        case 128: return modular ? run_mul_mod<4>(operation, in) : run_size<4>(method, operation, in);
        case 192: return modular && run_mul_mod<6>(operation, in);
        case 256: return modular ? run_mul_mod<8>(operation, in) : run_size<8>(method, operation, in);
        case 320: return modular && run_mul_mod<10>(operation, in);
        case 384: return modular ? run_mul_mod<12>(operation, in) : run_size<12>(method, operation, in);
        case 448: return modular && run_mul_mod<14>(operation, in);
        case 512: return modular ? run_mul_mod<16>(operation, in) : run_size<16>(method, operation, in);
        default: return false;
    }
}

int main() {
    // The doubles compute with rounding toward zero; the device has an instruction for it, the CPU
    // a mode.
    if (fesetround(FE_TOWARDZERO) != 0) return 2;
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        Arguments in;
        for (char* word = strtok(line, " \n"); word != nullptr; word = strtok(nullptr, " \n")) in.push_back(word);
        Arguments arguments(in.begin() + 3, in.end());
        if (!run(in[0], in[1], (int)strtol(in[2].c_str(), nullptr, 10), arguments)) {
            fprintf(stderr, "no operation %s %s %s\n", in[0].c_str(), in[1].c_str(), in[2].c_str());
            return 1;
        }
    }
    return 0;
}
