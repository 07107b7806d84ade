//! Compiles kernel files to machine code with NVRTC.

use super::sources::{HEADERS, Unit};
use crate::host::process;
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use libloading::Library;
use std::error::Error as _;
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

/// Options of every compilation, in addition to the architecture.
pub const OPTIONS: &[&str] = &["--std=c++17"];

/// Environment variable with the folder of NVRTC's libraries. Without it, the loader's search path
/// applies.
const FOLDER_VARIABLE: &str = "GECC_NVRTC_DIR";

/// NVRTC as found in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nvrtc {
    pub version: (i32, i32),
}

impl Nvrtc {
    /// Loads NVRTC once per process.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub fn find() -> Result<Self, String> {
        found().map(|found| found.nvrtc)
    }

    /// Compiles a unit to machine code (a cubin) for an architecture such as `sm_90`.
    ///
    /// # Errors
    /// NVRTC's message, with its log.
    pub fn compile(self, unit: Unit, architecture: &str) -> Result<Vec<u8>, String> {
        Ok(self.run(&Text::of(unit), architecture, &[])?.0)
    }

    /// Compiles any source text, and returns the machine code with the assembler's report of
    /// registers and spills.
    ///
    /// # Errors
    /// NVRTC's message, with its log.
    pub fn compile_with_report(
        self,
        text: &Text,
        architecture: &str,
    ) -> Result<(Vec<u8>, String), String> {
        self.run(text, architecture, &["--ptxas-options=-v"])
    }

    /// Compiles a text and returns the machine code and the log.
    fn run(
        self,
        text: &Text,
        architecture: &str,
        more: &[&str],
    ) -> Result<(Vec<u8>, String), String> {
        let for_architecture = format!("--gpu-architecture={architecture}");
        let options = OPTIONS
            .iter()
            .chain(more)
            .copied()
            .chain([&*for_architecture]);
        let program = Program::new(&found()?.functions, text)?;
        let cubin = program.compile(&options.map(c_string).collect::<Vec<_>>());
        let Unit { file, curve } = text.unit;
        let cubin =
            cubin.map_err(|problem| format!("{file} for {curve} and {architecture}: {problem}"))?;
        Ok((cubin, program.log()))
    }
}

/// A source text: a kernel file, and additional headers with the names under which it includes
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub unit: Unit,
    pub source: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
}

impl Text<'static> {
    pub fn of(unit: Unit) -> Self {
        Text {
            unit,
            source: unit.source(),
            headers: &[],
        }
    }
}

/// Declares a struct of the library's functions.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// NVRTC's functions. Those of `cudarc` come from the first library that the loader finds,
        /// even if a folder is configured.
        #[allow(non_snake_case, reason = "the names are those of the library")]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> nvrtcResult,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types are those of nvrtc.h, which are the same in all versions.
                Ok(Functions { $($name: *unsafe { library.get(concat!(stringify!($name), "\0"))? },)* })
            }
        }
    };
}

functions! {
    nvrtcVersion(*mut c_int, *mut c_int);
    nvrtcCreateProgram(
        *mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
    );
    nvrtcDestroyProgram(*mut nvrtcProgram);
    nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
    nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
}

/// The parts of NVRTC that are loaded once per process.
struct LoadedNvrtc {
    nvrtc: Nvrtc,
    functions: Functions,
    /// The loaded libraries that contain the functions, if a folder is configured.
    _libraries: Vec<Library>,
}

fn found() -> Result<&'static LoadedNvrtc, String> {
    static FOUND: OnceLock<Result<LoadedNvrtc, String>> = OnceLock::new();
    process::get_or_compute(&FOUND, load)
        .as_ref()
        .map_err(String::clone)
}

