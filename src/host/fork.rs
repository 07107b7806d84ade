//! Detection of forks. A child process has only the thread that forked: the engine's threads do not
//! exist, locks that they held stay locked, and the driver does not work.

/// The process in which an object was created.
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
