//! Resolves inputs to files: files, folders and patterns.

use super::open::is_standard_stream;
use crate::say::{shown_path, warn};
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
        let named = |problem: String| format!("{}: {problem}", shown_path(path));
        let before = found.len();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let mut walk = Walk { entered: HashSet::new(), found, passed: None };
                walk.enter(path)?;
                if let Some(passed) = walk.passed {
                    warn(&format!("{} is not read, as its name begins with _", shown_path(&passed)));
                }
                found = walk.found;
                if found.len() == before {
                    return Err(named("there is no file in the folder".to_owned()));
                }
            }
            Err(_) if !is_standard_stream(path) && is_pattern(path) => {
                found.extend(matches_of(path)?.into_iter().filter(|path| path.is_file()));
                if found.len() == before {
                    return Err(named("the pattern matches no file".to_owned()));
                }
            }
            Err(problem) if !is_standard_stream(path) => return Err(named(problem.to_string())),
            _ => found.push(path.clone()),
        }
    }
    Ok(found)
}

/// Returns the total size of some files, if all sizes are known: pipes have none.
pub fn bytes_of(paths: &[PathBuf]) -> Option<u64> {
    let bytes = |path: &PathBuf| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    paths.iter().map(bytes).sum()
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
    let named = |problem: &str| format!("{}: {problem}", shown_path(pattern));
    let text = pattern.to_str().ok_or_else(|| named("a pattern is UTF-8"))?;
    let matches = glob::glob(text).map_err(|problem| named(&problem.to_string()))?;
    let matches = matches.collect::<Result<Vec<PathBuf>, _>>().map_err(|problem| problem.to_string())?;
    if let Some(path) = passed_over(pattern) {
        return Err(format!("{}: a pattern cannot match a name that is not UTF-8: name its folder", shown_path(&path)));
    }
    if matches.is_empty() { Err(named("the pattern matches no file")) } else { Ok(matches) }
}

/// Returns a file or folder that the pattern would match if its name were UTF-8. `glob` skips such
/// names silently.
fn passed_over(pattern: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if is_pattern(name.as_ref().as_ref()) {
            let names = glob::Pattern::new(&name).ok()?;
            let folders = if folder.as_os_str().is_empty() { ".".into() } else { folder.to_string_lossy() };
            let found = glob::glob(&folders).ok()?.flatten().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
            let is_passed_over = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default();
                name.to_str().is_none() && names.matches(&name.to_string_lossy())
            };
            if let Some(path) = found.flatten().map(|entry| entry.path()).find(is_passed_over) {
                return Some(path);
            }
        }
        folder.push(part);
    }
    None
}

/// The state of a recursive listing of a folder.
struct Walk {
    /// The folders entered so far, with links resolved.
    entered: HashSet<PathBuf>,
    found: Vec<PathBuf>,
    /// The first skipped file that may have rows.
    passed: Option<PathBuf>,
}

impl Walk {
    fn enter(&mut self, folder: &Path) -> Result<(), String> {
        let named = |problem: io::Error| format!("{}: {problem}", shown_path(folder));
        // A link may form a cycle.
        if !self.entered.insert(folder.canonicalize().map_err(named)?) {
            return Ok(());
        }
        let entries = fs::read_dir(folder).map_err(named)?.map(|entry| entry.map(|entry| entry.path()));
        let mut inside = entries.collect::<io::Result<Vec<PathBuf>>>().map_err(named)?;
        inside.sort_unstable();
        for path in inside {
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
        let metadata = fs::metadata(&path).map_err(|problem| format!("{}: {problem}", shown_path(&path)))?;
        if metadata.is_dir() {
            self.enter(&path)?;
        } else if metadata.is_file() {
            self.found.push(path);
        }
        Ok(())
    }
}
