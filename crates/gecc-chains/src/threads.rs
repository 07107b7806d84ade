//! Work that the threads of a pool share.

use rayon::ThreadPool;

/// What `work` gives for each item, in order; each item is a task of its own, and tasks begin in the order in which they
/// were handed in.
pub fn map<T: Send, R: Send>(
    pool: &ThreadPool,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.into_iter().collect();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work = &work;
    pool.in_place_scope(|scope| {
        for (item, result) in items.into_iter().zip(&mut results) {
            scope.spawn(move |_| *result = Some(work(item)));
        }
    });
    results.into_iter().map(|result| result.expect("every task has run")).collect()
}

/// Parts of some rows, one behind the other, of so many each.
pub fn split<T>(rows: &mut [T], counts: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    let mut rest = rows;
    counts.into_iter().map(move |count| rest.split_off_mut(..count).expect("as many rows as all parts have"))
}
