//! Parts of files that are decoded by themselves.

use crate::problem::{Problem, Progress};
use std::path::Path;
use std::sync::Arc;

/// A part of a file, with how far the reading has come with it.
pub(crate) struct Piece<C> {
    /// The file, and what of it is to be decoded; `None` where nothing is.
    pub content: Option<(Arc<Path>, C)>,
    pub progress: Progress,
}

impl<C> Piece<C> {
    /// Makes a piece for which this many bytes of the file were read.
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

    /// Makes the final piece of a file, with its bytes that were not counted yet.
    pub fn end_of(path: &Arc<Path>, bytes: u64) -> Self {
        let progress = Progress { finished: vec![Arc::clone(path)], bytes, ..Progress::default() };
        Piece { content: None, progress }
    }
}
