//! Resolves inputs to files, folders and patterns.

use super::open::is_standard_stream;
use crate::messages::{path_error, shown_path, warn};
#[cfg(feature = "chains")]
use crate::standard_streams;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the input files in order. A folder stands for the regular files in it and in its
/// subfolders, sorted by name, except names that begin with a dot or, as in Spark, Hive and Arrow,
/// with `_`: these are markers, logs and unfinished files. Links are followed, and each folder is
/// entered once. A pattern (`*`, `?`, `[…]`) that is not the name of a file stands for its matches.
///
/// # Errors
/// Returns an error if a file does not exist, a folder cannot be read or contains no file, or a
/// pattern has no match.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let mut listing = Listing {
                    entered: HashSet::new(),
                    found,
                    passed: None,
                };
                listing.enter(path)?;
                if let Some(passed) = listing.passed {
                    warn(&format!(
                        "{} is not read, as its name begins with _",
                        shown_path(&passed)
                    ));
                }
                found = listing.found;
                if found.len() == before {
                    return Err(path_error(path, "there is no file in the folder"));
                }
            }
            Err(_) if !is_standard_stream(path) && is_pattern(path) => {
                found.extend(matches_of(path)?.into_iter().filter(|path| path.is_file()));
                if found.len() == before {
                    return Err(path_error(path, "the pattern matches no file"));
                }
            }
            Err(problem) if !is_standard_stream(path) => return Err(path_error(path, problem)),
            _ => found.push(path.clone()),
        }
    }
    Ok(found)
}

/// Returns the total size of some files, if all sizes are known: pipes have none.
pub fn bytes_of(paths: &[PathBuf]) -> Option<u64> {
    paths.iter().map(|path| file_size(path)).sum()
}

fn file_size(path: &Path) -> Option<u64> {
    let metadata = fs::metadata(path).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// Expands patterns, and replaces `-` by the device of standard input. Folders are kept.
///
/// # Errors
/// Returns an error if a pattern has no match.
#[cfg(feature = "chains")]
pub fn without_patterns(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        match () {
            () if is_standard_stream(path) => {
                standard_streams::require_input()?;
                all.push(PathBuf::from("/dev/stdin"));
            }
            () if is_pattern(path) && !path.exists() => all.extend(matches_of(path)?),
            () => all.push(path.clone()),
        }
    }
    Ok(all)
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

fn matches_of(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let text = pattern
        .to_str()
        .ok_or_else(|| path_error(pattern, "a pattern is UTF-8"))?;
    let matches = glob::glob(text).map_err(|problem| path_error(pattern, problem))?;
    let matches = matches
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(|problem| problem.to_string())?;
    if let Some(path) = passed_over(pattern) {
        return Err(path_error(
            &path,
            "a pattern cannot match a name that is not UTF-8: name its folder",
        ));
    }
    if matches.is_empty() {
        Err(path_error(pattern, "the pattern matches no file"))
    } else {
        Ok(matches)
    }
}

/// Returns a file or folder that the pattern would match if its name were UTF-8. `glob` skips such
/// names silently.
fn passed_over(pattern: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if is_pattern(name.as_ref().as_ref()) {
            let names = glob::Pattern::new(&name).ok()?;
            let folders = if folder.as_os_str().is_empty() {
                ".".into()
            } else {
                folder.to_string_lossy()
            };
            let found = glob::glob(&folders)
                .ok()?
                .flatten()
                .filter_map(|folder| fs::read_dir(folder).ok())
                .flatten();
            for entry in found.flatten() {
                let name = entry.file_name();
                if name.to_str().is_none() && names.matches(&name.to_string_lossy()) {
                    return Some(entry.path());
                }
            }
        }
        folder.push(part);
    }
    None
}

/// The state of a recursive listing of a folder.
struct Listing {
    /// The folders entered so far, with links resolved.
    entered: HashSet<PathBuf>,
    found: Vec<PathBuf>,
    /// The first skipped file that may have rows.
    passed: Option<PathBuf>,
}

impl Listing {
    fn enter(&mut self, folder: &Path) -> Result<(), String> {
        // A link may form a cycle.
        let resolved = folder
            .canonicalize()
            .map_err(|problem| path_error(folder, problem))?;
        if !self.entered.insert(resolved) {
            return Ok(());
        }
        for path in entries_of(folder).map_err(|problem| path_error(folder, problem))? {
            self.add(path)?;
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf) -> Result<(), String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('_') && name != "_SUCCESS" {
            self.passed.get_or_insert_with(|| path.clone());
        }
        if name.starts_with(['.', '_']) {
            return Ok(());
        }
        let metadata = fs::metadata(&path).map_err(|problem| path_error(&path, problem))?;
        if metadata.is_dir() {
            self.enter(&path)?;
        } else if metadata.is_file() {
            self.found.push(path);
        }
        Ok(())
    }
}

/// Returns the entries of a folder, sorted by name.
fn entries_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    entries.sort_unstable();
    Ok(entries)
}