fn load() -> Result<LoadedNvrtc, String> {
    let libraries = match env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        Some(folder) => {
            open(folder.as_ref()).map_err(|problem| format!("{FOLDER_VARIABLE}: {problem}"))?
        }
        None => Vec::new(),
    };
    let library = match libraries.last() {
        Some(library) => library,
        // SAFETY: the calls only load the library; NVRTC has no initialisation code with
        // preconditions.
        None if unsafe { sys::is_culib_present() } => unsafe { sys::culib() },
        None => {
            return Err(format!(
                "the library libnvrtc is not installed where the loader or {FOLDER_VARIABLE} looks"
            ));
        }
    };
    let functions =
        Functions::of(library).map_err(|problem| format!("NVRTC: {}", reason(&problem)))?;
    let mut major: c_int = 0;
    let mut minor: c_int = 0;
    // SAFETY: the arguments are two writable integers.
    check(unsafe { (functions.nvrtcVersion)(&mut major, &mut minor) })?;
    Ok(LoadedNvrtc {
        nvrtc: Nvrtc {
            version: (major, minor),
        },
        functions,
        _libraries: libraries,
    })
}

/// Opens the libraries of a folder, NVRTC last. All stay loaded, because NVRTC looks up its
/// built-ins by name.
fn open(folder: &Path) -> Result<Vec<Library>, String> {
    let paths = libraries(folder).map_err(|problem| problem.to_string())?;
    if paths.is_empty() {
        return Err("there is no libnvrtc in that folder".to_owned());
    }
    paths.iter().map(|path| open_library(path)).collect()
}

fn open_library(path: &Path) -> Result<Library, String> {
    // SAFETY: the user configures the folder of NVIDIA's libraries, which have no initialisation
    // code with preconditions.
    let library = unsafe { Library::new(path) };
    library.map_err(|problem| format!("{}: {}", path.display(), reason(&problem)))
}

/// Returns the loader's error message.
fn reason(problem: &libloading::Error) -> String {
    problem
        .source()
        .map_or_else(|| problem.to_string(), ToString::to_string)
}

/// Returns the shared objects of NVRTC in a folder, each once however many links lead to it, in the
/// order in which they are loaded. A toolkit's folder also has static archives, stubs and, as
/// `.alt.`, a second build of each.
fn libraries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut libraries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_library) {
            // A dangling link is not a library.
            libraries.extend(
                entry
                    .path()
                    .canonicalize()
                    .ok()
                    .filter(|path| path.is_file()),
            );
        }
    }
    // NVRTC looks up its built-ins by name when it compiles, so they are loaded first.
    libraries.sort_by_key(|path| (!path.to_string_lossy().contains("builtins"), path.clone()));
    libraries.dedup();
    Ok(libraries)
}

/// Returns whether a name is `libnvrtc.so` or `libnvrtc-builtins.so`, with or without a version
/// after it.
fn is_library(name: &str) -> bool {
    let rest = name
        .strip_prefix("libnvrtc")
        .map(|rest| rest.strip_prefix("-builtins").unwrap_or(rest));
    let version = rest.and_then(|rest| rest.strip_prefix(".so"));
    version.is_some_and(|version| {
        version
            .chars()
            .all(|char| char == '.' || char.is_ascii_digit())
    })
}

/// An NVRTC program with the texts that it refers to.
struct Program {
    functions: &'static Functions,
    handle: nvrtcProgram,
    _texts: Vec<CString>,
}

impl Program {
    fn new(functions: &'static Functions, text: &Text) -> Result<Self, String> {
        let curve = [("curve.cuh", text.unit.curve_header())];
        let headers = HEADERS.iter().chain(text.headers).chain(&curve);
        let (names, bodies): (Vec<CString>, Vec<CString>) =
            headers.map(|(n, b)| (c_string(n), c_string(b))).unzip();
        let source = c_string(text.source);
        let file = c_string(text.unit.file);
        let name_pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let body_pointers: Vec<*const c_char> = bodies.iter().map(|body| body.as_ptr()).collect();
        let mut handle = std::ptr::null_mut();
        // SAFETY: every pointer is to a C string that lives as long as the program, in `_texts`;
        // both lists have `names.len()` entries.
        check(unsafe {
            (functions.nvrtcCreateProgram)(
                &mut handle,
                source.as_ptr(),
                file.as_ptr(),
                names.len() as c_int,
                body_pointers.as_ptr(),
                name_pointers.as_ptr(),
            )
        })?;
        let texts = names
            .into_iter()
            .chain(bodies)
            .chain([source, file])
            .collect();
        Ok(Program {
            functions,
            handle,
            _texts: texts,
        })
    }

