// Numbers from rows to field elements in columns, and back.
//
// Launch contract: rows are big-endian numbers of 32 bytes.
#include "curve/point.cuh"
#include "kernels/layout.cuh"
#include "kernels/rows.cuh"
#include "lab/columns.cuh"

// The numbers are taken modulo p.
// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_import_field(const ByteRows<32>* rows, FieldElements* elements, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        u32 words[8];
        load_number(words, rows + 32 * i);
        store_column(elements, n, i, fe_from_words(words).v);
    }
}

// Launch: one thread per item.
extern "C" __global__ void __launch_bounds__(256)
    gecc_export_field(const FieldElements* elements, ByteRows<32>* rows, u64 n) {
    for (u64 i = global_thread(); i < n; i += global_threads()) {
        fe a;
        u32 words[8];
        load_column(a.v, elements, n, i);
        fe_to_words(words, a);
        store_number(rows + 32 * i, words);
    }
}
