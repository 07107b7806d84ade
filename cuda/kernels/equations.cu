// Converts digests and signatures to the equations x(u1 G + u2 Q) = x modulo n, in a batch, and
// makes every check that does not need a key.
//
// Launch contract: low_s: nonzero rejects s > n / 2. u1, u2, x: for kernels/verify.cu. verdicts:
// kPending if no check has failed, otherwise the rejection, and the scalars of such an item are
// meaningless. All outputs are written without being read.
#include "kernels/batched.cuh"
#include "kernels/rows.cuh"
#include "scheme/equation.cuh"

namespace {
struct EquationBatch {
    u32 *u1, *u2, *x;
    u8* verdict;
    u64 n;

    __device__ __forceinline__ void store(u64 i, const Equation& q, Verdict which) const {
        store_column(u1, n, i, q.u1.v);
        store_column(u2, n, i, q.u2.v);
        store_column(x, n, i, q.x.v);
        verdict[i] = which;
    }
};

struct EcdsaEquations {
    using Number = sc;
    const u8 *digests, *signatures;
    bool low_s;
    EquationBatch out;

    __device__ __forceinline__ Verdict load(Signature& signature, u64 i) const {
        u32 r[8], s[8];
        load_number(r, signatures + 64 * i);
        load_number(s, signatures + 64 * i + 32);
        return check_ecdsa_signature(signature, r, s, low_s);
    }
    __device__ __forceinline__ sc denominator(u64 i) const {
        Signature signature;
        load(signature, i);
        return sc_to_montgomery(signature.s.v);
    }
    __device__ __forceinline__ void finish(u64 i, const sc& inverse) const {
        Signature signature;
        Verdict verdict = load(signature, i);
        u32 digest[8];
        load_number(digest, digests + 32 * i);
        out.store(i, ecdsa_equation(digest, signature.r, inverse), verdict);
    }
};
}  // namespace

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    gecc_ecdsa_equations(const Digests* digests, const Signatures* signatures, u32 low_s, Scalars* u1, Scalars* u2,
                         Scalars* x, Verdicts* verdicts, Prefixes* prefixes, u64 n) {
    __shared__ BlockInverseMemory memory;
    EcdsaEquations op = {digests, signatures, low_s != 0, {u1, u2, x, verdicts, n}};
    run_batched(op, n, prefixes, memory);
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_sm2_equations(const Digests* digests, const Signatures* signatures, Scalars* u1, Scalars* u2, Scalars* x,
                       Verdicts* verdicts, u64 n) {
    EquationBatch out = {u1, u2, x, verdicts, n};
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 digest[8], r[8], s[8];
        load_number(digest, digests + 32 * i);
        load_number(r, signatures + 64 * i);
        load_number(s, signatures + 64 * i + 32);
        Equation equation;
        Verdict which = sm2_equation(equation, digest, r, s);
        out.store(i, equation, which);
    }
}
