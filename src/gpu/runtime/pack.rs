//! Packs: the precompiled kernels of all operations for one architecture in one file.
//!
//! A pack begins with a header: [`MAGIC`], the SHA-256 of the rest of the header, the version of
//! NVRTC, the number of kernels, and an entry for each. The kernels follow, each compressed on its
//! own (deflate), so that a reader decompresses only the kernels it needs. Numbers are little-endian. Entries are
//! looked up by the hash of the kernel's sources, so that kernels of other sources are not found.
//! Each kernel is checked by its content, like one in the cache. A file that is damaged, or
//! writable by another user, is never loaded.

use super::kernel_files::{content_hash, open_trusted, source_hash, stem, write_whole};
use super::nvrtc::Nvrtc;
use super::sources::Unit;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"gecc kernel pack";

/// The length of the fixed header: magic, hash, two numbers of NVRTC's version, and the number of
/// entries.
const FIXED: usize = 16 + 32 + 4 + 4 + 4;
/// The start of the part of the header that its hash covers.
const HASHED: usize = 16 + 32;

/// The length of an entry: hash of the sources, offset, compressed length, hash of the content.
const ENTRY: usize = 16 + 8 + 8 + 32;

/// Limit on the number of kernels: more than a pack has, and little memory.
const MOST_KERNELS: usize = 4096;
/// Limit on the bytes of a kernel: more than any has, so that a length claimed by a file cannot
/// take more memory.
const LARGEST_KERNEL: u64 = 1 << 24;

/// Returns the path of an architecture's pack in a folder.
pub fn path(folder: &Path, architecture: &str) -> PathBuf {
    folder.join(file_name(architecture))
}

fn file_name(architecture: &str) -> String {
    format!("{architecture}.{EXTENSION}")
}

/// The file extension of packs.
pub const EXTENSION: &str = "gecckernels";

/// A kernel in the form in which a pack stores it.
#[derive(Debug)]
pub struct Packed {
    sources: [u8; 16],
    content: [u8; 32],
    compressed: Vec<u8>,
}

impl Packed {
    /// Compresses a kernel.
    ///
    /// # Errors
    /// An error if the kernel is too large for a pack.
    pub fn new(unit: Unit, architecture: &str, cubin: &[u8]) -> io::Result<Self> {
        if cubin.len() as u64 > LARGEST_KERNEL {
            return Err(io::Error::other(format!(
                "{} for {} is too large for a pack",
                unit.file, unit.curve
            )));
        }
        let mut compressed = Vec::new();
        DeflateEncoder::new(cubin, Compression::best()).read_to_end(&mut compressed)?;
        let content = content_hash(&stem(unit, architecture), cubin);
        Ok(Packed {
            sources: source_hash(unit, architecture),
            content,
            compressed,
        })
    }
}

/// Writes a pack into a folder, replacing an existing one.
///
/// # Errors
/// The reason why it could not be written.
pub fn write(
    folder: &Path,
    architecture: &str,
    nvrtc: Nvrtc,
    kernels: &[Packed],
) -> io::Result<PathBuf> {
    let (major, minor) = nvrtc.version;
    let mut head = [
        major.to_le_bytes(),
        minor.to_le_bytes(),
        (kernels.len() as u32).to_le_bytes(),
    ]
    .concat();
    let mut place = (FIXED + ENTRY * kernels.len()) as u64;
    for Packed {
        sources,
        content,
        compressed,
    } in kernels
    {
        let length = compressed.len() as u64;
        head.extend(
            [
                &sources[..],
                &place.to_le_bytes(),
                &length.to_le_bytes(),
                content,
            ]
            .concat(),
        );
        place += length;
    }
    let hash: [u8; 32] = Sha256::digest(&head).into();
    let contents = kernels.iter().map(|kernel| &*kernel.compressed);
    let parts: Vec<&[u8]> = [&MAGIC[..], &hash, &head]
        .into_iter()
        .chain(contents)
        .collect();
    write_whole(folder, &file_name(architecture), &parts)?;
    Ok(path(folder, architecture))
}

/// A pack whose header is complete and whose file is trusted.
#[derive(Debug)]
pub struct Pack {
    file: File,
    /// The version of NVRTC that compiled it.
    pub nvrtc: (i32, i32),
    entries: Vec<PackEntry>,
}

#[derive(Debug)]
struct PackEntry {
    sources: [u8; 16],
    place: u64,
    length: u64,
    content: [u8; 32],
}

