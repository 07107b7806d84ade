//! Counts of items that passed, and of the others by reason.

use crate::flags::SummaryForm;
use crate::output::note;
use gecc::fields::FormCounts;
use gecc::{Engine, Rejection, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The number of reasons that the table lists; the rest are summed up.
const NAMED: usize = 20;
/// The maximum number of reasons that are counted individually.
const KINDS: usize = 1000;
const OTHERS: &str = "other reasons";
/// The number of items from which a common failure of all suggests an error in the whole input.
const MANY: u64 = 10;

/// Returns a reason without its details, which follow the first colon. A field name before that
/// colon is kept together with the text on the field.
fn kind_of(reason: &str) -> &str {
    let Some((first, rest)) = reason.split_once(": ") else {
        return reason;
    };
    let is_field = first.starts_with('`') && first.ends_with('`') && !first.contains(' ');
    if !is_field {
        return first;
    }
    let details = rest
        .split_once(": ")
        .map_or(0, |(_, details)| ": ".len() + details.len());
    &reason[..reason.len() - details]
}

/// Counts of items.
pub struct Tally {
    pub items: u64,
    pub passed: u64,
    /// Rejections of the engine, by code.
    by_code: [u64; 256],
    /// Other rejections, by reason without its details.
    by_reason: BTreeMap<String, u64>,
    /// Counts of the detected forms of signatures of 65 bytes from which keys were recovered.
    pub forms: FormCounts,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            items: 0,
            passed: 0,
            by_code: [0; 256],
            by_reason: BTreeMap::new(),
            forms: FormCounts::default(),
        }
    }
}

impl Tally {
    pub fn pass(&mut self, items: u64) {
        self.items += items;
        self.passed += items;
    }

    /// Counts items that the engine rejected.
    pub fn reject(&mut self, code: u8, items: u64) {
        self.items += items;
        self.by_code[usize::from(code)] += items;
    }

    /// Counts items that were not passed to the engine.
    pub fn refuse(&mut self, reason: &str, items: u64) {
        self.items += items;
        self.count(kind_of(reason), items);
    }

    pub fn add(&mut self, other: &Tally) {
        self.items += other.items;
        self.passed += other.passed;
        self.by_code
            .iter_mut()
            .zip(other.by_code)
            .for_each(|(count, more)| *count += more);
        other
            .by_reason
            .iter()
            .for_each(|(kind, count)| self.count(kind, *count));
    }

    fn count(&mut self, kind: &str, more: u64) {
        let kind = if self.by_reason.len() < KINDS || self.by_reason.contains_key(kind) {
            kind
        } else {
            OTHERS
        };
        match self.by_reason.get_mut(kind) {
            Some(count) => *count += more,
            None => {
                self.by_reason.insert(kind.to_owned(), more);
            }
        }
    }

    pub fn rejected(&self) -> u64 {
        self.items - self.passed
    }

    /// Returns the most frequent reason if no item has a form that can be computed.
    pub fn formless(&self) -> Option<String> {
        // If there are few items, each may be wrong individually.
        let of_other_curve = (self.items >= MANY).then_some(Rejection::NotOnCurve);
        let malformed = [Rejection::MalformedSignature, Rejection::MalformedPoint]
            .into_iter()
            .chain(of_other_curve);
        let of_codes =
            malformed.map(|reason| (reason.to_string(), self.by_code[usize::from(reason.code())]));
        let of_reasons = self
            .by_reason
            .iter()
            .map(|(reason, count)| (reason.clone(), *count));
        let all: Vec<(String, u64)> = of_codes
            .chain(of_reasons)
            .filter(|(_, count)| *count > 0)
            .collect();
        let sum: u64 = all.iter().map(|(_, count)| count).sum();
        // The first of the most frequent reasons.
        let (reason, count) = all.into_iter().rev().max_by_key(|(_, count)| *count)?;
        match (sum == self.items, count == sum) {
            (false, _) => None,
            (true, true) => Some(reason),
            (true, false) => Some(format!(
                "{reason} ({count} of {sum} items; others have other reasons)"
            )),
        }
    }

    /// Returns a hint about the whole input if many items fail in one way.
    pub fn suspicion(&self) -> Option<&'static str> {
        let all_differ = self.items >= MANY
            && self.by_code[usize::from(Rejection::Mismatch.code())] == self.items;
        all_differ.then_some(
            "no signature is right: is the signed content in the column that was read, and hashed with --hash?",
        )
    }

    /// Returns the rejections by reason, the most frequent first.
    fn reasons(&self) -> Vec<(String, u64)> {
        let by_code = (0..=u8::MAX)
            .zip(self.by_code)
            .filter(|(_, count)| *count > 0);
        let mut reasons: Vec<(String, u64)> = by_code
            .map(|(code, count)| (reason_of(code).to_string(), count))
            .collect();
        reasons.extend(
            self.by_reason
                .iter()
                .map(|(reason, count)| (reason.clone(), *count)),
        );
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        if reasons.len() > NAMED {
            let rest: u64 = reasons.drain(NAMED - 1..).map(|(_, count)| count).sum();
            reasons.push((OTHERS.to_owned(), rest));
        }
        reasons
    }

    /// Prints the counts, and the rejections by reason.
    pub fn print(&self, form: SummaryForm, passed: &str, seconds: f64, engine: &Engine) {
        match form {
            SummaryForm::Text => self.print_text(passed, seconds, engine),
            SummaryForm::Json => {
                let reasons: serde_json::Map<String, Value> = self
                    .reasons()
                    .into_iter()
                    .map(|(reason, count)| (reason, count.into()))
                    .collect();
                let summary = json!({
                    "items": self.items, "passed": self.passed, "rejected": self.rejected(), "reasons": reasons,
                    "seconds": seconds, "engine": engine.to_string(),
                });
                note(&summary.to_string());
            }
        }
    }

    fn print_text(&self, passed: &str, seconds: f64, engine: &Engine) {
        let items = if self.items == 1 { "item" } else { "items" };
        let rate = self.items as f64 / seconds.max(1e-9);
        note(&format!(
            "{} {items}, {} {passed}, {} rejected, {seconds:.3} s, {rate:.0} items/s, {engine}",
            self.items,
            self.passed,
            self.rejected(),
        ));
        for (reason, count) in self.reasons() {
            note(&format!("{count:>12}  {reason}"));
        }
    }
}

/// Returns the reason for the code of an item that did not pass. A code that was never written must
/// not count as valid.
pub fn reason_of(code: u8) -> Rejection {
    debug_assert_ne!(code, Verdict::VALID_CODE);
    Rejection::from_code(code).unwrap_or(Rejection::Mismatch)
}
