//! The device code, embedded in the crate.

mod files;

use crate::curve::for_each_curve;
pub use files::HEADERS;
use files::{KERNELS, ON_SOME_CURVES, WITHOUT_CURVE};

/// Embeds the constants of a curve, which the build script derived, as (name, text).
macro_rules! constants_of {
    ($curve:ident) => {
        (
            stringify!($curve),
            include_str!(concat!(
                env!("OUT_DIR"),
                "/cuda/",
                stringify!($curve),
                "/curve.cuh"
            )),
        )
    };
}

macro_rules! constants_of_all {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        &[$(constants_of!($name),)* constants_of!(ed25519)]
    };
}

/// The curves of both forms, each with the text of its `curve.cuh`.
const CURVES: &[(&str, &str)] = for_each_curve!(constants_of_all!);

/// The twisted Edwards curves.
const EDWARDS_CURVES: &[&str] = &["ed25519"];

/// The placeholder for the curve in units of kernel files that do not depend on one.
pub const NO_CURVE: &str = "none";

/// Returns the kernel files of operations on a curve, except those that hash messages.
pub fn on_a_curve(curve: &str) -> Vec<&'static str> {
    let files = KERNELS.iter().map(|(file, _)| *file);
    files
        .filter(|file| !WITHOUT_CURVE.contains(file) && *file != "hash" && offers(curve, file))
        .collect()
}

/// Files that are compiled for curves of both forms.
const OF_BOTH_FORMS: &[&str] = &["buckets", "group_terms", "key_groups"];

/// Returns whether a file is compiled for a curve. Of the files that name no curves, twisted Edwards
/// curves use only those written for both forms.
fn offers(curve: &str, file: &str) -> bool {
    match curves_of(file) {
        Some(curves) => curves.contains(&curve),
        None => OF_BOTH_FORMS.contains(&file) || !EDWARDS_CURVES.contains(&curve),
    }
}

/// Returns the curves that a file is compiled for, if it names them.
fn curves_of(file: &str) -> Option<&'static [&'static str]> {
    let listed = ON_SOME_CURVES.iter().find(|(name, _)| *name == file);
    listed.map(|(_, curves)| *curves)
}

/// One compilation: a kernel file for one curve, or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The file in `cuda/kernels/`, without its extension.
    pub file: &'static str,
    /// The curve whose constants are folded in, or [`NO_CURVE`].
    pub curve: &'static str,
}

impl Unit {
    /// Returns the unit of a file for a curve. The curve is ignored if the file does not depend on
    /// one.
    pub fn of(file: &'static str, curve: &'static str) -> Self {
        Unit {
            file,
            curve: if WITHOUT_CURVE.contains(&file) {
                NO_CURVE
            } else {
                curve
            },
        }
    }

    /// Returns the text of the kernel file.
    pub fn source(&self) -> &'static str {
        find(KERNELS, self.file)
    }

    /// Returns the generated header of the curve, or nothing without a curve.
    pub fn curve_header(&self) -> &'static str {
        if self.curve == NO_CURVE {
            ""
        } else {
            find(CURVES, self.curve)
        }
    }

    /// Iterates over every kernel file for every curve, and once over files that need no curve.
    pub fn all() -> impl Iterator<Item = Unit> + Clone {
        KERNELS.iter().flat_map(|(file, _)| units_of(file))
    }
}

/// Iterates over the units of a kernel file.
fn units_of(file: &'static str) -> impl Iterator<Item = Unit> + Clone {
    let count = if WITHOUT_CURVE.contains(&file) {
        1
    } else {
        CURVES.len()
    };
    let curves = CURVES[..count]
        .iter()
        .filter(move |(curve, _)| offers(curve, file));
    curves.map(move |(curve, _)| Unit::of(file, curve))
}

fn find(list: &[(&str, &'static str)], name: &str) -> &'static str {
    list.iter()
        .find(|(entry, _)| *entry == name)
        .map(|(_, text)| *text)
        .expect("units name what is listed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_unit_is_there_once() {
        let units: Vec<Unit> = Unit::all().collect();
        assert_eq!(units.iter().collect::<HashSet<_>>().len(), units.len());
        let with_curves = KERNELS.iter().filter_map(|(file, _)| curves_of(file));
        let on_all = KERNELS.len() - WITHOUT_CURVE.len() - with_curves.clone().count();
        let of_listed: usize = with_curves.map(<[_]>::len).sum();
        let on_edwards = EDWARDS_CURVES.len() * OF_BOTH_FORMS.len();
        let on_others = (CURVES.len() - EDWARDS_CURVES.len()) * on_all;
        assert_eq!(
            units.len(),
            on_others + on_edwards + of_listed + WITHOUT_CURVE.len()
        );
        assert!(
            units
                .iter()
                .all(|unit| *unit == Unit::of(unit.file, unit.curve))
        );
    }
}
