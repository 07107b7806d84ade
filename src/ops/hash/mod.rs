//! Digests of messages.
//!
//! Digests are copied back to the host and uploaded again with the signatures. That is 64 bytes per
//! item over the bus, a few per cent of the time of a verification; in return the operations on
//! digests need no variants for messages.

mod gpu;
pub(crate) mod known_answers;
mod on_this_thread;
mod tagged;
mod texts;
mod texts_gpu;

use crate::cpu::CpuEngine;
use crate::cpu::field::vector::Lanes;
use crate::cpu::simd;
use crate::engine::Engine;
use crate::fields::Hash;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{Error, ResultSink, ResultsMut, require_lengths};
pub use on_this_thread::keccak256_on_this_thread;
use std::ops::Range;
pub(crate) use tagged::{Tag, tagged};
pub(crate) use texts::{LONGEST, SizedTexts, Texts};
pub(crate) use texts_gpu::{TextColumns, on_device_codes, plan_codes};

/// Returns the digests that signatures sign, one per message. Variable-time: all inputs are public.
///
/// If there are GPUs, large batches are hashed on them with SHA-256, double SHA-256 and Keccak-256.
/// Messages above 16 KiB are hashed on the CPU, and so are all messages with other hashes.
///
/// # Errors
/// [`Error::LengthMismatch`] if a message has to be a digest ([`Hash::None`]) and does not have 32
/// bytes; [`Error::Device`] if every GPU fails and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, fields::Hash, hash};
/// let engine = Engine::new()?;
/// let digests = hash::digests(&engine, Hash::Keccak256, &["", "a message"])?;
/// assert_eq!(hex::encode(digests[0]), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
/// assert_eq!(Some(digests[1]), Hash::Keccak256.digest(b"a message"));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn digests<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    hash: Hash,
    messages: &[M],
) -> Result<Vec<[u8; 32]>, Error> {
    let mut digests = vec![[0; 32]; messages.len()];
    digests_into(engine, hash, messages, &mut digests)?;
    Ok(digests)
}

/// Writes the digests of messages to a column of the caller. See [`digests`]. Variable-time: all
/// inputs are public.
///
/// # Errors
/// The errors of [`digests`], and [`Error::LengthMismatch`] if the number of digests differs from
/// that of messages.
pub fn digests_into<M: AsRef<[u8]> + Sync>(
    engine: &Engine,
    hash: Hash,
    messages: &[M],
    digests: &mut [[u8; 32]],
) -> Result<(), Error> {
    require_lengths(messages.len(), &[("digests", digests.len())])?;
    let cpu = &engine.devices()?.cpu;
    if let Some(function) = Function::of(hash) {
        let aside = Aside::of(cpu, function, messages);
        let sized = SizedTexts::new(cpu, messages.len(), |item| {
            let message = messages[item].as_ref();
            if aside.has(message) { &[] } else { message }
        });
        write_digests(
            engine,
            &DigestsOf {
                function,
                messages: sized,
            },
            digests,
        )?;
        aside.write(cpu, messages, digests);
        return Ok(());
    }
    let bytes = SizedTexts::new(cpu, messages.len(), |item| messages[item].as_ref()).average();
    let hashed = cpu.map_chunks(bytes, messages.len(), None, |items, out| {
        messages[items]
            .iter()
            .zip(out)
            .for_each(|(message, hashed)| *hashed = hash.digest(message.as_ref()));
    });
    for ((digest, hashed), message) in digests.iter_mut().zip(hashed).zip(messages) {
        let found = message.as_ref().len();
        *digest = hashed.ok_or(Error::LengthMismatch {
            what: "a digest",
            expected: 32,
            found,
        })?;
    }
    Ok(())
}

/// Messages that are too long for a device, on CPUs with vector code. In groups of eight they take
/// an eighth of the time that they take one by one in the fallback for chunks of a device.
struct Aside(Option<(Lanes, Vec<usize>)>);

impl Aside {
    fn of<M: AsRef<[u8]> + Sync>(cpu: &CpuEngine, function: Function, messages: &[M]) -> Self {
        let lanes = cpu.lanes.filter(|_| function == Function::Keccak256);
        Aside(lanes.map(|lanes| {
            let found = cpu.map_parts(messages.len(), |items| {
                items
                    .filter(|item| messages[*item].as_ref().len() > LONGEST)
                    .collect::<Vec<_>>()
            });
            let mut long = found.concat();
            long.sort_unstable_by_key(|item| messages[*item].as_ref().len());
            (lanes, long)
        }))
    }