impl Pack {
    /// Opens a pack. Returns `None` if the file does not exist.
    ///
    /// # Errors
    /// The reason why the pack cannot be used.
    pub fn open(path: &Path) -> Result<Option<Self>, String> {
        let opened = open_trusted(path).and_then(|file| Pack::of(file).map(Some));
        match opened {
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
            opened => opened.map_err(|problem| problem.to_string()),
        }
    }

    fn of(mut file: File) -> io::Result<Self> {
        let mut fixed = [0; FIXED];
        read_exact(&mut file, &mut fixed)?;
        let count = usize::try_from(i32_at(&fixed, FIXED - 4)).unwrap_or(usize::MAX);
        if fixed[..16] != *MAGIC || count > MOST_KERNELS {
            return Err(damaged());
        }
        let mut entries = vec![0; count * ENTRY];
        read_exact(&mut file, &mut entries)?;
        let hash = Sha256::new()
            .chain_update(&fixed[HASHED..])
            .chain_update(&entries)
            .finalize();
        if fixed[16..HASHED] != *hash {
            return Err(damaged());
        }
        let entries = entries.chunks_exact(ENTRY).map(PackEntry::of).collect();
        Ok(Pack {
            file,
            nvrtc: (i32_at(&fixed, HASHED), i32_at(&fixed, HASHED + 4)),
            entries,
        })
    }

    /// Returns the machine code of a unit, or `None` if the pack has none compiled from these
    /// sources.
    ///
    /// # Errors
    /// An error if the pack is damaged.
    pub fn read(&self, unit: Unit, architecture: &str) -> Result<Option<Vec<u8>>, String> {
        let sources = source_hash(unit, architecture);
        let Some(entry) = self.entries.iter().find(|entry| entry.sources == sources) else {
            return Ok(None);
        };
        let cubin = entry
            .inflate(&self.file)
            .map_err(|problem| problem.to_string())?;
        let is_whole = content_hash(&stem(unit, architecture), &cubin) == entry.content;
        is_whole
            .then_some(Some(cubin))
            .ok_or_else(|| damaged().to_string())
    }
}

impl PackEntry {
    fn of(bytes: &[u8]) -> Self {
        PackEntry {
            sources: bytes[..16].try_into().expect("16 bytes"),
            place: u64_at(bytes, 16),
            length: u64_at(bytes, 24),
            content: bytes[32..].try_into().expect("32 bytes"),
        }
    }

    /// Decompresses a kernel to a bounded length, whether or not the file is damaged.
    fn inflate(&self, mut file: &File) -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(self.place))?;
        let compressed = io::BufReader::new(file.take(self.length));
        let mut cubin = Vec::new();
        let inflated = DeflateDecoder::new(compressed)
            .take(LARGEST_KERNEL)
            .read_to_end(&mut cubin);
        inflated.map_err(|_| damaged())?;
        Ok(cubin)
    }
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn read_exact(file: &mut File, to: &mut [u8]) -> io::Result<()> {
    file.read_exact(to).map_err(|problem| match problem.kind() {
        ErrorKind::UnexpectedEof => damaged(),
        _ => problem,
    })
}

fn damaged() -> io::Error {
    io::Error::other("the file is damaged, or is not a kernel pack")
}

#[cfg(test)]
mod tests {
    use super::super::kernel_files::tests::Folder;
    use super::*;
    use std::fs;

    const NVRTC: Nvrtc = Nvrtc { version: (13, 7) };
    const ARCHITECTURE: &str = "sm_90";
    const FIRST: Unit = Unit {
        file: "layout",
        curve: "p256",
    };
    const SECOND: Unit = Unit {
        file: "layout",
        curve: "sm2",
    };

    /// Creates substitute machine code, half of it random, so that it is compressible but does not
    /// shrink to almost nothing.
    fn code(length: usize) -> Vec<u8> {
        let mut code = vec![0; length];
        getrandom::fill(&mut code[..length / 2]).expect("the system has random numbers");
        code
    }

    fn packed(unit: Unit, cubin: &[u8]) -> Packed {
        Packed::new(unit, ARCHITECTURE, cubin).expect("it is small")
    }

    /// Writes a pack of two kernels, and returns its path and their code.
    fn two(folder: &Folder) -> (PathBuf, [Vec<u8>; 2]) {
        let codes = [code(300), code(500)];
        let kernels = [packed(FIRST, &codes[0]), packed(SECOND, &codes[1])];
        (
            write(&folder.0, ARCHITECTURE, NVRTC, &kernels).expect("the folder is writable"),
            codes,
        )
    }

