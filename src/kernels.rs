//! Compiled kernels: building them ahead of time, and where they are kept.
//!
//! The GPU engine compiles what it needs for the GPU that is there when it first needs it, which takes some seconds, and
//! keeps it in a folder: the one that `GECC_KERNEL_CACHE` names, else `gecc` in the user's cache folder. A folder that
//! [`build`] filled serves where NVRTC is not installed. Files are used only if they are whole, belong to the user or to
//! root, and can be written by nobody else.
//!
//! NVRTC is looked up as the loader does; `GECC_NVRTC_DIR` names its folder where that fails.

use crate::gpu::runtime::Unit;
use crate::gpu::runtime::kernel_cache::Cache;
use crate::gpu::runtime::nvrtc::Nvrtc;
use crate::host::workers::Pool;
use crate::types::Error;
use std::path::{Path, PathBuf};

/// What one kernel takes of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelUsage {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve; `none` where the file needs none.
    pub curve: &'static str,
    /// The kernel's name; the file's name for functions that several kernels call.
    pub kernel: String,
    /// Registers of a thread; 0 for a function that is not a kernel.
    pub registers: u32,
    /// Bytes of local memory that a thread writes because registers do not suffice.
    pub spill_stores: u32,
    /// Bytes read back.
    pub spill_loads: u32,
}

/// What the compiler makes of one kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachineCode {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve; `none` where the file needs none.
    pub curve: &'static str,
    /// The kernels: an ELF file for the GPU.
    pub cubin: Vec<u8>,
}

/// Compiles every kernel for one architecture, such as `sm_90`, into a folder. Returns the files.
///
/// `report` gets each file's name as soon as it is there, from several threads.
///
/// # Errors
/// [`Error::Kernels`] when NVRTC is missing or cannot compile for the architecture, or the folder cannot be written;
/// [`Error::Threads`] when the system refuses the threads that compile.
pub fn build(architecture: &str, folder: &Path, report: impl Fn(&Path) + Sync) -> Result<Vec<PathBuf>, Error> {
    let (nvrtc, cache) = (Nvrtc::find().map_err(Error::Kernels)?, Cache::at(folder));
    // Compiling takes a minute: what fails without it shall fail before.
    std::fs::create_dir_all(folder).map_err(|problem| Error::Kernels(format!("{}: {problem}", folder.display())))?;
    let build = |unit: &Unit| {
        let path = cache.build(*unit, architecture, nvrtc).map_err(Error::Kernels)?;
        report(&path);
        Ok(path)
    };
    each(Unit::all(), build)
}

/// Compiles every kernel for one architecture, and tells what each takes, by the report of the assembler.
///
/// # Errors
/// [`Error::Kernels`] when NVRTC is missing or cannot compile for the architecture; [`Error::Threads`] when the system
/// refuses the threads that compile.
pub fn usage(architecture: &str) -> Result<Vec<KernelUsage>, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let usage = |unit: &Unit| {
        let report = nvrtc.assembler_report(*unit, architecture).map_err(Error::Kernels)?;
        Ok(parse_report(*unit, &report))
    };
    Ok(each(Unit::all(), usage)?.into_iter().flatten().collect())
}

/// What `compute` gives for each of some units, on all cores.
fn each<T: Send>(
    units: impl Iterator<Item = Unit>,
    compute: impl Fn(&Unit) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let mut results: Vec<(Unit, Option<Result<T, Error>>)> = units.map(|unit| (unit, None)).collect();
    Pool::new(None)?.for_each(results.iter_mut().collect(), |(unit, result)| *result = Some(compute(unit)));
    results.into_iter().map(|(_, result)| result.expect("every unit was computed")).collect()
}

/// Compiles some kernel files for one architecture and every curve, as the GPU engine does.
///
/// # Errors
/// [`Error::Kernels`] when NVRTC is missing or cannot compile for the architecture; [`Error::Threads`] when the system
/// refuses the threads that compile.
pub fn machine_code(architecture: &str, files: &[&str]) -> Result<Vec<MachineCode>, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let compile = |unit: &Unit| {
        let cubin = nvrtc.compile(*unit, architecture).map_err(Error::Kernels)?;
        let Unit { file, curve } = *unit;
        Ok(MachineCode { file, curve, cubin })
    };
    each(Unit::all().filter(|unit| files.contains(&unit.file)), compile)
}

/// The folder of compiled kernels; `None` where the environment names none.
pub fn cache_folder() -> Option<PathBuf> {
    Cache::of_user().folder().map(Path::to_owned)
}

/// The version of NVRTC.
///
/// # Errors
/// [`Error::Kernels`] with the reason why it cannot be used.
pub fn nvrtc_version() -> Result<(i32, i32), Error> {
    Nvrtc::find().map(|nvrtc| nvrtc.version).map_err(Error::Kernels)
}

/// The lines of the assembler's report that matter: which function, its spills, and a kernel's registers.
fn parse_report(unit: Unit, report: &str) -> Vec<KernelUsage> {
    let mut all: Vec<KernelUsage> = Vec::new();
    for line in report.lines() {
        let number_before = |unit: &str| {
            let words: Vec<&str> = line[..line.find(unit)?].split_whitespace().collect();
            words.last()?.parse::<u32>().ok()
        };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            let (Unit { file, curve }, kernel) = (unit, function.trim().to_owned());
            all.push(KernelUsage { file, curve, kernel, registers: 0, spill_stores: 0, spill_loads: 0 });
        }
        let Some(last) = all.last_mut() else { continue };
        if let (Some(stores), Some(loads)) = (number_before("bytes spill stores"), number_before("bytes spill loads")) {
            (last.spill_stores, last.spill_loads) = (stores, loads);
        }
        if let Some(registers) = number_before("registers") {
            last.registers = registers;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_understood() {
        let report = "\
ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'gecc_one' for 'sm_90'
ptxas info    : Function properties for gecc_one
    24 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 74 registers, used 1 barriers, 16384 bytes smem
ptxas info    : Function properties for shared_function
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let parsed = parse_report(Unit { file: "normalize", curve: "sm2" }, report);
        let numbers: Vec<_> =
            parsed.iter().map(|u| (u.kernel.as_str(), u.registers, u.spill_stores, u.spill_loads)).collect();
        assert_eq!(numbers, [("gecc_one", 74, 4, 8), ("shared_function", 0, 0, 0)]);
    }
}
