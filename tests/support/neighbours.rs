//! Bad items among good ones: no item's result may depend on its neighbours or on its position.

use std::fmt::Debug;

/// An item and its expected result, wherever it is in a batch.
#[derive(Clone)]
pub struct Case<I, O> {
    pub name: String,
    pub input: I,
    pub expected: O,
}

pub fn case<I, O>(name: impl Into<String>, input: I, expected: O) -> Case<I, O> {
    Case {
        name: name.into(),
        input,
        expected,
    }
}

/// Runs a batch and compares each result with its expectation.
pub fn check<I: Clone, O: PartialEq + Debug>(
    batch: &[&Case<I, O>],
    run: &impl Fn(&[I]) -> Vec<O>,
    layout: &str,
) {
    let inputs: Vec<I> = batch.iter().map(|case| case.input.clone()).collect();
    let results = run(&inputs);
    assert_eq!(results.len(), batch.len(), "{layout}: results");
    for (position, (case, result)) in batch.iter().zip(&results).enumerate() {
        assert_eq!(
            *result,
            case.expected,
            "{layout}: '{}' at position {position} of {}",
            case.name,
            batch.len()
        );
    }
}

/// Each special item alone, at each position of the clean batch in turn (those that `positions`
/// lists), at every k-th position, and all special items together.
pub fn everywhere<I: Clone, O: PartialEq + Debug>(
    clean: &[Case<I, O>],
    special: &[Case<I, O>],
    positions: &[usize],
    run: impl Fn(&[I]) -> Vec<O>,
) {
    assert!(!clean.is_empty() && !special.is_empty() && !positions.is_empty());
    let untouched: Vec<&Case<I, O>> = clean.iter().collect();
    check(&untouched, &run, "clean batch");
    for poison in special {
        check(&[poison], &run, "alone");
        for &position in positions {
            let mut batch = untouched.clone();
            batch[position] = poison;
            check(&batch, &run, &format!("'{}' at {position}", poison.name));
        }
        for step in [1, 2, 3, 7, 16] {
            let batch: Vec<_> = untouched
                .iter()
                .copied()
                .enumerate()
                .map(|(position, item)| if position % step == 0 { poison } else { item })
                .collect();
            check(
                &batch,
                &run,
                &format!("'{}' at every position {step} k", poison.name),
            );
        }
    }
    let mixed: Vec<&Case<I, O>> = special
        .iter()
        .zip(clean.iter().cycle())
        .flat_map(|(a, b)| [a, b])
        .collect();
    check(&mixed, &run, "all special items, between clean ones");
    check(
        &special.iter().collect::<Vec<_>>(),
        &run,
        "all special items",
    );
}
