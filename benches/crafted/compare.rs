//! Rates of crafted batches beside that of an honest one.

use gecc::{Backend, Engine};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The least rate of a crafted batch, in honest ones.
pub const FLOOR: f64 = 0.7;
/// Times that each batch is measured. Medians count.
const ROUNDS: usize = 7;

/// The comparisons on one engine.
pub struct Bench<'a> {
    name: &'static str,
    engine: Engine,
    reference: Engine,
    /// Items of a batch.
    pub items: usize,
    chosen: &'a [String],
    slow: Vec<String>,
}

impl<'a> Bench<'a> {
    pub fn new(name: &'static str, engine: Engine, items: usize, chosen: &'a [String]) -> Self {
        let reference = Engine::builder().backend(Backend::Cpu).portable(true).build().expect("threads can be started");
        Bench { name, engine, reference, items, chosen, slow: Vec::new() }
    }

    /// The comparisons that were below `FLOOR`.
    pub fn into_slow(self) -> Vec<String> {
        self.slow
    }

    /// Compares batches of an operation. `batches` gives the honest one first.
    pub fn compare<B, R: PartialEq>(
        &mut self,
        operation: &str,
        batches: impl FnOnce(usize) -> Vec<(&'static str, B)>,
        run: impl Fn(&Engine, &B) -> R,
    ) {
        let operation = format!("{}, {operation}", self.name);
        if !self.chosen.is_empty() && !self.chosen.iter().any(|word| operation.contains(word.as_str())) {
            return;
        }
        let batches = batches(self.items);
        for (name, batch) in &batches {
            // Tables are built here too.
            let agree = run(&self.engine, batch) == run(&self.reference, batch);
            assert!(agree, "{operation}: '{name}' has other results than the portable engine");
        }
        let [(_, honest), crafted @ ..] = batches.as_slice() else { panic!("an honest batch comes first") };
        let time = |batch: &B| {
            let start = Instant::now();
            black_box(run(&self.engine, black_box(batch)));
            start.elapsed()
        };
        let pairs: Vec<Vec<(Duration, Duration)>> =
            crafted.iter().map(|(_, batch)| (0..ROUNDS).map(|_| (time(honest), time(batch))).collect()).collect();
        let honest = median(pairs.iter().flatten().map(|(honest, _)| honest.as_secs_f64()));
        println!("{operation}: {:.1} k/s", self.rate(honest));
        for ((name, _), pairs) in crafted.iter().zip(&pairs) {
            let crafted = median(pairs.iter().map(|(_, crafted)| crafted.as_secs_f64()));
            let ratio = median(pairs.iter().map(|(honest, crafted)| honest.as_secs_f64() / crafted.as_secs_f64()));
            println!("    {ratio:5.2}  {:8.1} k/s  {name}", self.rate(crafted));
            if ratio < FLOOR {
                self.slow.push(format!("{operation}, {name}: {ratio:.2}"));
            }
        }
    }

    fn rate(&self, seconds: f64) -> f64 {
        self.items as f64 / seconds / 1e3
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
