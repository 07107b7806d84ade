//! Engines, which compute batches.

use super::caller_values::{free, require_aligned, write_new, write_text};
use super::choices;
use super::status::{Failure, GeccStatus, call};
use gecc::Engine;
use std::ffi::c_char;
use std::slice;

/// A device or several that compute batches: GPUs, or threads of the CPU. Any number of threads may
/// use an engine concurrently, and a program rarely needs a second one.
///
/// An engine is valid from `gecc_engine_new` to `gecc_engine_free`. In a child of the process that
/// created it, its calls return `GECC_STATUS_FORKED`.
pub struct GeccEngine(Engine);

/// Options of an engine. Set `size` to `sizeof(GeccEngineOptions)` and everything else to zero for
/// the defaults: `GeccEngineOptions options = {.size = sizeof options};`.
///
/// Later versions may add fields at the end, with zero as the default. `size` determines which
/// fields there are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccEngineOptions {
    /// The size of this struct in bytes.
    pub size: usize,
    /// A `GeccBackend`.
    pub backend: i32,
    /// The number of threads for work on the CPU, 1 to 4096, or 0 for one per core.
    pub threads: u32,
    /// The limit in bytes on working memory, in addition to inputs and results, on the host and on
    /// each GPU; 0 for no limit. The minimum that a batch requires (6 MiB, and one for each thread)
    /// is used in any case.
    pub max_memory: u64,
    /// 1 to verify every signature before it is returned, otherwise 0. A signature that was
    /// computed wrongly can disclose its private key. Signing then costs as much as signing and
    /// verifying.
    pub check_signatures: i32,
    /// 1 to verify signatures in groups where that is faster, otherwise 0. This applies to BIP 340,
    /// to Ed25519 by a rule with the cofactor, to `gecc_ecdsa_verify_recoverable`, and to the
    /// candidates of `gecc_ecdsa_recover_with_candidates`. An invalid item is then accepted with a
    /// probability of at most 2^-128 per group, whoever chose the items. Otherwise the results are
    /// the same.
    pub batch_verification: i32,
}

const DEFAULT: GeccEngineOptions = GeccEngineOptions {
    size: size_of::<GeccEngineOptions>(),
    backend: 0,
    threads: 0,
    max_memory: 0,
    check_signatures: 0,
    batch_verification: 0,
};

/// The upper limit on the size of the options in any version, in bytes.
const LARGEST_OPTIONS: usize = 4096;

/// Reads the options of a caller, who may use a later version of the struct: fields that this
/// version does not know must then be zero.
///
/// # Safety
/// The caller of the interface promises that as many bytes may be read as the `size` of the struct
/// states.
unsafe fn options_of(options: *const GeccEngineOptions) -> Result<GeccEngineOptions, Failure> {
    if options.is_null() {
        return Ok(DEFAULT);
    }
    require_aligned("options", options)?;
    // SAFETY: not null and aligned; every version has `size`.
    let size = unsafe { (&raw const (*options).size).read() };
    if !(DEFAULT.size..=LARGEST_OPTIONS).contains(&size) {
        return Err(Failure::invalid(format!(
            "options: a size of {size}, not {} or more",
            DEFAULT.size
        )));
    }
    // SAFETY: `size` bytes may be read, and integers have no invalid bit patterns.
    let (known, later) = unsafe {
        let later = options.cast::<u8>().add(DEFAULT.size);
        (
            options.read(),
            slice::from_raw_parts(later, size - DEFAULT.size),
        )
    };
    if later.iter().any(|byte| *byte != 0) {
        return Err(Failure::invalid(
            "options: one is set that this version of the library does not know",
        ));
    }
    Ok(known)
}

fn build(options: GeccEngineOptions) -> Result<Engine, Failure> {
    let check_signatures = choices::flag("value of check_signatures", options.check_signatures)?;
    let batch_verification =
        choices::flag("value of batch_verification", options.batch_verification)?;
    let mut builder = Engine::builder()
        .backend(choices::backend(options.backend)?)
        .check_signatures(check_signatures)
        .batch_verification(batch_verification);
    if options.threads > 0 {
        builder = builder.threads(options.threads as usize);
    }
    if options.max_memory > 0 {
        // A limit above the address space has no effect.
        builder = builder.max_memory(usize::try_from(options.max_memory).unwrap_or(usize::MAX));
    }
    Ok(builder.build()?)
}

/// Returns the engine of a call.
///
/// # Safety
/// The caller of the interface promises that a non-null pointer is from `gecc_engine_new`, and is
/// not freed during `'a`.
pub(crate) unsafe fn engine_of<'a>(engine: *const GeccEngine) -> Result<&'a Engine, Failure> {
    require_aligned("engine", engine)?;
    // SAFETY: not null, aligned, and the caller's promise.
    Ok(unsafe { &(*engine).0 })
}

/// Creates an engine. This takes some tens of milliseconds, or some seconds if GPUs have to be
/// started.
///
/// `options` may be null for the defaults, and is not used after the call. Writes the engine to
/// `engine`, or null on failure. Free it with `gecc_engine_free`. Any thread may call this at any
/// time.
///
/// Returns `GECC_STATUS_NO_DEVICE` if only GPUs are requested and none can be used,
/// `GECC_STATUS_INVALID_ARGUMENT` for invalid options, `GECC_STATUS_THREADS` if threads cannot be
/// started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_new(
    options: *const GeccEngineOptions,
    engine: *mut *mut GeccEngine,
) -> GeccStatus {
    // SAFETY: the caller's promises.
    call(|| unsafe {
        write_new("engine", engine, || {
            Ok(GeccEngine(build(options_of(options)?)?))
        })
    })
}

/// Frees an engine. No call may use the engine when this is called, or its pointer afterwards.
/// Buffers of the engine may be freed later. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_free(engine: *mut GeccEngine) {
    // SAFETY: the caller's promise.
    unsafe { free(engine) }
}

/// Writes a description of the engine and the reason for its choice, for example `CPU, 8 threads
/// (chosen automatically: ...)`.
///
/// Writes at most `capacity` bytes to `text`, including a final zero byte; a longer description is
/// truncated. `text` may be null if `capacity` is 0. Writes the length of the whole description in
/// bytes, without the zero byte, to `length`, which may be null. Any thread may call this at any
/// time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_describe(
    engine: *const GeccEngine,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> GeccStatus {
    // SAFETY: the caller's promises.
    call(|| unsafe { write_text(&engine_of(engine)?.to_string(), text, capacity, length) })
}

/// Writes the failures since the engine was created, one per line, or nothing if there are none:
/// GPUs that failed, kernels that cannot be used at present, and devices that computed self-tests
/// wrongly. Other GPUs or the CPU took over their work.
///
/// `text`, `capacity` and `length` are used as by `gecc_engine_describe`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_failures(
    engine: *const GeccEngine,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> GeccStatus {
    call(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let failures = engine_of(engine)?.failures();
            let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
            write_text(&lines.join("\n"), text, capacity, length)
        }
    })
}

/// Prepares everything that calls on a curve need, so that the first call does not have to wait:
/// tables, and for GPUs kernels. This takes some tens of milliseconds without a GPU, or some
/// seconds if kernels have to be compiled.
///
/// `curve` is a `GeccCurve`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_KERNELS` or `GECC_STATUS_DEVICE` if a GPU cannot be prepared. Calls may
/// succeed nevertheless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_warm_up(engine: *const GeccEngine, curve: i32) -> GeccStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let engine = unsafe { engine_of(engine)? };
        Ok(engine.warm_up(choices::curve(curve)?)?)
    })
}
