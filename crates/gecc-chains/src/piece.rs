//! Parts of files that are decoded independently.

use crate::problem::{Problem, Progress};
use std::path::Path;
use std::sync::Arc;

/// A part of a file, with the progress that reading makes with it.
pub(crate) struct Piece<C> {
    /// The file, and its content to decode; `None` if there is nothing to decode.
    pub content: Option<(Arc<Path>, C)>,
    pub progress: Progress,
}

impl<C> Piece<C> {
    /// Creates a piece for which `bytes` bytes of the file were read.
    pub fn new(path: &Arc<Path>, content: C, bytes: u64) -> Self {
        let progress = Progress { bytes, ..Progress::default() };
        Piece { content: Some((Arc::clone(path), content)), progress }
    }

    pub fn problem(problem: Problem) -> Self {
        Self::problems(vec![problem])
    }

    pub fn problems(problems: Vec<Problem>) -> Self {
        Piece { content: None, progress: Progress { problems, ..Progress::default() } }
    }

    /// Creates the final piece of a file, with the bytes of the file that were not counted yet.
    pub fn end_of(path: &Arc<Path>, bytes: u64) -> Self {
        let progress = Progress { finished: vec![Arc::clone(path)], bytes, ..Progress::default() };
        Piece { content: None, progress }
    }
}
