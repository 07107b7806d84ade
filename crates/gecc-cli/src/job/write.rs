//! From results to lines.

use super::Operation;
use super::arena::Arena;
use super::compute::Batch;
use super::parse::Origins;
use super::report::{Tally, reason_of};
use crate::flags::StreamOptions;
use crate::output::Line;
use crate::secrets::wiped::Wiped;
use gecc::{Verdict, stack};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroize;

/// Which answers there are, and what they say besides.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// What the number of an item's place is called.
    pub place: &'static str,
    /// Whether all answers say it.
    pub line: bool,
    pub only_rejected: bool,
    /// Whether the first rejection is the last answer.
    pub check: bool,
}

impl Wanted {
    pub fn new(options: &StreamOptions, place: &'static str) -> Self {
        Wanted { place, line: options.line, only_rejected: options.only_rejected, check: options.check }
    }
}

/// Lines, and what they say.
pub struct Written {
    pub text: Wiped,
    pub tally: Tally,
}

/// Buffers for lines that wait to be used again.
#[derive(Default)]
pub struct Spares(Mutex<Vec<Wiped>>);

impl Spares {
    fn take(&self) -> Wiped {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a buffer back. Where answers are secret nothing of them stays in it.
    pub fn give_back(&self, mut text: Wiped, secret: bool) {
        if secret {
            text.as_mut_slice().zeroize();
        }
        text.clear();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// Writes the answers of a batch, unit by unit, on the threads of the caller's pool.
pub fn write_batch<O: Operation>(operation: &O, batch: &Batch, wanted: Wanted, spares: &Spares) -> Vec<Written> {
    let starts: Vec<usize> = batch
        .units
        .iter()
        .scan(0, |next, unit| {
            *next += unit.rows();
            Some(*next - unit.rows())
        })
        .collect();
    let write = |(unit, start): (&Origins, &usize)| {
        // Shared secrets pass through.
        stack::wiped(|| {
            let mut written = Written { text: spares.take(), tally: Tally::default() };
            write_unit(operation, &batch.arena, *start, unit, wanted, &mut written);
            written
        })
    };
    let mut written: Vec<Written> = batch.units.par_iter().zip(&starts).map(write).collect();
    if wanted.check
        && let Some(last) = written.iter().position(|unit| unit.tally.rejected() > 0)
    {
        written.truncate(last + 1);
    }
    written
}

fn write_unit<O: Operation>(
    operation: &O,
    arena: &Arena,
    start: usize,
    unit: &Origins,
    wanted: Wanted,
    written: &mut Written,
) {
    let mut faults = unit.faults.iter().peekable();
    for row in 0..unit.rows() {
        let fault = faults.next_if(|(at, _)| *at == row).map(|(_, reason)| reason.as_str());
        let (code, result) = arena.result(start + row);
        let passed = fault.is_none() && code == Verdict::VALID_CODE;
        match fault {
            Some(reason) => written.tally.refuse(reason),
            None if passed => written.tally.pass(),
            None => written.tally.reject(code),
        }
        if passed && wanted.only_rejected {
            continue;
        }
        let mut line = Line::begin(&mut written.text);
        match fault {
            _ if passed => operation.answer(result, &mut line),
            Some(reason) => reject::<O>(reason, &mut line),
            None => reject::<O>(&reason_of(code).to_string(), &mut line),
        }
        if wanted.line || !passed {
            line.number(wanted.place, unit.line(row));
        }
        let tag = unit.tag(row);
        if !tag.is_empty() {
            line.json("tag", tag);
        }
        line.end();
        if wanted.check && !passed {
            return;
        }
    }
}

fn reject<O: Operation>(reason: &str, line: &mut Line) {
    let reason = serde_json::to_vec(reason).expect("every text has a JSON form");
    if O::GIVES_VERDICTS {
        line.json("valid", b"false");
        line.json("reason", &reason);
    } else {
        line.json("error", &reason);
    }
}
