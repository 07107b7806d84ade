//! Kernels that were installed with this program.

use gecc::{Engine, EngineBuilder, kernels};
use std::env;
use std::path::{Path, PathBuf};

/// Where they lie, seen from the folder of the program: in one folder with it, and as in `/usr/local`.
const PLACES: [&str; 2] = ["kernels", "../lib/gecc/kernels"];

/// An engine that uses them.
pub fn engine() -> EngineBuilder {
    match packs() {
        Some(folder) => Engine::builder().kernels(folder),
        None => Engine::builder(),
    }
}

/// The folder of packs: that of the environment, which an empty value turns off, or the first beside the program that has any.
pub fn packs() -> Option<PathBuf> {
    if env::var_os("GECC_KERNELS").is_some() {
        return kernels::packs_folder();
    }
    beside(env::current_exe().ok()?.parent()?)
}

fn beside(program: &Path) -> Option<PathBuf> {
    PLACES.map(|place| program.join(place)).into_iter().find(|folder| !kernels::packs_in(folder).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn packs_are_found_beside_the_program() {
        let installed = tempfile::tempdir().unwrap();
        let program = installed.path().join("bin");
        let places = [installed.path().join("lib/gecc/kernels"), program.join("kernels")];
        fs::create_dir_all(&program).unwrap();
        assert_eq!(beside(&program), None);
        // What is in the program's own folder goes first; a folder without packs does not count.
        for (place, wanted) in places.iter().zip(["bin/../lib/gecc/kernels", "bin/kernels"]) {
            fs::create_dir_all(place).unwrap();
            fs::write(place.join("README"), "").unwrap();
            assert_ne!(beside(&program), Some(installed.path().join(wanted)));
            fs::write(place.join("sm_90.gecckernels"), "").unwrap();
            assert_eq!(beside(&program), Some(installed.path().join(wanted)));
        }
    }
}
