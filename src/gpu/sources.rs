//! The device code, embedded in the crate.

include!(concat!(env!("OUT_DIR"), "/device_sources.rs"));

/// One compilation: a kernel file for one curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The file in `cuda/kernels/`, without its extension.
    pub file: &'static str,
    /// The curve whose constants are folded in.
    pub curve: &'static str,
}

impl Unit {
    /// The text of the kernel file.
    pub fn source(&self) -> &'static str {
        find(KERNELS, self.file)
    }

    /// The generated header of the curve.
    pub fn curve_header(&self) -> &'static str {
        find(CURVES, self.curve)
    }

    /// Every kernel file for every curve.
    pub fn all() -> impl Iterator<Item = Unit> {
        CURVES.iter().flat_map(|(curve, _)| KERNELS.iter().map(move |(file, _)| Unit { file, curve }))
    }
}

fn find(list: &[(&str, &'static str)], name: &str) -> &'static str {
    list.iter().find(|(entry, _)| *entry == name).map(|(_, text)| *text).expect("units name what build.rs listed")
}
