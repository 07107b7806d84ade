//! Engines, which compute batches.

use super::caller_values::{free, require_aligned, write_new, write_text};
use super::choices;
use super::status::{Failure, GeccStatus, call};
use gecc::Engine;
use std::ffi::c_char;
use std::slice;

/// What computes batches: GPUs, or threads of its own. One engine serves any number of threads at once, and a program
/// seldom needs a second one.
///
/// It lasts from `gecc_engine_new` to `gecc_engine_free`. In a child of the process that made it, its calls return
/// `GECC_STATUS_FORKED`.
pub struct GeccEngine(Engine);

/// How an engine shall be. Set `size` to `sizeof(GeccEngineOptions)` and all else to zero for the defaults:
/// `GeccEngineOptions options = {.size = sizeof options};`.
///
/// Later versions may add fields at the end, of which zero is the default. `size` tells the library which are there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccEngineOptions {
    /// Bytes of this struct.
    pub size: usize,
    /// A `GeccBackend`.
    pub backend: i32,
    /// Threads for work on the CPU, 1 to 4096; 0 for one per core.
    pub threads: u32,
    /// Upper limit in bytes for working memory beside inputs and results, on the host and on each GPU; 0 for none. What
    /// a batch cannot do without (6 MiB, and one for each thread) is used in any case.
    pub max_memory: u64,
    /// 1 to verify every signature before it is returned, 0 not to. One that was computed wrongly can give its private
    /// key away. Signing then costs as much as signing and verifying.
    pub check_signatures: i32,
    /// 1 to verify signatures in groups where that is faster, 0 not to: those of BIP 340, of Ed25519 by a rule with the
    /// cofactor, of `gecc_ecdsa_verify_recoverable`, and the candidates of `gecc_ecdsa_recover_with_candidates`. An
    /// invalid item is then taken to be valid with a probability of at most 2^-128 for each group, whoever chose the
    /// items; otherwise results are the same.
    pub batch_equations: i32,
}

const DEFAULT: GeccEngineOptions = GeccEngineOptions {
    size: size_of::<GeccEngineOptions>(),
    backend: 0,
    threads: 0,
    max_memory: 0,
    check_signatures: 0,
    batch_equations: 0,
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
        return Err(Failure::invalid(format!("options: a size of {size}, not {} or more", DEFAULT.size)));
    }
    // SAFETY: `size` bytes may be read, and integers have no invalid bit patterns.
    let (known, later) = unsafe {
        let later = options.cast::<u8>().add(DEFAULT.size);
        (options.read(), slice::from_raw_parts(later, size - DEFAULT.size))
    };
    if later.iter().any(|byte| *byte != 0) {
        return Err(Failure::invalid("options: one is set that this version of the library does not know"));
    }
    Ok(known)
}

fn build(options: GeccEngineOptions) -> Result<Engine, Failure> {
    let check_signatures = choices::flag("value of check_signatures", options.check_signatures)?;
    let batch_equations = choices::flag("value of batch_equations", options.batch_equations)?;
    let mut builder = Engine::builder()
        .backend(choices::backend(options.backend)?)
        .check_signatures(check_signatures)
        .batch_equations(batch_equations);
    if options.threads > 0 {
        builder = builder.threads(options.threads as usize);
    }
    if options.max_memory > 0 {
        // A limit above the address space is no limit.
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

/// Makes an engine, which takes some tens of milliseconds, and some seconds where GPUs have to be started.
///
/// `options` may be null for the defaults, and is not needed after the call. The engine is written to `engine`, to be
/// freed by `gecc_engine_free`; on failure null is. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_NO_DEVICE` when only GPUs are asked for and none can be used, `GECC_STATUS_INVALID_ARGUMENT`
/// for options that are not allowed, `GECC_STATUS_THREADS` when threads cannot be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_new(
    options: *const GeccEngineOptions,
    engine: *mut *mut GeccEngine,
) -> GeccStatus {
    // SAFETY: the caller's promises.
    call(|| unsafe { write_new("engine", engine, || Ok(GeccEngine(build(options_of(options)?)?))) })
}

/// Frees an engine when no call uses it any more. Null is allowed, and nothing then happens. Buffers of the engine may
/// be freed later. The pointer must not be used after this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_free(engine: *mut GeccEngine) {
    // SAFETY: the caller's promise.
    unsafe { free(engine) }
}

/// Writes what the engine is and why it was chosen, for instance `CPU, 8 threads (chosen automatically: ...)`.
///
/// At most `capacity` bytes are written to `text`, with a zero byte at the end; what does not fit is left out. `text`
/// may be null where `capacity` is 0. The length of the whole text in bytes, without the zero byte, goes to `length`,
/// which may be null. Any thread may call this at any time.
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

/// Writes which GPUs have failed since the engine was made, which kernels it cannot use for now, and what gave wrong
/// answers to items whose answers are known: one a line, nothing where all is well. Their work went to other GPUs or to
/// the CPU.
///
/// `text`, `capacity` and `length` are as for `gecc_engine_describe`. Any thread may call this at any time.
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

/// Makes ready what calls on a curve need, for which the first of them would otherwise wait: tables, and for GPUs
/// kernels, which may have to be compiled. Takes some tens of milliseconds without a GPU, and some seconds where
/// kernels have to be compiled.
///
/// `curve` is a `GeccCurve`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_KERNELS` or `GECC_STATUS_DEVICE` when a GPU cannot be made ready; calls may work all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_engine_warm_up(engine: *const GeccEngine, curve: i32) -> GeccStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let engine = unsafe { engine_of(engine)? };
        Ok(engine.warm_up(choices::curve(curve)?)?)
    })
}
