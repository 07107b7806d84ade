//! The first GPU: a stream on which every kernel is timed, chunks of numbers, seconds.

use gecc::Error;
use gecc::lab::{Bytes, Device, Fault, Kept, Lane, Limits, Plan, count};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs whose median counts, after one more.
const RUNS: usize = 5;
/// What outputs hold before a kernel runs.
pub const POISON: u8 = 0xa5;

/// A device with its tables.
type Opened = (Arc<Device>, Arc<Kept>);

/// A lane of the first GPU on which every kernel is timed. Devices are kept: their kernels load once per process.
pub fn open(l2_persistence: bool) -> Result<Lane, Error> {
    static OPEN: Mutex<[Option<Opened>; 2]> = Mutex::new([None, None]);
    let opened = &mut OPEN.lock().unwrap_or_else(PoisonError::into_inner)[usize::from(l2_persistence)];
    if opened.is_none() {
        count().map_err(Error::NoDevice)?;
        let limits = Limits { time_kernels: true, l2_persistence, ..Limits::default() };
        *opened = Some((Arc::new(Device::open(0, &limits)?), Arc::default()));
    }
    let (device, kept) = opened.clone().expect("opened above");
    Ok(Lane::new(device, kept)?)
}

/// Starts a chunk of this many items, with the buffers that `plan` gives.
pub fn begin<B>(lane: &mut Lane, items: usize, plan: impl Fn(&mut Plan) -> B) -> Result<B, Fault> {
    Ok(lane.begin((items, false), Bytes::default(), false, plan)?.0)
}

/// The seconds of all kernels that `launch` starts.
pub fn seconds(lane: &mut Lane, launch: impl FnOnce(&mut Lane) -> Result<(), Fault>) -> Result<f64, Fault> {
    collect(lane)?;
    launch(lane)?;
    collect(lane)
}

/// The median of several runs, each after `prepare`, which is not counted.
pub fn median(
    lane: &mut Lane,
    prepare: impl Fn(&mut Lane) -> Result<(), Fault>,
    launch: impl Fn(&mut Lane) -> Result<(), Fault>,
) -> Result<f64, Fault> {
    median_of(|| {
        prepare(lane)?;
        seconds(lane, &launch)
    })
}

/// The median of what several runs give, after one that does not count.
pub fn median_of<E>(mut run: impl FnMut() -> Result<f64, E>) -> Result<f64, E> {
    run()?;
    let mut times = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

/// Waits for what was started, and gives the seconds of its kernels.
pub fn collect(lane: &mut Lane) -> Result<f64, Fault> {
    lane.finish()?;
    lane.end()?;
    Ok(lane.device.take_kernel_times().values().map(|(seconds, _)| seconds).sum())
}

/// Random bytes.
pub fn random_bytes(count: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(|problem| Error::Randomness(problem.to_string()))?;
    Ok(bytes)
}

/// n numbers of random bytes.
pub fn random_rows<const BYTES: usize>(n: usize) -> Result<Vec<[u8; BYTES]>, Error> {
    Ok(random_bytes(BYTES * n)?.as_chunks().0.to_vec())
}
