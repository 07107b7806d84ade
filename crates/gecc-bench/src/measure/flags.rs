//! Options of measurements.

use clap::Args;
use gecc::CurveId;
use gecc_cli::curve::{any, or_all};
use std::ops::RangeInclusive;

/// Options for the batches that are measured.
#[derive(Args)]
pub struct BatchOptions {
    /// The curve [default: all].
    #[arg(long, value_parser = any())]
    pub curve: Option<CurveId>,
    /// Items in a batch [default: 16384 on the CPU, 1048576 on a GPU].
    #[arg(long, conflicts_with = "sizes", value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub items: Option<u32>,
    /// Batches of 2^FROM, twice that, and so on up to 2^TO items.
    #[arg(long, value_name = "FROM..TO", value_parser = parse_sizes)]
    pub sizes: Option<RangeInclusive<u32>>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
}

impl BatchOptions {
    /// Returns the sizes of batches, the largest last. `default` is used if no size is requested.
    pub fn sizes(&self, default: usize) -> Vec<usize> {
        match (&self.sizes, self.items) {
            (Some(powers), _) => powers.clone().map(|power| 1 << power).collect(),
            (None, items) => vec![items.map_or(default, |items| items as usize)],
        }
    }

    /// Returns the requested curve, or all curves.
    pub fn curves(&self) -> Vec<CurveId> {
        or_all(self.curve)
    }
}

fn parse_sizes(text: &str) -> Result<RangeInclusive<u32>, String> {
    let range = text
        .split_once("..")
        .and_then(|(from, to)| Some(parse_power(from)?..=parse_power(to)?));
    range
        .filter(|range| !range.is_empty())
        .ok_or_else(|| "two powers of two up to 26, such as 10..22".to_owned())
}

fn parse_power(text: &str) -> Option<u32> {
    text.parse().ok().filter(|power| *power <= 26)
}
