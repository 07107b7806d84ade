//! Rates of adversarial batches relative to that of a baseline one.

use gecc::{Engine, EngineBuilder, Error};
use std::hint::black_box;
use std::time::Instant;

/// The lowest accepted rate of an adversarial batch, as a fraction of the baseline batch's rate.
pub const FLOOR: f64 = 0.7;
/// Runs of each batch, alternating with the baseline one. The fastest counts: other load on the
/// machine only adds to a time.
const ROUNDS: usize = 7;

/// The comparisons on one engine.
pub struct Bench<'a> {
    name: &'static str,
    engine: Engine,
    /// The same engine without batch verification.
    pub alone: Engine,
    /// The reference: `engine` must have its results.
    reference: Engine,
    /// Items of a batch.
    items: usize,
    /// Items of a batch that is computed together.
    pub items_together: usize,
    chosen: &'a [String],
    slow: Vec<String>,
}

impl<'a> Bench<'a> {
    /// Builds the engines of the comparisons.
    ///
    /// # Errors
    /// Returns an error if one of the engines cannot be built.
    pub fn new(
        name: &'static str,
        engine: EngineBuilder,
        reference: EngineBuilder,
        [items, items_together]: [usize; 2],
        chosen: &'a [String],
    ) -> Result<Self, Error> {
        let alone = engine.clone().build()?;
        let reference = reference.build()?;
        let engine = engine.batch_verification(true).build()?;
        Ok(Bench {
            name,
            engine,
            alone,
            reference,
            items,
            items_together,
            chosen,
            slow: Vec::new(),
        })
    }

    /// The comparisons that were below `FLOOR`.
    pub fn into_slow(self) -> Vec<String> {
        self.slow
    }

    /// Compares batches of an operation. `batches` returns the baseline one first.
    pub fn compare<B, R: PartialEq>(
        &mut self,
        operation: &str,
        batches: impl FnOnce(usize) -> Vec<(&'static str, B)>,
        run: impl Fn(&Engine, &B) -> R,
    ) {
        let items = self.items;
        self.compare_of(items, operation, || batches(items), run);
    }

    /// Compares batches of `items` items.
    pub fn compare_of<B, R: PartialEq>(
        &mut self,
        items: usize,
        operation: &str,
        batches: impl FnOnce() -> Vec<(&'static str, B)>,
        run: impl Fn(&Engine, &B) -> R,
    ) {
        let operation = format!("{}, {operation}", self.name);
        if !self.chosen.is_empty()
            && !self
                .chosen
                .iter()
                .any(|word| operation.contains(word.as_str()))
        {
            return;
        }
        let batches = batches();
        for (name, batch) in &batches {
            // Tables are built here too.
            let agree = run(&self.engine, batch) == run(&self.reference, batch);
            assert!(
                agree,
                "{operation}: '{name}' has other results than the reference"
            );
        }
        let [(_, baseline), adversarial @ ..] = batches.as_slice() else {
            panic!("a baseline batch comes first")
        };
        let mut fastest = vec![f64::INFINITY; batches.len()];
        for _ in 0..ROUNDS {
            for (index, (_, batch)) in adversarial.iter().enumerate() {
                fastest[0] = seconds_of(|| run(&self.engine, black_box(baseline))).min(fastest[0]);
                fastest[index + 1] =
                    seconds_of(|| run(&self.engine, black_box(batch))).min(fastest[index + 1]);
            }
        }
        let thousands = items as f64 / 1e3;
        println!("{operation}: {:.1} k/s", thousands / fastest[0]);
        for ((name, _), seconds) in adversarial.iter().zip(&fastest[1..]) {
            let ratio = fastest[0] / seconds;
            println!("    {ratio:5.2}  {:8.1} k/s  {name}", thousands / seconds);
            if ratio < FLOOR {
                self.slow.push(format!("{operation}, {name}: {ratio:.2}"));
            }
        }
    }
}

fn seconds_of<R>(run: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64()
}