    fn open(path: &Path) -> Result<Pack, String> {
        Ok(Pack::open(path)?.expect("the file is there"))
    }

    /// Reads a kernel as the engine does. Returns `None` if the file or the kernel is rejected.
    fn read(path: &Path, unit: Unit) -> Option<Vec<u8>> {
        open(path).ok()?.read(unit, ARCHITECTURE).ok()?
    }

    #[test]
    fn pack_returns_stored_code() {
        let folder = Folder::new("round-trip");
        let (path, codes) = two(&folder);
        let pack = open(&path).unwrap();
        assert_eq!((pack.nvrtc, pack.entries.len()), (NVRTC.version, 2));
        for (unit, code) in [FIRST, SECOND].iter().zip(&codes) {
            assert_eq!(pack.read(*unit, ARCHITECTURE), Ok(Some(code.clone())));
        }
        // A kernel that the pack lacks, or has only for another architecture.
        assert_eq!(
            pack.read(
                Unit {
                    file: "sign",
                    ..FIRST
                },
                ARCHITECTURE
            ),
            Ok(None)
        );
        assert_eq!(pack.read(FIRST, "sm_80"), Ok(None));
        assert!(
            Pack::open(&super::path(&folder.0, "sm_80"))
                .unwrap()
                .is_none()
        );
        // A pack replaces the previous one and leaves no other file.
        let newer = code(64);
        write(&folder.0, ARCHITECTURE, NVRTC, &[packed(FIRST, &newer)]).unwrap();
        assert_eq!(
            (read(&path, FIRST), read(&path, SECOND)),
            (Some(newer), None)
        );
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    #[test]
    fn kernels_of_other_sources_are_not_found() {
        let folder = Folder::new("other-sources");
        let mut kernel = packed(FIRST, &code(100));
        kernel.sources[7] ^= 1;
        let path = write(&folder.0, ARCHITECTURE, NVRTC, &[kernel]).unwrap();
        assert_eq!(open(&path).unwrap().read(FIRST, ARCHITECTURE), Ok(None));
        // Nor is the code of another kernel accepted in its place.
        let mut kernel = packed(SECOND, &code(100));
        kernel.sources = source_hash(FIRST, ARCHITECTURE);
        let path = write(&folder.0, ARCHITECTURE, NVRTC, &[kernel]).unwrap();
        assert!(open(&path).unwrap().read(FIRST, ARCHITECTURE).is_err());
    }

    #[test]
    fn damaged_packs_are_not_used() {
        let folder = Folder::new("damaged");
        let (path, codes) = two(&folder);
        let whole = fs::read(&path).unwrap();
        let head = FIXED + 2 * ENTRY;
        let second_at = head + open(&path).unwrap().entries[0].length as usize;
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            fs::write(&path, &changed).unwrap();
            let found = [read(&path, FIRST), read(&path, SECOND)];
            match place {
                _ if place < head => assert!(open(&path).is_err(), "byte {place}"),
                // Bits that deflate ignores, such as those after its end, may differ: the content
                // never does.
                _ if place < second_at => {
                    assert!(
                        found[0].as_ref().is_none_or(|code| *code == codes[0]),
                        "byte {place}"
                    );
                    assert_eq!(found[1].as_ref(), Some(&codes[1]), "byte {place}");
                }
                _ => {
                    assert!(
                        found[1].as_ref().is_none_or(|code| *code == codes[1]),
                        "byte {place}"
                    );
                    assert_eq!(found[0].as_ref(), Some(&codes[0]), "byte {place}");
                }
            }
        }
        // The random half of each is stored uncompressed, or nearly so.
        fs::write(
            &path,
            whole
                .iter()
                .enumerate()
                .map(|(i, b)| b ^ u8::from(i > head))
                .collect::<Vec<_>>(),
        )
        .unwrap();
        assert_eq!([read(&path, FIRST), read(&path, SECOND)], [None, None]);
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(open(&path).is_err(), length < head, "cut to {length}");
            assert_eq!(read(&path, SECOND), None, "cut to {length}");
            assert_eq!(
                read(&path, FIRST).is_some(),
                length >= second_at,
                "cut to {length}"
            );
        }
    }

    /// A pack whose header can be changed.
    struct Header<'a> {
        path: &'a Path,
        whole: &'a [u8],
    }

    impl Header<'_> {
        /// Writes the pack with another number at an offset of its header, and the matching hash of
        /// its first `hashed` bytes.
        fn write_with(&self, offset: usize, number: &[u8], hashed: usize) {
            let mut changed = self.whole.to_vec();
            changed[offset..offset + number.len()].copy_from_slice(number);
            let hash = Sha256::digest(&changed[HASHED..hashed.clamp(HASHED, self.whole.len())]);
            changed[16..HASHED].copy_from_slice(&hash);
            fs::write(self.path, &changed).unwrap();
        }
    }

    /// False numbers in a header whose hash is right.
    #[test]
    fn false_numbers_in_header_allocate_no_memory() {
        let folder = Folder::new("lying");
        let (path, codes) = two(&folder);
        let whole = fs::read(&path).unwrap();
        let head = FIXED + 2 * ENTRY;
        let header = Header {
            path: &path,
            whole: &whole,
        };
        let most = MOST_KERNELS as i32;
        for count in [-1, i32::MIN, i32::MAX, most, most + 1] {
            let entries = usize::try_from(count).unwrap_or(0).saturating_mul(ENTRY);
            header.write_with(
                FIXED - 4,
                &count.to_le_bytes(),
                entries.saturating_add(FIXED),
            );
            assert!(open(&path).is_err(), "{count}");
        }
        // An additional invalid entry does not affect the kernels.
        header.write_with(FIXED - 4, &3i32.to_le_bytes(), FIXED + 3 * ENTRY);
        assert_eq!(
            [read(&path, FIRST), read(&path, SECOND)],
            codes.clone().map(Some)
        );
        // With fewer entries than kernels, the remaining ones are found.
        header.write_with(FIXED - 4, &1i32.to_le_bytes(), FIXED + ENTRY);
        assert_eq!(
            (read(&path, FIRST), read(&path, SECOND)),
            (Some(codes[0].clone()), None)
        );
        let place = FIXED + 16;
        let length = FIXED + 24;
        let far = [
            u64::MAX,
            1 << 63,
            (1 << 63) - 1,
            whole.len() as u64,
            1 << 40,
            0,
        ];
        for (at, number) in far
            .map(|number| (place, number))
            .into_iter()
            .chain([(length, 0), (length, 5)])
        {
            header.write_with(at, &number.to_le_bytes(), head);
            assert_eq!(
                (read(&path, FIRST), read(&path, SECOND)),
                (None, Some(codes[1].clone())),
                "{at} {number}"
            );
        }
        // A deflate stream contains its own end.
        for number in [u64::MAX, 1 << 40] {
            header.write_with(length, &number.to_le_bytes(), head);
            assert_eq!(read(&path, FIRST), Some(codes[0].clone()));
        }
    }

    /// A few kilobytes that would decompress to more than the limit of a kernel.
    #[test]
    fn kernels_that_would_grow_without_end_are_refused() {
        let folder = Folder::new("grows");
        let zeros = vec![0; 4 * LARGEST_KERNEL as usize];
        assert!(Packed::new(FIRST, ARCHITECTURE, &zeros).is_err());
        let mut compressed = Vec::new();
        DeflateEncoder::new(&zeros[..], Compression::best())
            .read_to_end(&mut compressed)
            .unwrap();
        let content = content_hash(&stem(FIRST, ARCHITECTURE), &zeros);
        let kernel = Packed {
            sources: source_hash(FIRST, ARCHITECTURE),
            content,
            compressed,
        };
        let path = write(&folder.0, ARCHITECTURE, NVRTC, &[kernel]).unwrap();
        let pack = open(&path).unwrap();
        assert_eq!(
            pack.entries[0].inflate(&pack.file).unwrap().len() as u64,
            LARGEST_KERNEL
        );
        assert!(pack.read(FIRST, ARCHITECTURE).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn packs_that_others_can_write_or_own_are_not_used() {
        use std::os::unix::fs::{PermissionsExt, chown};
        let folder = Folder::new("foreign");
        let (path, _) = two(&folder);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o644
        );
        for mode in [0o666, 0o664, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let problem = open(&path).unwrap_err();
            assert!(problem.contains("can be written by others"), "{problem}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        // Only root can change the owner of a file.
        if chown(&path, Some(54321), None).is_ok() {
            assert_eq!(
                open(&path).is_ok(),
                rustix::process::geteuid().as_raw() == 54321
            );
        }
        // A folder in place of the file.
        let other = super::path(&folder.0.join("folder"), ARCHITECTURE);
        let folder = folder.0.join("folder");
        fs::create_dir_all(folder.join(file_name(ARCHITECTURE))).unwrap();
        assert!(open(&other).is_err());
    }
}
