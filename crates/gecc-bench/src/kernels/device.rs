//! The first GPU: a stream on which every kernel is timed, batches of numbers, and durations.

use gecc::Error;
use gecc::lab::{Bytes, Device, DeviceCache, Fault, Limits, Plan, StreamSlot, count};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of runs whose median is taken, after a warm-up run.
const RUNS: usize = 5;
/// The byte that fills outputs before a kernel runs.
pub const POISON: u8 = 0xa5;

/// A device with its tables.
type Opened = (Arc<Device>, Arc<DeviceCache>);

/// Opens a stream slot of the first GPU on which every kernel is timed. Devices are kept, so that
/// their kernels are loaded once per process.
pub fn open(l2_persistence: bool) -> Result<StreamSlot, Error> {
    static OPEN: Mutex<[Option<Opened>; 2]> = Mutex::new([None, None]);
    let opened =
        &mut OPEN.lock().unwrap_or_else(PoisonError::into_inner)[usize::from(l2_persistence)];
    if opened.is_none() {
        count().map_err(Error::NoDevice)?;
        let limits = Limits {
            time_kernels: true,
            l2_persistence,
            ..Limits::default()
        };
        *opened = Some((Arc::new(Device::open(0, &limits)?), Arc::default()));
    }
    let (device, kept) = opened.clone().expect("opened above");
    Ok(StreamSlot::new(device, kept)?)
}

/// Starts a chunk of `items` items, with the buffers returned by `plan`.
pub fn begin<B>(
    slot: &mut StreamSlot,
    items: usize,
    plan: impl Fn(&mut Plan) -> B,
) -> Result<B, Fault> {
    Ok(slot.begin((items, false), Bytes::default(), false, plan)?.0)
}

/// Returns the total seconds of all kernels started by `launch`.
pub fn seconds(
    slot: &mut StreamSlot,
    launch: impl FnOnce(&mut StreamSlot) -> Result<(), Fault>,
) -> Result<f64, Fault> {
    collect(slot)?;
    launch(slot)?;
    collect(slot)
}

/// Returns the median of several runs, each after `prepare`, which is not timed.
pub fn median(
    slot: &mut StreamSlot,
    prepare: impl Fn(&mut StreamSlot) -> Result<(), Fault>,
    launch: impl Fn(&mut StreamSlot) -> Result<(), Fault>,
) -> Result<f64, Fault> {
    median_of(|| {
        prepare(slot)?;
        seconds(slot, &launch)
    })
}

/// Returns the median of several runs, after one that is not counted.
pub fn median_of<E>(mut run: impl FnMut() -> Result<f64, E>) -> Result<f64, E> {
    run()?;
    let mut times = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

/// Waits for the started work, and returns the seconds of its kernels.
pub fn collect(slot: &mut StreamSlot) -> Result<f64, Fault> {
    slot.finish()?;
    slot.end()?;
    Ok(slot
        .device
        .take_kernel_times()
        .values()
        .map(|(seconds, _)| seconds)
        .sum())
}

/// Returns random bytes.
pub fn random_bytes(count: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(|problem| Error::Randomness(problem.to_string()))?;
    Ok(bytes)
}

/// Returns n numbers of random bytes.
pub fn random_rows<const BYTES: usize>(n: usize) -> Result<Vec<[u8; BYTES]>, Error> {
    Ok(random_bytes(BYTES * n)?.as_chunks().0.to_vec())
}
