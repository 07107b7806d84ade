"""Batches of inverses: curve/batch_inverse.cuh, kernels/block_inverse.cuh and kernels/batched.cuh.

The source of each function is compiled with numbers that record the operations on them
(trace/numbers/batch.cuh), with one CPU thread for every thread of a block. Every item has to get
the inverse of its own value.
"""

from .compositions import Terms
from .extract import Program, function, preprocessed
from .project import CUDA, Wrong

_MAIN = """#include "batch.cuh"
static constexpr int kBlockThreads = 256;
struct BlockInverseMemory {{
    u32 values[8 * kBlockThreads];
    u32 prefixes[8 * kBlockThreads];
}};
{functions}
static BlockInverseMemory memory;
static fe items[1 << 12], inverses[1 << 12];
static int given[1 << 12];
static u32 prefixes[8 << 12];
static u64 n;

struct Operation {{
    using Number = fe;
    fe denominator(u64 i) const {{
        if (i >= n) fail("no such item");
        return items[i];
    }}
    void finish(u64 i, const fe& inverse) const {{
        if (i >= n) fail("no such item");
        inverses[i] = inverse;
        given[i]++;
    }}
}};

static void* thread_of_block(void* number) {{
    threadIdx.x = (int)(long)number % blockDim.x;
    blockIdx.x = (int)(long)number / blockDim.x;
    run_batched(Operation{{}}, n, prefixes, memory);
    return nullptr;
}}

static void give_all() {{
    for (u64 i = 0; i < n; i++) {{
        if (given[i] != 1) fail("an item gets not one inverse");
        give(inverses[i].v);
    }}
}}

int main(int, char** arguments) {{
    n = std::atoi(arguments[2]);
    for (u64 i = 0; i < n; i++) {{
        char name[16];
        std::snprintf(name, sizeof name, "v%d", (int)i);
        items[i] = variable<fe>(name);
    }}
    if (std::atoi(arguments[1]) == 0) {{
        // Word w of value k at w pitch + k stride, with other words between them.
        int stride = std::atoi(arguments[3]), pitch = (int)n * stride + 5;
        static u32 values[8 << 14], scratch[8 << 14];
        for (u64 k = 0; k < n; k++)
            for (int w = 0; w < 8; w++) values[w * pitch + k * stride] = items[k].v[w];
        invert_all<fe>(values, scratch, (int)n, stride, pitch);
        for (u64 k = 0; k < n; k++) {{
            for (int w = 0; w < 8; w++) inverses[k].v[w] = values[w * pitch + k * stride];
            given[k]++;
        }}
        give_all();
        return 0;
    }}
    blockDim.x = std::atoi(arguments[3]);
    gridDim.x = std::atoi(arguments[4]);
    // One block after the other.
    pthread_barrier_init(&barrier, nullptr, blockDim.x);
    for (int block = 0; block < gridDim.x; block++) {{
        pthread_t threads[kBlockThreads];
        for (int i = 0; i < blockDim.x; i++)
            pthread_create(&threads[i], nullptr, thread_of_block, (void*)(long)(block * blockDim.x + i));
        for (int i = 0; i < blockDim.x; i++) pthread_join(threads[i], nullptr);
    }}
    give_all();
}}
"""

COUNTS = (*range(18), 64)
STRIDES = (1, 3)
# (items, threads of a block, blocks): threads without an item, with one, and with several; every warp inverts once.
GRIDS = ((0, 32, 1), (1, 32, 1), (31, 32, 1), (97, 32, 2), (64, 64, 1), (300, 64, 3), (1000, 256, 2), (257, 256, 8))
# Any prime: the exponents are what counts.
_MODULUS = (1 << 61) - 1


def _values(trace):
    values = []
    for operation, operands in trace.lines:
        if operation == "constant":
            values.append(Terms({(): int(operands[0], 16)}))
        elif operation == "variable":
            values.append(Terms.power(operands[0], 1))
        elif operation == "mul":
            one, other = (values[int(operand)] for operand in operands)
            values.append(one.times(other, _MODULUS))
        else:
            values.append(values[int(operands[0])].inverse(_MODULUS))
    return values


def _check(trace, count):
    values = _values(trace)
    found = [values[int(line)] for (line,) in trace.results]
    if found != [Terms.power(f"v{i}", -1) for i in range(count)]:
        raise Wrong(f"of {count} values, the results are other numbers than their inverses")


def check_batches(curve, cuda=CUDA):
    """invert_all, block_invert and run_batched; raises Wrong."""
    functions = []
    for header, name in (
        ("curve/batch_inverse.cuh", "invert_all"),
        ("kernels/block_inverse.cuh", "block_invert"),
        ("kernels/batched.cuh", "run_batched"),
    ):
        text = function(preprocessed(curve, header, cuda), name)
        if text is None:
            raise Wrong(f"{header} has no {name}")
        functions.append(text)
    main = _MAIN.format(functions="\n".join(functions))
    with Program(main, curve, ("numbers",), cuda, ("-pthread",)) as program:
        for count in COUNTS:
            for stride in STRIDES:
                _check(program.run(0, count, stride), count)
        for count, threads, blocks in GRIDS:
            _check(program.run(1, count, threads, blocks), count)
