//! Searches memory for secrets: blocks of the heap as they are freed, and all memory of the
//! process.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

/// The allocator of a test binary. While secrets are watched, it searches every block that is freed
/// or moved.
pub struct Searching;

/// Blocks that held a secret when they were freed, and the bytes of the first.
static FOUND: AtomicUsize = AtomicUsize::new(0);
static FIRST: AtomicUsize = AtomicUsize::new(0);
/// The words that blocks are searched for; null while they are not searched.
static WORDS: AtomicPtr<Words> = AtomicPtr::new(std::ptr::null_mut());
/// Threads that may have that pointer.
static LOOKERS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all memory comes from the system's allocator, with the layouts of the caller.
unsafe impl GlobalAlloc for Searching {
    // Zeros: the contents of a block were written there since, and not by the previous owner of the
    // memory.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        look_through(block, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    // `realloc` is the default: a new block, a copy, and `dealloc` of the old one, so that every
    // old block is looked through.
}

/// Searches a block, and counts it if it holds a secret.
fn look_through(block: *const u8, size: usize) {
    if WORDS.load(Ordering::Relaxed).is_null() {
        return;
    }
    LOOKERS.fetch_add(1, Ordering::SeqCst);
    // SAFETY: the words stay in place as long as a thread that may have the pointer is counted
    // (`Looking`).
    let words = unsafe { WORDS.load(Ordering::SeqCst).as_ref() };
    // SAFETY: the block belongs to the caller, which is about to free it.
    let byte = |at: usize| unsafe { block.add(at).read_volatile() };
    if words.is_some_and(|words| words.position(size, byte).is_some())
        && FOUND.fetch_add(1, Ordering::Relaxed) == 0
    {
        FIRST.store(size, Ordering::Relaxed);
    }
    LOOKERS.fetch_sub(1, Ordering::SeqCst);
}

/// While it exists, blocks are searched for words.
struct Looking<'a>(PhantomData<&'a Words>);

impl<'a> Looking<'a> {
    fn begin(words: &'a Words) -> Self {
        FOUND.store(0, Ordering::Relaxed);
        WORDS.store(std::ptr::from_ref(words).cast_mut(), Ordering::SeqCst);
        Looking(PhantomData)
    }
}

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        WORDS.store(std::ptr::null_mut(), Ordering::SeqCst);
        while LOOKERS.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
    }
}

/// Words of secrets.
struct Words {
    masked: HashSet<u64>,
    /// A bit set over some bits of a word, which rules out nearly all other words.
    filter: Vec<u64>,
}

const MASK: u64 = 0x9e37_79b9_7f4a_7c15;
const FILTER_BITS: u32 = 22;

impl Words {
    fn new() -> Self {
        Words {
            masked: HashSet::new(),
            filter: vec![0; 1 << (FILTER_BITS - 6)],
        }
    }

    fn place(masked: u64) -> (usize, u64) {
        let hash = (masked ^ masked >> 32) & ((1 << FILTER_BITS) - 1);
        ((hash >> 6) as usize, 1 << (hash & 63))
    }

    fn add(&mut self, masked: u64) {
        let (index, bit) = Words::place(masked);
        self.filter[index] |= bit;
        self.masked.insert(masked);
    }

    fn has(&self, masked: u64) -> bool {
        let (index, bit) = Words::place(masked);
        self.filter[index] & bit != 0 && self.masked.contains(&masked)
    }

    fn masked(word: u64) -> u64 {
        word ^ MASK
    }

    /// The mask of sixteen digits, which encode one word.
    fn masked_digits(digits: u128) -> u64 {
        (((digits >> 64) as u64).rotate_left(23) ^ (digits as u64).wrapping_mul(MASK))
            .wrapping_mul(MASK)
    }

    /// The position of a secret's first word among `bytes` bytes.
    fn position(&self, bytes: usize, byte: impl Fn(usize) -> u8) -> Option<usize> {
        let mut last = 0;
        for at in 0..bytes {
            last = last >> 8 | u128::from(byte(at)) << 120;
            if at >= 7 && self.has(Words::masked((last >> 64) as u64)) {
                return Some(at - 7);
            }
            if at >= 15 && self.has(Words::masked_digits(last)) {
                return Some(at - 15);
            }
        }
        None
    }

    /// The positions of secrets' words in memory, of which most pages are zeros.
    fn positions(&self, memory: &[u8]) -> Vec<usize> {
        const PAGE: usize = 1 << 12;
        let mut positions = Vec::new();
        for page in (0..memory.len()).step_by(PAGE) {
            let end = memory.len().min(page + PAGE);
            if memory[page..end] == [0; PAGE][..end - page] {
                continue;
            }
            // A match may begin on the page before.
            let mut from = page.saturating_sub(15);
            while let Some(at) = self.position(end - from, |at| memory[from + at]) {
                positions.push(from + at);
                from += at + 8;
            }
        }
        positions
    }
}

/// Makes searching tests take turns, so that one's blocks are not counted for another.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A failed test does not affect the state that others need.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Secrets to search for.
pub struct Watch(Words);

impl Watch {
    pub fn new() -> Self {
        Watch(Words::new())
    }

