//! The known facts about registers and the stack at one point of the code.

use super::instruction::{Condition, Labels, Location, SECRET};
use std::collections::{BTreeMap, BTreeSet};

/// The known facts about a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    pub labels: Labels,
    /// Low 32 bits that may be secret; all or some if the label is set, else none. Assemblers keep
    /// several flags in one register, and only some of them are secret.
    pub secret_bits: u32,
    /// The place on the stack that it points to, if that is known.
    pub address: Option<i64>,
}

impl Value {
    pub fn of(labels: Labels) -> Self {
        Value {
            labels,
            secret_bits: if labels & SECRET == 0 { 0 } else { u32::MAX },
            address: None,
        }
    }

    pub fn of_bits(labels: Labels, secret_bits: u32) -> Self {
        let secret = if secret_bits == 0 { 0 } else { SECRET };
        Value {
            labels: labels & !SECRET | secret,
            secret_bits,
            address: None,
        }
    }

    pub fn is_secret(self) -> bool {
        self.labels & SECRET != 0
    }

    /// Either this value or the other.
    pub fn or(self, other: Value) -> Self {
        Value {
            labels: self.labels | other.labels,
            secret_bits: self.secret_bits | other.secret_bits,
            address: self
                .address
                .filter(|address| other.address == Some(*address)),
        }
    }
}

/// The values that a place may have after it was written under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    /// The condition of the last write, as long as its flag is unchanged, and the written value.
    condition: Option<Condition>,
    value: Value,
    /// The values that it may have kept.
    kept: BTreeSet<Value>,
}

impl Choice {
    /// Returns whether these are the conditions of the last write, so that its value is the current
    /// one.
    fn is_of(&self, conditions: &[Condition]) -> bool {
        self.condition.is_some() && conditions == self.condition.as_slice()
    }
}

/// All registers and stack slots. Those without an entry have no labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    places: BTreeMap<Location, Value>,
    /// Byte by byte.
    pub slots: BTreeMap<i64, Value>,
    choices: BTreeMap<Location, Choice>,
}

impl State {
    pub fn new(entry: &[(Location, Labels)]) -> Self {
        let places = entry
            .iter()
            .map(|(place, labels)| (*place, Value::of(*labels)))
            .collect();
        State {
            places,
            ..State::default()
        }
    }

    pub fn value(&self, place: Location) -> Value {
        self.places.get(&place).copied().unwrap_or_default()
    }

    /// The value of a place if conditions are met.
    pub fn under(&self, conditions: &[Condition], place: Location) -> Value {
        match self.choices.get(&place) {
            Some(choice) if choice.is_of(conditions) => choice.value,
            _ => self.value(place),
        }
    }

    /// The labels of places if conditions are met.
    pub fn labels(&self, conditions: &[Condition], places: &[Location]) -> Labels {
        places
            .iter()
            .fold(0, |all, place| all | self.under(conditions, *place).labels)
    }

    /// All values that a place may have if conditions are met.
    pub fn possible(&self, conditions: &[Condition], place: Location) -> Vec<Value> {
        match self.choices.get(&place) {
            Some(choice) if !choice.is_of(conditions) => {
                choice.kept.iter().copied().chain([choice.value]).collect()
            }
            _ => vec![self.under(conditions, place)],
        }
    }

    /// Writes a place, if conditions are met.
    pub fn write(&mut self, conditions: &[Condition], place: Location, value: Value) {
        let old = self.value(place);
        let choice = self.choices.remove(&place);
        for choice in self.choices.values_mut() {
            choice.condition = choice.condition.filter(|condition| condition.0 != place);
        }
        let &[condition] = conditions else {
            let kept = if conditions.is_empty() {
                value
            } else {
                value.or(old)
            };
            self.places.insert(place, kept);
            return;
        };
        let kept = match choice {
            // Where the one condition is not met the other is.
            Some(choice) if choice.condition == Some((condition.0, !condition.1)) => {
                BTreeSet::from([choice.value])
            }
            Some(choice) => choice.kept.into_iter().chain([choice.value]).collect(),
            None => BTreeSet::from([old]),
        };
        self.places
            .insert(place, kept.iter().fold(value, |all, value| all.or(*value)));
        let condition = Some(condition).filter(|condition| condition.0 != place);
        self.choices.insert(
            place,
            Choice {
                condition,
                value,
                kept,
            },
        );
    }

    /// Makes bits of those values of a place secret that may be in it.
    pub fn taint(&mut self, place: Location, bits: u32) {
        self.choices.remove(&place);
        let value = self.value(place).or(Value::of_bits(0, bits));
        self.places.insert(place, value);
    }

    /// Adds the values of another path; returns whether there was anything new.
    pub fn join(&mut self, other: &State) -> bool {
        let choices = self.choices.clone();
        self.choices
            .retain(|place, choice| match other.choices.get(place) {
                Some(theirs) => {
                    choice.condition = choice
                        .condition
                        .filter(|condition| theirs.condition == Some(*condition));
                    choice.value = choice.value.or(theirs.value);
                    choice.kept.extend(&theirs.kept);
                    true
                }
                None => false,
            });
        let places = add(&mut self.places, &other.places);
        let slots = add(&mut self.slots, &other.slots);
        places || slots || self.choices != choices
    }
}

fn add<K: Ord + Copy>(to: &mut BTreeMap<K, Value>, from: &BTreeMap<K, Value>) -> bool {
    let mut is_grown = false;
    for (key, value) in from {
        let mine = to.entry(*key).or_default();
        let both = mine.or(*value);
        is_grown |= both != *mine;
        *mine = both;
    }
    is_grown
}
