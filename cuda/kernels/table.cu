// Tables of multiples of G, built on the device.
//
// Launch contract. An entry is a row of sixteen words, x and y in field form.
//
// The public table of `windows` windows of w bits, for gecc_fpmul_var, has e = 2^(w-1) entries per
// window; row i e + d - 1 is d 2^(w i) G, 64 windows 2^(w-1) bytes in total. Build it by
// gecc_table_start with entries = e, bits = w, then gecc_table_extend with known = 1, 2, 4, ..., e
// / 2, in stream order, and prefixes for windows * known items. The uniform table, for
// gecc_fpmul_uniform, is built by gecc_uniform_table with entries = 29 * 256: entry m of window i
// is (2 m + 1) 2^(9 i) G, in the layout of kernels/uniform_table.cuh; 475 136 bytes.
#include "curve/affine_add.cuh"
#include "curve/jacobian.cuh"
#include "kernels/batched.cuh"
#include "kernels/table_rows.cuh"
#include "kernels/uniform_table.cuh"

namespace {
// Entry known + m of a window is entry known plus entry m, for m = 1 .. known; the last one is a
// doubling.
struct Extend {
    using Number = fe;
    u32* table;
    u64 entries, known;

    __device__ __forceinline__ AdditionCase classify(u64 a, u64 b, fe& denominator) const {
        const Extend& op = *this;
        return addition_case(denominator, true, true, load_x(table, a), load_x(table, b), [&op, a, b](fe& ay, fe& by) {
            ay = load_y(op.table, a);
            by = load_y(op.table, b);
        });
    }
    __device__ __forceinline__ void rows(u64 i, u64& a, u64& b) const {
        u64 window = i / known * entries;
        a = window + known - 1;
        b = window + i % known;
    }
    __device__ __forceinline__ fe denominator(u64 i) const {
        u64 a, b;
        fe r;
        rows(i, a, b);
        classify(a, b, r);
        return r;
    }
    __device__ __forceinline__ void finish(u64 i, const fe& inverse) const {
        u64 a, b;
        fe unused;
        rows(i, a, b);
        AdditionCase which = classify(a, b, unused);
        affine p = {load_x(table, a), load_y(table, a)}, q = {load_x(table, b), load_y(table, b)};
        store_entry(table, b + known, add_on_line(which, p, q, inverse));
    }
};

// Computes (2 m + 1) 2^doublings G by repeated addition, followed by the doublings.
GECC_FN affine multiple(u32 m, u32 doublings) {
    affine g = generator();
    jacobian p = to_jacobian(g);
    bool identity = false;
    GECC_NO_UNROLL
    for (u32 k = 0; k < 2 * m; k++) add_var(p, identity, g);
    GECC_NO_UNROLL
    for (u32 k = 0; k < doublings; k++) p = jacobian_double(p);
    return scale_by_inverse(p.x, p.y, fe_inv(p.z));
}
}  // namespace

// Launch: one thread per item, for windows items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_table_start(BaseTable* table, u32 bits, u32 windows, u64 entries) {
    u64 window = global_thread();
    if (window < windows) store_entry(table, window * entries, multiple(0, bits * (u32)window));
}

// Launch: one thread per item, in blocks of 128, for entries items.
extern "C" __global__ void __launch_bounds__(256) gecc_uniform_table(UniformTable* table) {
    int window = (int)global_thread() / kUniformEntries, m = (int)global_thread() % kUniformEntries;
    if (window < kUniformWindows) store_uniform_entry(table, window, m, multiple(m, kUniformBits * window));
}

// Launch: 2 blocks per multiprocessor, for windows * known items.
extern "C" __global__ void __launch_bounds__(256)
    gecc_table_extend(AnyTables* table, u32 windows, u64 entries, u64 known, Prefixes* prefixes) {
    __shared__ BlockInverseMemory memory;
    Extend op = {table, entries, known};
    run_batched(op, windows * known, prefixes, memory);
}
