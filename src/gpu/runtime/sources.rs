//! The device code, embedded in the crate.

include!(concat!(env!("OUT_DIR"), "/device_sources.rs"));

/// What stands for the curve in units of kernel files that need none.
pub const NO_CURVE: &str = "none";

/// What the public operations on a curve are made of.
pub const OF_OPERATIONS: &[&str] = &[
    "address",
    "equations",
    "fpmul",
    "key_groups",
    "key_tables",
    "layout",
    "nonces",
    "normalize",
    "point_add",
    "point_sum",
    "recover",
    "results",
    "sign",
    "table",
    "upmul",
    "verify",
];

/// One compilation: a kernel file for one curve, or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The file in `cuda/kernels/` or `cuda/lab/`, without its extension.
    pub file: &'static str,
    /// The curve whose constants are folded in, or [`NO_CURVE`].
    pub curve: &'static str,
}

impl Unit {
    /// A file for a curve; the curve does not matter where the file needs none.
    pub fn of(file: &'static str, curve: &'static str) -> Self {
        Unit { file, curve: if WITHOUT_CURVE.contains(&file) { NO_CURVE } else { curve } }
    }

    /// Those of the public operations.
    pub fn of_operations() -> impl Iterator<Item = Unit> + Clone {
        const OTHERS: &[&str] = &["hash", "modexp", "mul_mod", "rows"];
        Unit::all().filter(|unit| OF_OPERATIONS.contains(&unit.file) || OTHERS.contains(&unit.file))
    }

    /// The text of the kernel file.
    pub fn source(&self) -> &'static str {
        find(KERNELS, self.file)
    }

    /// The generated header of the curve; nothing where there is none.
    pub fn curve_header(&self) -> &'static str {
        if self.curve == NO_CURVE { "" } else { find(CURVES, self.curve) }
    }

    /// Every kernel file for every curve, those that need none once.
    pub fn all() -> impl Iterator<Item = Unit> + Clone {
        let of = |file| {
            let count = if WITHOUT_CURVE.contains(&file) { 1 } else { CURVES.len() };
            CURVES[..count].iter().map(move |(curve, _)| Unit::of(file, curve))
        };
        KERNELS.iter().flat_map(move |(file, _)| of(file))
    }
}

fn find(list: &[(&str, &'static str)], name: &str) -> &'static str {
    list.iter().find(|(entry, _)| *entry == name).map(|(_, text)| *text).expect("units name what build.rs listed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The headers that a text includes, and those that they include.
    fn add_headers(text: &'static str, found: &mut HashSet<&'static str>) {
        for header in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
            if found.insert(header) && header != "curve.cuh" {
                add_headers(find(HEADERS, header), found);
            }
        }
    }

    #[test]
    fn files_without_a_curve_include_none() {
        for (file, text) in KERNELS {
            let mut headers = HashSet::new();
            add_headers(text, &mut headers);
            // A file that needs no curve is compiled once; one that needs a curve cannot be without it.
            assert_eq!(headers.contains("curve.cuh"), !WITHOUT_CURVE.contains(file), "{file}");
        }
    }

    #[test]
    fn every_unit_is_there_once() {
        let units: Vec<Unit> = Unit::all().collect();
        assert_eq!(units.iter().collect::<HashSet<_>>().len(), units.len());
        assert_eq!(units.len(), CURVES.len() * (KERNELS.len() - WITHOUT_CURVE.len()) + WITHOUT_CURVE.len());
        assert!(units.iter().all(|unit| *unit == Unit::of(unit.file, unit.curve)));
    }
}
