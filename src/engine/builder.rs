//! Configuration of an engine.

use std::path::PathBuf;

/// The kind of device that a caller requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// All GPUs, or the CPU where there is none; [`crate::Engine::info`] reports the choice. Batches too small to be
    /// worth a GPU, and whatever GPUs that fail leave undone, are computed on the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// GPUs only: [`EngineBuilder::build`] fails where there is none, and a call fails where every GPU has failed.
    Gpu,
}

/// Chooses devices and limits. Made by [`crate::Engine::builder`].
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    pub(crate) backend: Backend,
    pub(crate) threads: Option<usize>,
    pub(crate) max_memory: Option<usize>,
    pub(crate) expected_items: Option<usize>,
    pub(crate) portable: bool,
    pub(crate) chunk_items: Option<usize>,
    pub(crate) check_signatures: bool,
    pub(crate) batch_equations: bool,
    pub(crate) time_kernels: bool,
    pub(crate) l2_persistence: bool,
    pub(crate) kernels: Option<PathBuf>,
}

impl EngineBuilder {
    /// The kind of device. Default: [`Backend::Auto`].
    pub fn backend(self, backend: Backend) -> Self {
        EngineBuilder { backend, ..self }
    }

    /// Worker threads of the CPU engine, 1 to 4096. Default: one per core.
    pub fn threads(self, threads: usize) -> Self {
        EngineBuilder { threads: Some(threads), ..self }
    }

    /// Upper limit for working memory in bytes, beside the caller's inputs and the results: of the host, with its
    /// pinned memory, and of each GPU. Default: none.
    ///
    /// The limit decides the size of tables, how many repeated keys get one, and how many items are planned or copied
    /// at a time. What a batch cannot do without (6 MiB, and one for each thread) is used in any case, as are the
    /// digests of calls that take messages, 32 bytes an item. Tables of the base point are the process's, whichever
    /// engine built them.
    pub fn max_memory(self, bytes: usize) -> Self {
        EngineBuilder { max_memory: Some(bytes), ..self }
    }

    /// About how many items will be computed with the engine in all, where that is known. For up to 2048 for each
    /// thread [`Backend::Auto`] starts no GPU: a driver takes some 0.4 s to start, and the cores are done by then.
    /// Default: not known.
    pub fn expected_items(self, items: usize) -> Self {
        EngineBuilder { expected_items: Some(items), ..self }
    }

    /// Upper limit for the items that a GPU computes at a time. Default: from its size and memory. Smaller chunks
    /// answer sooner and need less memory; larger ones have a higher throughput.
    pub fn chunk_items(self, items: usize) -> Self {
        EngineBuilder { chunk_items: Some(items), ..self }
    }

    /// Verifies every signature with its key before it is returned. A device or processor that errs while it computes a
    /// deterministic signature gives the private key away to whoever sees the result and the right one: turn this on
    /// where that matters more than speed (signing then costs as much as signing and verifying). Of signatures with a
    /// recovery id ([`crate::ecdsa::sign_recoverable`]) the id is checked too: the key that it recovers must be the
    /// signer's. Default: off.
    ///
    /// A GPU whose signature does not verify counts as failed, see [`crate::Engine::failures`]. On the CPU such a
    /// signature is computed again; an item at which that fails every time is rejected with
    /// [`crate::Rejection::FaultySignature`].
    pub fn check_signatures(self, check: bool) -> Self {
        EngineBuilder { check_signatures: check, ..self }
    }

    /// Verifies signatures of BIP 340, those of [`crate::ecdsa::verify_recoverable`], and those of Ed25519 by a rule
    /// with the cofactor ([`crate::ed25519::Rule::is_cofactored`]) together where that is faster, and the candidates of
    /// [`crate::ecdsa::recover_with_candidates`]: one equation for a group of items, with coefficients of 128 bits from
    /// the operating system's randomness, fresh for each group of each call. Of 32 bytes of this randomness a GPU makes
    /// all coefficients of a group, by SHA-256. Default: off.
    ///
    /// Items of a group whose equation does not hold are verified or recovered one by one, so that each has the verdict
    /// and the reason that it has alone. The probability that an equation holds although an item is invalid, which is
    /// then taken to be valid, is at most 2^-128 for each group, whoever chose the items and whatever is known of
    /// others; on a GPU as far as SHA-256 of a secret cannot be told from random bytes. Otherwise results are the same.
    /// Batches with invalid items take at most about 1.3 times as long as without equations.
    ///
    /// The CPU does this for some thousand items, of verification with few uses of each key; a GPU for some hundred
    /// thousand.
    pub fn batch_equations(self, use_equations: bool) -> Self {
        EngineBuilder { batch_equations: use_equations, ..self }
    }

    /// Records how long each kernel runs, for [`crate::Engine::take_kernel_times`]. Chunks are then computed one after
    /// the other instead of overlapping, so that no two kernels share a GPU, and are as large as the memory and
    /// [`EngineBuilder::chunk_items`] allow. Default: off.
    pub fn time_kernels(self, time: bool) -> Self {
        EngineBuilder { time_kernels: time, ..self }
    }

    /// Keeps the intermediate products of batched inversions in a part of each GPU's L2 cache that is set aside for
    /// them, for every engine of the process, where the GPU can do that. Results are the same. Default: off.
    pub fn l2_persistence(self, persist: bool) -> Self {
        EngineBuilder { l2_persistence: persist, ..self }
    }

    /// The folder of kernels that came with the program, as `gecc kernels pack` makes it: `sm_90.gecckernels` and the
    /// like, a file for each architecture. Default: the folder that the environment variable `GECC_KERNELS` names, if
    /// any.
    ///
    /// Kernels that are not there, or were made from other sources than this library's, are compiled when they are
    /// first needed. A file that does not belong to the user or to root, or can be written by others, is not used.
    pub fn kernels(self, folder: impl Into<PathBuf>) -> Self {
        EngineBuilder { kernels: Some(folder.into()), ..self }
    }

    /// Leaves out the instructions that not every processor has, which the CPU engine otherwise uses where it finds
    /// them. Results are the same; they take longer. Default: `false`.
    pub fn portable(self, portable: bool) -> Self {
        EngineBuilder { portable, ..self }
    }
}
