//! Engines that verify many signatures by one equation, and batches for them.

use gecc::{Backend, Engine, Verdict};

/// Enough items for several groups.
pub const ITEMS: usize = 3000;

/// An engine like the one under test, with equations and with one thread, so that groups are small.
pub fn with_equations(engine: &Engine) -> Engine {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .threads(1)
        .batch_verification(true);
    let engine = builder.build().expect("as the engine under test");
    assert!(engine.info().batch_verification);
    engine
}

/// Items of which a GPU tries several chunks. The CPU has groups of the others' size.
pub fn large(engine: &Engine) -> usize {
    if engine.info().backend == Backend::Gpu {
        1 << 19
    } else {
        ITEMS
    }
}

/// An engine like the one under test, with equations and times of kernels.
pub fn timed(engine: &Engine) -> Engine {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .time_kernels(true)
        .batch_verification(true);
    builder.build().expect("as the engine under test")
}

/// The rejected items of a large batch. A GPU has tried equations, and has verified none of its
/// chunks one by one if all take part and are valid.
pub fn rejected_of_large(
    engines: &[Engine],
    verify: impl Fn(&Engine) -> Vec<Verdict>,
    one_by_one: &str,
    all_take_part: bool,
) -> Vec<usize> {
    let rejected = |engine: &Engine| -> Vec<usize> {
        let verdicts = verify(engine);
        (0..verdicts.len())
            .filter(|item| !verdicts[*item].is_valid())
            .collect()
    };
    let found: Vec<Vec<usize>> = engines.iter().map(rejected).collect();
    assert!(found.iter().all(|rejected| *rejected == found[0]));
    let timed = &engines[0];
    if timed.info().backend == Backend::Gpu {
        let times = timed.take_kernel_times();
        let launches = |is_kernel: &dyn Fn(&str) -> bool| -> u64 {
            times
                .iter()
                .filter(|time| is_kernel(time.kernel))
                .map(|time| time.launches)
                .sum()
        };
        let tried = launches(&|kernel| kernel.ends_with("batch_verify_items"));
        let alone = launches(&|kernel| kernel == one_by_one);
        // Several devices begin at a time, when the batch cannot afford as many equations yet.
        let all_held = alone == 0 || timed.info().devices.len() > 1;
        assert!(
            tried > 0 && if all_take_part { all_held } else { alone > 0 },
            "{tried} tried, {alone} one by one"
        );
    }
    found[0].clone()
}

/// Positions at which items are corrupted: none, one, and one in each chunk.
pub fn places(items: usize) -> [Vec<usize>; 4] {
    [
        vec![],
        vec![0],
        vec![items / 2, items - 1],
        (0..items).step_by(1000).collect(),
    ]
}
