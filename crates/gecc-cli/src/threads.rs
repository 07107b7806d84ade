//! Work that the threads of a pool share.

use rayon::ThreadPool;

/// What `work` gives for each item, in order; each item is a task of its own.
///
/// Tasks begin in the order in which they were handed in, also by several callers at a time, and none waits for another. With rayon's
/// iterators, which halve the work again and again, a thread that waits for the other half takes up what others handed in later, so
/// that all calls end when the last of them does.
pub fn map<T: Send, R: Send>(pool: &ThreadPool, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work = &work;
    pool.in_place_scope(|scope| {
        for (item, result) in items.into_iter().zip(&mut results) {
            scope.spawn(move |_| *result = Some(work(item)));
        }
    });
    results.into_iter().map(|result| result.expect("every task has run")).collect()
}

#[cfg(test)]
mod tests {
    use super::map;
    use rayon::ThreadPoolBuilder;
    use std::thread;

    #[test]
    fn results_are_in_order_also_of_several_callers() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        thread::scope(|scope| {
            for caller in 0..8_u64 {
                let pool = &pool;
                scope.spawn(move || {
                    let items: Vec<u64> = (0..1000).collect();
                    let expected: Vec<u64> = items.iter().map(|item| item * caller).collect();
                    assert_eq!(map(pool, items, |item| item * caller), expected);
                });
            }
        });
        assert!(map(&pool, Vec::<u8>::new(), |byte| byte).is_empty());
    }
}
