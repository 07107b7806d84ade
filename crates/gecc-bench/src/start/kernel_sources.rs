//! The origins of the kernels of a measured process.

use super::once::{Item, Phases};
use super::{command, measure};
use crate::flags::StartOptions;
use gecc::KernelOrigin;
use gecc_cli::installation;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KernelSource {
    /// The CPU, which has no kernels.
    Cpu,
    Gpu(KernelOrigin),
}

impl KernelSource {
    pub fn all(on_gpu: bool) -> Vec<KernelSource> {
        match on_gpu {
            false => vec![KernelSource::Cpu],
            true => [
                KernelOrigin::Pack,
                KernelOrigin::Cache,
                KernelOrigin::Compiled,
            ]
            .map(KernelSource::Gpu)
            .into(),
        }
    }

    pub fn name(self) -> String {
        match self {
            KernelSource::Cpu => "none".to_owned(),
            KernelSource::Gpu(origin) => origin.to_string(),
        }
    }

    /// Prepares the folders that all runs share.
    pub fn prepare(self, options: &StartOptions, item: &Item) -> Result<Folders, String> {
        let empty = TempDir::with_prefix("gecc-bench-")
            .map_err(|problem| format!("a temporary folder: {problem}"))?;
        let mut folders = Folders {
            place: self,
            packs: None,
            empty,
            cache: None,
        };
        match self {
            KernelSource::Gpu(KernelOrigin::Pack) => {
                let packs = match &options.kernels {
                    Some(folder) => Some(folder.clone()),
                    None => installation::packs()?,
                };
                folders.packs =
                    Some(packs.ok_or("packs were not found: pass their folder with --kernels")?);
            }
            KernelSource::Gpu(KernelOrigin::Cache) => {
                let mut filling = command(options)?;
                folders.enter(&mut filling)?;
                measure(filling, item)?;
            }
            _ => {}
        }
        Ok(folders)
    }

    /// Returns an error unless all kernels have this origin.
    pub fn check(self, phases: &Phases) -> Result<(), String> {
        let expected = self.name();
        match phases
            .kernels
            .iter()
            .find(|kernels| kernels.origin != expected)
        {
            Some(other) => Err(format!(
                "{} for {} came from elsewhere: {}",
                other.file, other.curve, other.origin
            )),
            None => Ok(()),
        }
    }
}

/// The folders that the processes find.
pub struct Folders {
    place: KernelSource,
    packs: Option<PathBuf>,
    empty: TempDir,
    /// The cache folder of the next run, or of all runs.
    cache: Option<TempDir>,
}

impl Folders {
    /// Sets the environment of the next process.
    pub fn enter(&mut self, command: &mut Command) -> Result<(), String> {
        if self.cache.is_none() || self.place != KernelSource::Gpu(KernelOrigin::Cache) {
            let folder = TempDir::with_prefix("gecc-bench-");
            self.cache = Some(folder.map_err(|problem| format!("a temporary folder: {problem}"))?);
        }
        let cache = self.cache.as_ref().expect("just made").path();
        // An empty value disables packs.
        command
            .env("GECC_KERNEL_CACHE", cache)
            .env("GECC_KERNELS", self.packs.clone().unwrap_or_default());
        if self.place == KernelSource::Gpu(KernelOrigin::Pack) {
            command.env("GECC_NVRTC_DIR", self.empty.path());
        }
        Ok(())
    }
}
