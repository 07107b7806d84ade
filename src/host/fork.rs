//! Processes that fork. A child has only the thread that forked: the engine's threads are not there, locks that they
//! held stay locked, and the driver does not work.

/// The process in which something was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u32);

impl Process {
    pub fn this() -> Self {
        Process(std::process::id())
    }

    pub fn is_this(self) -> bool {
        self == Self::this()
    }
}