    /// Returns `true` if the message is one of them.
    fn has(&self, message: &[u8]) -> bool {
        self.0.is_some() && message.len() > LONGEST
    }

    fn write<M: AsRef<[u8]> + Sync>(
        &self,
        cpu: &CpuEngine,
        messages: &[M],
        digests: &mut [[u8; 32]],
    ) {
        let Some((lanes, long)) = &self.0 else { return };
        let groups: Vec<&[usize]> = long.chunks(simd::KECCAK_LANES).collect();
        // Even a single group takes long enough for a thread of its own.
        let hashed = cpu
            .pool
            .map(1, groups.len(), [[0; 32]; simd::KECCAK_LANES], |group| {
                let of_group: Vec<&[u8]> = groups[group]
                    .iter()
                    .map(|item| messages[*item].as_ref())
                    .collect();
                let mut hashes = [[0; 32]; simd::KECCAK_LANES];
                simd::keccak256(*lanes, &of_group, |place, hash| hashes[place] = *hash);
                hashes
            });
        for (item, hash) in groups
            .iter()
            .zip(&hashed)
            .flat_map(|(group, hashes)| group.iter().zip(hashes))
        {
            digests[*item] = *hash;
        }
    }
}

/// The hash functions that have kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sha256,
    Sha256d,
    Keccak256,
}

impl Function {
    pub const ALL: [Function; 3] = [Function::Sha256, Function::Sha256d, Function::Keccak256];

    fn of(hash: Hash) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|function| function.hash() == hash)
    }

    fn hash(self) -> Hash {
        match self {
            Function::Sha256 => Hash::Sha256,
            Function::Sha256d => Hash::Sha256d,
            Function::Keccak256 => Hash::Keccak256,
        }
    }

    fn digest(self, message: &[u8]) -> [u8; 32] {
        self.hash()
            .digest(message)
            .expect("messages of any length have a digest")
    }
}

/// The operation that computes the digests of a batch.
pub(crate) struct DigestsOf<'a> {
    pub function: Function,
    pub messages: SizedTexts<'a>,
}

impl Computation for DigestsOf<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }

    /// The threshold for messages of any length, which have at least one block. CPUs compute
    /// SHA-256 fast, so a GPU mainly frees the cores.
    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(4000)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let first = items.start;
        let bytes = self.messages.average();
        match (self.function, engine.lanes) {
            (Function::Keccak256, Some(lanes)) => {
                engine.fill_of_texts(bytes, out, [32, 0], |range, out| {
                    let messages: Vec<&[u8]> =
                        range.map(|item| self.messages.get(first + item)).collect();
                    simd::keccak256(lanes, &messages, |place, digest| put(out, place, digest));
                })
            }
            (function, _) => engine.fill_of_texts(bytes, out, [32, 0], |range, out| {
                for (place, item) in range.enumerate() {
                    put(
                        out,
                        place,
                        &function.digest(self.messages.get(first + item)),
                    );
                }
            }),
        }
    }

    fn most_waves(&self) -> usize {
        4
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (gpu::CURVE, vec!["hash"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::of(self.function)]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

fn put(out: &mut ResultsMut, place: usize, digest: &[u8; 32]) {
    out.row(0, place).copy_from_slice(digest);
    out.accept(place);
}

/// Computes SHA-256 of messages.
pub(crate) fn sha256(
    engine: &Engine,
    items: usize,
    messages: &Texts,
) -> Result<Vec<[u8; 32]>, Error> {
    let messages = SizedTexts::new(&engine.devices()?.cpu, items, |item| messages(item));
    digests_by(
        engine,
        &DigestsOf {
            function: Function::Sha256,
            messages,
        },
    )
}

/// Returns the results of an operation that computes one digest per item.
pub(crate) fn digests_by(
    engine: &Engine,
    operation: &dyn Computation,
) -> Result<Vec<[u8; 32]>, Error> {
    let mut digests = vec![[0; 32]; operation.items()];
    write_digests(engine, operation, &mut digests)?;
    Ok(digests)
}

fn write_digests(
    engine: &Engine,
    operation: &dyn Computation,
    digests: &mut [[u8; 32]],
) -> Result<(), Error> {
    let mut codes = vec![0; digests.len()];
    engine.run(operation, ResultsMut::rows(&mut codes, digests))
}
