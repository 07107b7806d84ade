//! Names as users write them.

/// Returns whether two names differ only in case, spaces, hyphens, underscores and dots.
pub fn is_same_name(one: &str, other: &str) -> bool {
    plain(one).eq(plain(other))
}

fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).map(|c| c.to_ascii_lowercase())
}