    fn compile(&self, options: &[CString]) -> Result<Vec<u8>, String> {
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive, and the pointers are to C strings of the caller.
        let compiled = unsafe {
            (self.functions.nvrtcCompileProgram)(
                self.handle,
                pointers.len() as c_int,
                pointers.as_ptr(),
            )
        };
        check(compiled).map_err(|problem| format!("{problem}: {}", self.log()))?;
        let mut size = 0;
        // SAFETY: the program has been compiled for a real architecture.
        check(unsafe { (self.functions.nvrtcGetCUBINSize)(self.handle, &mut size) })?;
        let mut cubin = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC returned.
        check(unsafe { (self.functions.nvrtcGetCUBIN)(self.handle, cubin.as_mut_ptr().cast()) })?;
        Ok(cubin)
    }

    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program is alive.
        let known =
            check(unsafe { (self.functions.nvrtcGetProgramLogSize)(self.handle, &mut size) });
        let mut log = vec![0u8; size];
        let got = known.and_then(|()| {
            // SAFETY: the buffer has the size that NVRTC returned.
            check(unsafe {
                (self.functions.nvrtcGetProgramLog)(self.handle, log.as_mut_ptr().cast())
            })
        });
        // The size includes the terminating zero byte.
        log.truncate(
            log.iter()
                .position(|byte| *byte == 0)
                .filter(|_| got.is_ok())
                .unwrap_or(0),
        );
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again. The result of the call has no further effect.
        let _ = unsafe { (self.functions.nvrtcDestroyProgram)(&mut self.handle) };
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("the device code has no zero bytes")
}

fn check(result: nvrtcResult) -> Result<(), String> {
    result
        .result()
        .map_err(|problem| format!("NVRTC: {problem:?}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn library_names(folder: &Path) -> Vec<String> {
        let libraries = libraries(folder).expect("a folder");
        libraries
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect()
    }

    /// A folder like a toolkit's `lib64`, with additional unusual files.
    #[test]
    fn libraries_skips_files_that_are_not_nvrtc() {
        let folder = env::temp_dir().join(format!("gecc-nvrtc-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("libnvrtc.so.99"))
            .expect("the temporary folder is writable");
        // Links are resolved to the true names of their files.
        let folder = folder.canonicalize().expect("it was just made");
        assert!(library_names(&folder).is_empty());
        assert_eq!(
            open(&folder).unwrap_err(),
            "there is no libnvrtc in that folder"
        );
        let others = [
            "libnvrtc_static.a",
            "libnvrtc-builtins_static.a",
            "libnvrtc_static.alt.a",
            "libnvrtc.alt.so.13.0.48",
            "libnvrtc-builtins.alt.so.13.0",
            "libnvrtc.so.13.bak",
            "libnvrtc.so~",
            "libnvrtc.soft",
            "libnvrtc.txt",
            "xlibnvrtc.so",
            "libcudart.so.13",
        ];
        for name in others
            .iter()
            .chain(&["libnvrtc.so.13.0.48", "libnvrtc-builtins.so.13.0.48"])
        {
            fs::write(folder.join(name), "!<arch>\n").expect("the folder is writable");
        }
        let links = [
            ("libnvrtc.so.13.0.48", "libnvrtc.so.13"),
            ("libnvrtc.so.13", "libnvrtc.so"),
            ("libnvrtc-builtins.so.13.0.48", "libnvrtc-builtins.so.13.0"),
            ("libnvrtc-builtins.so.13.0", "libnvrtc-builtins.so"),
            ("libnvrtc.so.12.9.86", "libnvrtc.so.12"),
            ("libnvrtc.so.11", "libnvrtc.so.11"),
        ];
        for (to, link) in links {
            symlink(to, folder.join(link)).expect("links can be made");
        }
        assert_eq!(
            library_names(&folder),
            ["libnvrtc-builtins.so.13.0.48", "libnvrtc.so.13.0.48"]
        );
        fs::remove_dir_all(&folder).expect("it is there");
        assert!(open(&folder).is_err());
    }
}
