//! The version of the interface, the status of a call, and the text of its error.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The version of this interface.
pub const GECC_ABI_VERSION: u32 = 2;

/// The version of the interface that the library has: `GECC_ABI_VERSION` of the header that belongs to it.
///
/// Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_abi_version() -> u32 {
    GECC_ABI_VERSION
}

/// What a call returns. Numbers are never changed and never used again for something else; later versions may add some.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccStatus {
    /// The call has done what it was asked for. What became of each item is in the codes.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// A number, size, stride or alignment is not allowed, memory that is written overlaps other memory of the call, or
    /// a text is not UTF-8.
    InvalidArgument = 2,
    /// The curve does not have the scheme: ECDSA is not on SM2's curve.
    NoScheme = 3,
    /// GPUs were asked for, and none can be used.
    NoDevice = 4,
    /// All GPUs failed, and the engine may not use the CPU instead.
    Device = 5,
    /// Kernels could not be compiled, stored or loaded.
    Kernels = 6,
    /// The operating system refused to start threads.
    Threads = 7,
    /// The engine was made before this process forked from another. Make one after the fork.
    Forked = 8,
    /// There is not enough memory for a buffer.
    OutOfMemory = 9,
    /// The call met a defect of the library, which stopped it. Results mean nothing. Other calls go on. Free the engine
    /// when they have ended, make a new one, and report what the library wrote to standard error.
    Panic = 10,
    /// An error that this version of the interface has no number for. `gecc_last_error` says what it is.
    Other = 11,
    /// The caller's function has ended the call (`gecc_on_progress`).
    Cancelled = 12,
}

/// The reason for which a call returns a status other than `Ok`.
#[derive(Debug)]
pub(crate) struct Failure {
    status: GeccStatus,
    message: String,
}

impl Failure {
    pub fn new(status: GeccStatus, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(GeccStatus::InvalidArgument, message)
    }

    pub fn null(name: &str) -> Self {
        Self::new(GeccStatus::NullPointer, format!("{name} is null"))
    }

    /// Adds the number of the failing item to the message.
    pub fn of_item(self, item: usize) -> Self {
        Self::new(self.status, format!("{}, at item {item}", self.message))
    }
}

impl From<gecc::Error> for Failure {
    fn from(error: gecc::Error) -> Self {
        use gecc::Error;
        let status = match &error {
            Error::LengthMismatch { .. } | Error::InvalidColumn(_) | Error::InvalidOption { .. } => {
                GeccStatus::InvalidArgument
            }
            Error::NoScheme { .. } => GeccStatus::NoScheme,
            Error::NoDevice(_) => GeccStatus::NoDevice,
            Error::Device(_) => GeccStatus::Device,
            Error::Kernels(_) => GeccStatus::Kernels,
            Error::Threads(_) => GeccStatus::Threads,
            Error::OutOfMemory { .. } => GeccStatus::OutOfMemory,
            Error::Forked => GeccStatus::Forked,
            _ => GeccStatus::Other,
        };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    /// The error text of the last call of this thread that failed.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// The text of the last call of the calling thread that did not return `GECC_STATUS_OK`, in English and UTF-8; empty
/// before there is one. A call that succeeds leaves it as it is.
///
/// Never null. The text stays where it is until the next call of the same thread that fails, or until the thread ends:
/// copy what is needed longer. It never has a secret in it.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_last_error() -> *const c_char {
    // While a thread ends, its variable may be gone.
    LAST_ERROR.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Runs a call, stores the text of an error, and catches panics.
pub(crate) fn call(run: impl FnOnce() -> Result<(), Failure>) -> GeccStatus {
    // After a panic, only the codes, which are wiped, and the engine are used. The status describes
    // the latter.
    let outcome = catch_unwind(AssertUnwindSafe(run));
    // The text of a panic is omitted, because the library does not control its wording. It is on
    // standard error.
    let outcome =
        outcome.unwrap_or_else(|_| Err(Failure::new(GeccStatus::Panic, "a defect of the library stopped the call")));
    match outcome {
        Ok(()) => GeccStatus::Ok,
        Err(Failure { status, message }) => {
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = message);
            status
        }
    }
}
