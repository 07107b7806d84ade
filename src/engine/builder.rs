//! Configuration of an engine.

use std::path::PathBuf;

/// The kind of device that a caller requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// All GPUs, or the CPU if there is none; [`crate::Engine::info`] reports the choice. Batches
    /// that are too small for a GPU to be faster, and items that failing GPUs leave uncomputed, are
    /// computed on the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// GPUs only: [`EngineBuilder::build`] fails if there is none, and a call fails if every GPU
    /// has failed.
    Gpu,
}

/// Selects devices and limits. Created by [`crate::Engine::builder`].
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    pub(crate) backend: Backend,
    pub(crate) threads: Option<usize>,
    pub(crate) max_memory: Option<usize>,
    pub(crate) expected_items: Option<usize>,
    pub(crate) portable: bool,
    pub(crate) chunk_items: Option<usize>,
    pub(crate) check_signatures: bool,
    pub(crate) batch_verification: bool,
    pub(crate) time_kernels: bool,
    pub(crate) l2_persistence: bool,
    pub(crate) kernels: Option<PathBuf>,
}

impl EngineBuilder {
    /// Sets the kind of device. Default: [`Backend::Auto`].
    pub fn backend(self, backend: Backend) -> Self {
        EngineBuilder { backend, ..self }
    }

    /// Sets the number of worker threads of the CPU engine, 1 to 4096. Default: one per core.
    pub fn threads(self, threads: usize) -> Self {
        EngineBuilder {
            threads: Some(threads),
            ..self
        }
    }

    /// Sets the maximum working memory in bytes, in addition to the caller's inputs and the
    /// results. It applies to the host, including its pinned memory, and to each GPU. Default: no
    /// limit.
    ///
    /// The limit determines the size of tables, how many repeated keys get one, and how many items
    /// are planned or copied at a time. The minimum that a batch needs (6 MiB, and 1 MiB per
    /// thread) is used in any case, as are the digests of calls that take messages, 32 bytes per
    /// item. Tables of the base point are shared by the process, whichever engine built them.
    pub fn max_memory(self, bytes: usize) -> Self {
        EngineBuilder {
            max_memory: Some(bytes),
            ..self
        }
    }

    /// Sets the approximate number of items that will be computed with the engine in total, if it
    /// is known. For up to 2048 per thread, [`Backend::Auto`] starts no GPU: a driver takes about
    /// 0.4 s to start, and the cores are done by then. Default: unknown.
    pub fn expected_items(self, items: usize) -> Self {
        EngineBuilder {
            expected_items: Some(items),
            ..self
        }
    }

    /// Sets the maximum number of items that a GPU computes at a time. Default: depends on its size
    /// and memory. Smaller chunks have lower latency and need less memory; larger ones have a
    /// higher throughput.
    pub fn chunk_items(self, items: usize) -> Self {
        EngineBuilder {
            chunk_items: Some(items),
            ..self
        }
    }

    /// Verifies every signature with its key before it is returned. Default: off.
    ///
    /// A device or processor that makes an error while it computes a deterministic signature
    /// reveals the private key to anyone who sees both the faulty result and the right one. Enable
    /// this option if that matters more than speed: signing then costs as much as signing and
    /// verifying. For signatures with a recovery id ([`crate::ecdsa::sign_recoverable`]) the id is
    /// checked too: the key that it recovers must be the signer's.
    ///
    /// A GPU whose signature does not verify counts as failed, see [`crate::Engine::failures`]. On
    /// the CPU such a signature is computed again; an item at which that fails every time is
    /// rejected with [`crate::Rejection::FaultySignature`].
    pub fn check_signatures(self, check: bool) -> Self {
        EngineBuilder {
            check_signatures: check,
            ..self
        }
    }

    /// Enables batch verification where it is faster: a group of items is verified by one equation.
    /// It applies to signatures of BIP 340, those of [`crate::ecdsa::verify_recoverable`], those of
    /// Ed25519 by a cofactored rule ([`crate::ed25519::Rule::is_cofactored`]), and the candidates
    /// of [`crate::ecdsa::recover_with_candidates`]. The coefficients have 128 bits and come from
    /// the operating system's randomness, fresh for each group of each call; a GPU derives all
    /// coefficients of a group from 32 bytes of this randomness with SHA-256. Default: off.
    ///
    /// Items of a group whose equation does not hold are verified or recovered one by one, so that
    /// each has the same verdict and the same reason as without this option. The probability that
    /// an equation holds although an item is invalid, which is then accepted as valid, is at most
    /// 2^-128 per group, regardless of who chose the items and of knowledge about other groups;
    /// on a GPU this assumes that SHA-256 of a secret is indistinguishable from random bytes.
    /// Otherwise results are the same. Batches with invalid items take at most about 1.3 times as
    /// long as without equations.
    ///
    /// The CPU uses equations from some thousand items, for verification with few uses of each key;
    /// a GPU from some hundred thousand.
    pub fn batch_verification(self, use_equations: bool) -> Self {
        EngineBuilder {
            batch_verification: use_equations,
            ..self
        }
    }

    /// Records how long each kernel runs, for [`crate::Engine::take_kernel_times`]. Chunks are then
    /// computed one after the other instead of overlapping, so that no two kernels share a GPU, and
    /// are as large as the memory and [`EngineBuilder::chunk_items`] allow. Default: off.
    pub fn time_kernels(self, time: bool) -> Self {
        EngineBuilder {
            time_kernels: time,
            ..self
        }
    }

    /// Keeps the intermediate products of batched inversions in a part of each GPU's L2 cache that
    /// is set aside for them, if the GPU supports that. This affects every engine of the process.
    /// Results are the same. Default: off.
    pub fn l2_persistence(self, persist: bool) -> Self {
        EngineBuilder {
            l2_persistence: persist,
            ..self
        }
    }

    /// Sets the folder of precompiled kernels that `gecc kernels pack` has created, with a file
    /// such as `sm_90.gecckernels` for each architecture. Default: the folder in the environment
    /// variable `GECC_KERNELS`, if it is set.
    ///
    /// Kernels that are missing there, or were compiled from other sources than this library's, are
    /// compiled on first use. A file that does not belong to the user or to root, or can be written
    /// by others, is not used.
    pub fn kernels(self, folder: impl Into<PathBuf>) -> Self {
        EngineBuilder {
            kernels: Some(folder.into()),
            ..self
        }
    }

    /// Disables instructions that not every processor has, which the CPU engine otherwise uses if
    /// they are available. Results are the same, but take longer. Default: `false`.
    pub fn portable(self, portable: bool) -> Self {
        EngineBuilder { portable, ..self }
    }
}
