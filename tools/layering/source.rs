//! The modules of the crate in `src/`, with the paths that they name. Code for tests only is left
//! out.
//!
//! Read line by line: the sources are formatted by rustfmt, so that the indentation shows where an
//! item ends.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Modules by their paths, such as `gpu::runtime`. The crate's root is the empty path.
#[derive(Default)]
pub struct Sources(BTreeMap<String, Module>);

/// The references of a module to others.
#[derive(Default)]
struct Module {
    /// Names that `use` binds to paths; a glob has the name `*`.
    imports: Vec<(String, String)>,
    /// Paths in the code itself.
    mentions: Vec<String>,
}

impl Sources {
    /// Follows `mod` from the crate's root.
    pub fn of_crate(root: &Path) -> Self {
        let mut sources = Sources::default();
        sources.read_file("", root);
        sources
    }

    fn read_file(&mut self, module: &str, file: &Path) {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        for (name, path) in self.add(module, &text) {
            // A file called mod.rs or lib.rs is its folder.
            let is_folder = file
                .file_stem()
                .is_some_and(|stem| ["mod", "lib", "main"].iter().any(|name| stem == *name));
            let folder = if is_folder {
                file.with_file_name("")
            } else {
                file.with_extension("")
            };
            let places = match path {
                Some(path) => vec![file.with_file_name(path)],
                None => vec![
                    folder.join(format!("{name}.rs")),
                    folder.join(&name).join("mod.rs"),
                ],
            };
            let place: Vec<PathBuf> = places.into_iter().filter(|place| place.is_file()).collect();
            assert_eq!(place.len(), 1, "one file for {name} of {}", file.display());
            self.read_file(&join(module, &name), &place[0]);
        }
    }

    /// Takes a module's text. Returns the modules that it declares and that are in other files,
    /// with the files that it names for them.
    pub fn add(&mut self, module: &str, text: &str) -> Vec<(String, Option<String>)> {
        let mut declared = Vec::new();
        let mut path = None;
        // The module that a line is in, and the indentation of each that is inline in this text.
        let mut here = module.to_owned();
        let mut inline = Vec::new();
        let mut statement = String::new();
        self.0.entry(here.clone()).or_default();
        for line in lines_without_tests(text) {
            let trimmed = line.trim();
            let indentation = indentation(&line);
            if inline.last() == Some(&indentation) && trimmed == "}" {
                inline.pop();
                here = parent(&here).to_owned();
            } else if let Some(name) = after_visibility(trimmed).strip_prefix("mod ") {
                if let Some(name) = name.strip_suffix(';') {
                    declared.push((name.to_owned(), path.take()));
                } else if let Some(name) = name.strip_suffix(" {") {
                    here = join(&here, name);
                    inline.push(indentation);
                    self.0.entry(here.clone()).or_default();
                }
            } else if let Some(file) = trimmed.strip_prefix("#[path = \"") {
                path = file.strip_suffix("\"]").map(str::to_owned);
            } else if !statement.is_empty() || after_visibility(trimmed).starts_with("use ") {
                statement.push_str(after_visibility(trimmed));
                if statement.ends_with(';') {
                    let tree = statement["use ".len()..].trim_end_matches(';').to_owned();
                    self.module(&here).imports.extend(imports(&tree));
                    statement.clear();
                }
            } else {
                self.module(&here).mentions.extend(mentions(&line));
            }
        }
        declared
    }