    /// Adds a secret of 8 bytes or more, most significant first.
    pub fn add(&mut self, secret: &[u8]) {
        assert!(
            secret.len() >= 8 && secret.len().is_multiple_of(8),
            "a secret is whole words"
        );
        for word in secret.chunks_exact(8) {
            let word = u64::from_le_bytes(word.try_into().expect("8 bytes"));
            self.0.add(Words::masked(word));
            self.0.add(Words::masked(word.swap_bytes()));
        }
    }

    /// Adds hexadecimal digits, sixteen for each word.
    pub fn add_digits(&mut self, digits: &str) {
        assert!(
            digits.len() >= 16 && digits.len().is_multiple_of(16),
            "a secret is whole words"
        );
        for digits in digits.as_bytes().chunks_exact(16) {
            self.0.add(Words::masked_digits(u128::from_le_bytes(
                digits.try_into().expect("16 bytes"),
            )));
        }
    }

    /// Does `work`, and requires that no block that it frees holds a secret.
    #[track_caller]
    pub fn freed_blocks(&self, name: &str, work: impl FnOnce()) {
        let (found, first) = self.count_freed_blocks(work);
        assert!(
            found == 0,
            "{name}: {found} freed blocks hold secrets, the first has {first} bytes"
        );
    }

    /// Does `work`; returns the number of freed blocks that held a secret, and the bytes of the
    /// first.
    pub fn count_freed_blocks(&self, work: impl FnOnce()) -> (usize, usize) {
        // Values with padding copy bytes of the stack to the heap.
        overwrite_stack();
        let looking = Looking::begin(&self.0);
        work();
        drop(looking);
        (FOUND.load(Ordering::Relaxed), FIRST.load(Ordering::Relaxed))
    }

    /// Places in the memory of this process that hold a secret, except in `known`: each with the
    /// system's name of the mapping. Mappings of more than `largest` bytes are left out, and so are
    /// those that cannot be read.
    #[cfg(target_os = "linux")]
    pub fn places(&self, known: &[Range<usize>], largest: usize) -> Vec<(usize, String)> {
        use std::os::unix::fs::FileExt;
        let memory = std::fs::File::open("/proc/self/mem").expect("a process may read itself");
        let mut part = vec![0; 1 << 20];
        let own = part.as_ptr() as usize..part.as_ptr() as usize + part.len();
        let mut places = Vec::new();
        for (range, name) in writable_memory()
            .into_iter()
            .filter(|(range, _)| range.len() <= largest)
        {
            let mut start = range.start;
            while start < range.end {
                let length = part.len().min(range.end - start);
                if memory
                    .read_exact_at(&mut part[..length], start as u64)
                    .is_err()
                {
                    break;
                }
                for place in self.0.positions(&part[..length]) {
                    let address = start + place;
                    if !known
                        .iter()
                        .chain([&own])
                        .any(|known| known.contains(&address))
                    {
                        places.push((address, name.clone()));
                    }
                }
                // A match may begin before the end of a part.
                start += if length < part.len() {
                    length
                } else {
                    length - 15
                };
            }
        }
        places
    }
}

/// Overwrites the remains of earlier calls on the stack of this thread.
#[inline(never)]
fn overwrite_stack() {
    std::hint::black_box(&mut [0u8; 1 << 18]);
}

/// Does `work` on a thread of its own, and then `look` while that thread stands still with
/// everything that `work` left on its stack.
pub fn with_stack_kept<R>(work: impl FnOnce() + Send, look: impl FnOnce() -> R) -> R {
    let done = Barrier::new(2);
    let looked = Barrier::new(2);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = catch_unwind(AssertUnwindSafe(|| below(work)));
            done.wait();
            looked.wait();
            outcome
        });
        done.wait();
        let seen = catch_unwind(AssertUnwindSafe(look));
        looked.wait();
        let outcome = worker.join().expect("it panics in `work` alone");
        outcome
            .and(seen)
            .unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Does `work` so far below the caller's frame that later calls of the caller do not overwrite the
/// remains of `work`.
#[inline(never)]
fn below<R>(work: impl FnOnce() -> R) -> R {
    let mut room = [0u8; 1 << 13];
    std::hint::black_box(&mut room);
    let result = work();
    std::hint::black_box(&mut room);
    result
}

/// Returns the result of `make` without leaving remains of it on any stack.
pub fn prepared<R: Send>(make: impl FnOnce() -> R + Send) -> R {
    let result = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let made = below(make);
            overwrite_stack();
            made
        });
        thread.join()
    });
    result.expect("inputs can be made")
}

/// A limit that includes every mapping.
pub const ALL: usize = usize::MAX;
/// Larger than any stack, and smaller than the mappings that would make a search take long: large
/// tables and most of the heap.
pub const STACKS: usize = 16 << 20;

/// The mappings that the process can write to, and the system's names of them.
#[cfg(target_os = "linux")]
fn writable_memory() -> Vec<(Range<usize>, String)> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a process may read itself");
    maps.lines().filter_map(writable_mapping).collect()
}

#[cfg(target_os = "linux")]
fn writable_mapping(line: &str) -> Option<(Range<usize>, String)> {
    let mut columns = line.split_whitespace();
    let (start, end) = columns.next()?.split_once('-')?;
    let [start, end] =
        [start, end].map(|digits| usize::from_str_radix(digits, 16).expect("an address"));
    let writable = columns.next()?.starts_with("rw");
    writable.then(|| (start..end, columns.nth(3).unwrap_or("").to_owned()))
}
