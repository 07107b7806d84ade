//! Kernels that are installed with this program.

use gecc::{Engine, EngineBuilder, kernels};
use std::env;
use std::path::{Path, PathBuf};

/// The folders of kernel packs, relative to the program's folder: next to it, and as in
/// `/usr/local`.
const PLACES: [&str; 2] = ["kernels", "../lib/gecc/kernels"];

/// Returns a builder for an engine that uses the installed kernels.
///
/// # Errors
/// Returns the errors of [`packs`].
pub fn engine() -> Result<EngineBuilder, String> {
    Ok(match packs()? {
        Some(folder) => Engine::builder().kernels(folder),
        None => Engine::builder(),
    })
}

/// Returns the folder of kernel packs: the one named in the environment, where an empty value
/// disables packs, or the first folder near the program that contains any.
///
/// # Errors
/// Returns an error if the environment names a folder without packs.
pub fn packs() -> Result<Option<PathBuf>, String> {
    if env::var_os("GECC_KERNELS").is_some() {
        return match kernels::packs_folder() {
            Some(folder) if kernels::packs_in(&folder).is_empty() => Err(format!(
                "GECC_KERNELS names {}, which contains no pack of kernels",
                crate::messages::shown_path(&folder)
            )),
            folder => Ok(folder),
        };
    }
    let program = env::current_exe().ok();
    Ok(program
        .as_deref()
        .and_then(Path::parent)
        .and_then(folder_for))
}

fn folder_for(program: &Path) -> Option<PathBuf> {
    PLACES
        .map(|place| program.join(place))
        .into_iter()
        .find(|folder| !kernels::packs_in(folder).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn packs_are_found_next_to_the_program() {
        let installed = tempfile::tempdir().unwrap();
        let program = installed.path().join("bin");
        let places = [
            installed.path().join("lib/gecc/kernels"),
            program.join("kernels"),
        ];
        fs::create_dir_all(&program).unwrap();
        assert_eq!(folder_for(&program), None);
        // The program's own folder takes precedence; a folder without packs is ignored.
        for (place, wanted) in places
            .iter()
            .zip(["bin/../lib/gecc/kernels", "bin/kernels"])
        {
            fs::create_dir_all(place).unwrap();
            fs::write(place.join("README"), "").unwrap();
            assert_ne!(folder_for(&program), Some(installed.path().join(wanted)));
            fs::write(place.join("sm_90.gecckernels"), "").unwrap();
            assert_eq!(folder_for(&program), Some(installed.path().join(wanted)));
        }
    }
}
