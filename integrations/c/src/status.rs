//! The version of the interface, the status of a call, and the text of its error.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The version of this interface.
pub const GECC_ABI_VERSION: u32 = 2;

/// Returns the version of the interface that the library has: `GECC_ABI_VERSION` of the matching
/// header.
///
/// Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_abi_version() -> u32 {
    GECC_ABI_VERSION
}

/// The status of a call. Numbers never change and are never reused. Later versions may add numbers.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeccStatus {
    /// The call succeeded. The codes contain the results of checking the items.
    Ok = 0,
    /// A required pointer is null.
    NullPointer = 1,
    /// A number, size, stride or alignment is invalid, memory that is written overlaps other memory
    /// of the call, or a text is not UTF-8.
    InvalidArgument = 2,
    /// The curve does not support the scheme: there is no ECDSA on the curve of SM2.
    NoScheme = 3,
    /// GPUs were requested, and none can be used.
    NoDevice = 4,
    /// All GPUs failed, and the engine may not use the CPU instead.
    Device = 5,
    /// Kernels could not be compiled, stored or loaded.
    Kernels = 6,
    /// The operating system refused to start threads.
    Threads = 7,
    /// The engine was created before this process was forked. Create another one after the fork.
    Forked = 8,
    /// There is not enough memory for a buffer.
    OutOfMemory = 9,
    /// A defect of the library ended the call. Its results are meaningless. Other calls continue.
    /// Free the engine when they have ended, create another one, and report the library's output on
    /// standard error.
    Panic = 10,
    /// An error for which this version of the interface has no number. `gecc_last_error` describes
    /// it.
    Other = 11,
    /// The caller's function ended the call (`gecc_on_progress`).
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
        Failure {
            status,
            message: message.into(),
        }
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
            Error::LengthMismatch { .. }
            | Error::InvalidColumn(_)
            | Error::InvalidOption { .. }
            | Error::DomainSeparation { .. }
            | Error::InvalidForm { .. } => GeccStatus::InvalidArgument,
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

/// Returns the text of the calling thread's last call that did not return `GECC_STATUS_OK`, in
/// English and UTF-8, or an empty text if there is none. Successful calls do not change it.
///
/// Never returns null. The text is valid until the next call of the same thread that fails, or
/// until the thread ends. It never contains a secret.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_last_error() -> *const c_char {
    // While a thread ends, its variable may be gone.
    LAST_ERROR
        .try_with(|message| message.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

/// Runs a call, stores the text of an error, and catches panics.
pub(crate) fn call(run: impl FnOnce() -> Result<(), Failure>) -> GeccStatus {
    // After a panic, only the codes, which are wiped, and the engine are used. The status describes
    // the latter.
    let outcome = catch_unwind(AssertUnwindSafe(run));
    // The text of a panic is omitted, because the library does not control its wording. It is on
    // standard error.
    let outcome = outcome.unwrap_or_else(|_| {
        Err(Failure::new(
            GeccStatus::Panic,
            "a defect of the library stopped the call",
        ))
    });
    match outcome {
        Ok(()) => GeccStatus::Ok,
        Err(Failure { status, message }) => {
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = message);
            status
        }
    }
}
