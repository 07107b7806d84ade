// Variable-base multiplication (UPMUL) by scalars that differ: launch contract in
// kernels/upmul.cuh. gecc_upmul_var is for public scalars: its addresses and branches depend on
// them. gecc_upmul_uniform is for secret ones.
#include "kernels/upmul.cuh"

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_upmul_var(const Scalars* scalars, const Xy* xy, const PointKinds* kinds, ThreadTables* tables, Xyz* xyz,
                   NextTile* next_tile, u64 n) {
    upmul<Lookup::kVar>(scalars, PointBatch{xy, kinds, n}, tables, JacobianBatch{xyz, n}, Tiles{next_tile});
}

// Launch: 2 blocks per multiprocessor.
extern "C" __global__ void __launch_bounds__(kWindowThreads, kWindowBlocks)
    gecc_upmul_uniform(const Scalars* scalars, const Xy* xy, const PointKinds* kinds, ThreadTables* tables, Xyz* xyz,
                       NextTile* next_tile, u64 n) {
    upmul<Lookup::kScan>(scalars, PointBatch{xy, kinds, n}, tables, JacobianBatch{xyz, n}, Tiles{next_tile});
}