    fn module(&mut self, path: &str) -> &mut Module {
        self.0.get_mut(path).expect("it was added")
    }

    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .map(String::as_str)
            .filter(|module| !module.is_empty())
    }

    /// The modules that a module uses, each with a path that it names for it.
    pub fn uses(&self, module: &str) -> BTreeMap<String, String> {
        let Module { imports, mentions } = &self.0[module];
        let mut uses = BTreeMap::new();
        for path in imports.iter().map(|(_, path)| path).chain(mentions) {
            let mut used = Vec::new();
            self.resolve(module, path, &mut HashSet::new(), &mut used);
            uses.extend(
                used.into_iter()
                    .filter(|used| used != module)
                    .map(|used| (used, path.clone())),
            );
        }
        uses
    }

    /// Finds an item by a path to it from a module: adds the module that defines it, and before
    /// that each one that re-exports it. Adds nothing for items outside the crate.
    fn resolve(
        &self,
        from: &str,
        path: &str,
        tried: &mut HashSet<(String, String)>,
        used: &mut Vec<String>,
    ) {
        if !tried.insert((from.to_owned(), path.to_owned())) {
            return;
        }
        let mut segments = path.split("::");
        let mut here = match segments.next() {
            Some("crate") => String::new(),
            Some("super") => parent(from).to_owned(),
            Some("self") => from.to_owned(),
            Some(name) if self.0.contains_key(&join(from, name)) => join(from, name),
            Some(name) => {
                // In scope by an import, or else a crate or a type. `use name::name` refers to a
                // crate of that name.
                let rest: Vec<&str> = segments.collect();
                for (_, to) in self.0[from]
                    .imports
                    .iter()
                    .filter(|(import, _)| import == name)
                {
                    if to.split("::").next() == Some(name) {
                        continue;
                    }
                    self.resolve(
                        from,
                        &[&[to.as_str()], &rest[..]].concat().join("::"),
                        tried,
                        used,
                    );
                }
                return;
            }
            None => return,
        };
        while let Some(name) = segments.next() {
            if name == "super" {
                here = parent(&here).to_owned();
            } else if self.0.contains_key(&join(&here, name)) {
                here = join(&here, name);
            } else {
                let rest: Vec<&str> = segments.collect();
                for (_, to) in self.0[&here]
                    .imports
                    .iter()
                    .filter(|(import, _)| import == name)
                {
                    let path = [&[to.as_str()], &rest[..]].concat().join("::");
                    self.resolve(&here, &path, tried, used);
                }
                break;
            }
        }
        used.push(here);
    }
}

pub fn join(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}::{name}")
    }
}

pub fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

/// The lines of code, without comments and without the items of tests.
fn lines_without_tests(text: &str) -> Vec<String> {
    let mut lines = text
        .lines()
        .map(without_comment)
        .filter(|line| !line.trim().is_empty());
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        if !["#[cfg(test)]", "#[cfg(all(test"]
            .iter()
            .any(|test| line.trim().starts_with(test))
        {
            kept.push(line);
            continue;
        }
        // Skips to the end of the item.
        lines.find(|next| {
            indentation(next) == indentation(&line) && next.ends_with(['}', ';', ','])
        });
    }
    kept
}

fn without_comment(line: &str) -> String {
    let comment = line
        .match_indices("//")
        .map(|(at, _)| at)
        .find(|at| line[..*at].matches('"').count().is_multiple_of(2));
    line[..comment.unwrap_or(line.len())].trim_end().to_owned()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The rest of a line after `pub` or the like.
fn after_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    let rest = rest
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map_or(rest, |(_, rest)| rest);
    rest.strip_prefix(' ').unwrap_or(line)
}

/// The names of a `use` tree with their paths.
fn imports(tree: &str) -> Vec<(String, String)> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, last(tree)));
        return vec![(name.to_owned(), path.to_owned())];
    };
    let inside = rest.strip_suffix('}').expect("rustfmt balances braces");
    let mut all = Vec::new();
    for (name, path) in branches(inside).into_iter().flat_map(imports) {
        // The prefix itself.
        if path == "self" {
            let module = prefix.trim_end_matches("::");
            all.push((
                if name == "self" {
                    last(module).to_owned()
                } else {
                    name
                },
                module.to_owned(),
            ));
        } else {
            all.push((name, format!("{prefix}{path}")));
        }
    }
    all
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().expect("a split has a part")
}

/// The parts between commas that are not in braces.
fn branches(inside: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut branches = Vec::new();
    for (at, character) in inside.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&inside[start..]);
    branches
        .into_iter()
        .map(str::trim)
        .filter(|branch| !branch.is_empty())
        .collect()
}

/// The paths in a line of code.
fn mentions(line: &str) -> Vec<String> {
    let words = line.split(|character: char| {
        !character.is_alphanumeric() && character != '_' && character != ':'
    });
    let words = words.map(|word| word.trim_end_matches(':'));
    words
        .filter(|word| word.contains("::") && !word.starts_with(':'))
        .map(str::to_owned)
        .collect()
}
