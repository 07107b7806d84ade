//! Decompression of pages, limited to the size in a checked header.

use super::footer::malformed;
use super::lz4;
use crate::error::Error;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use parquet::basic::Compression;
use std::cell::RefCell;
use std::io::Read;
use zstd::bulk::Decompressor;

/// The compression of a column's pages. Codecs that a file may name but that are not listed here
/// are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Snappy,
    Gzip,
    Zstd,
    Brotli,
    /// Bare LZ4 blocks.
    Lz4Raw,
    /// The codec that old writers call LZ4: Hadoop's blocks, a frame, or a bare block,
    /// distinguished by trial.
    Lz4,
}

impl Codec {
    /// Returns the codec of a column; `None` for pages that are not compressed.
    pub fn of(compression: Compression) -> Result<Option<Self>, Error> {
        Ok(Some(match compression {
            Compression::UNCOMPRESSED => return Ok(None),
            Compression::SNAPPY => Codec::Snappy,
            Compression::GZIP(_) => Codec::Gzip,
            Compression::ZSTD(_) => Codec::Zstd,
            Compression::LZ4_RAW => Codec::Lz4Raw,
            Compression::LZ4 => Codec::Lz4,
            Compression::BROTLI(_) => Codec::Brotli,
            other => {
                // Some have a level after the name.
                let name = format!("{other:?}");
                let name = name.split('(').next().unwrap_or_default();
                let read = "Snappy, gzip, Zstandard, Brotli and LZ4";
                return Err(malformed(&format!(
                    "pages compressed by {name} are not read, but by {read}"
                )));
            }
        }))
    }

    /// Decompresses all of `from`, which must exactly fill `to`.
    pub fn decompress(self, from: &[u8], to: &mut [u8]) -> Result<(), Error> {
        let expected = to.len();
        let length = match self {
            // Its decoder checks the length stated in the data before it writes.
            Codec::Snappy => snap::raw::Decoder::new().decompress(from, to).ok(),
            Codec::Zstd => unzstd(from, to),
            Codec::Lz4Raw => lz4_flex::block::decompress_into(from, to).ok(),
            Codec::Lz4 => unlz4(from, to),
            Codec::Gzip => gunzip(from, to),
            Codec::Brotli => unbrotli(from, to),
        };
        if length != Some(expected) {
            return Err(malformed(&format!(
                "a page does not become the {expected} bytes of its header"
            )));
        }
        Ok(())
    }
}

/// Decompresses with the thread's own decompressor. Making one queries the processor's features,
/// which takes a virtual machine longer than a small page.
fn unzstd(from: &[u8], to: &mut [u8]) -> Option<usize> {
    thread_local! {
        static KEPT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new().ok()?),
        };
        decompressor.decompress_to_buffer(from, to).ok()
    })
}

/// Decompresses all members, one after another. Returns `None` if they do not exactly fill `to`.
fn gunzip(from: &[u8], to: &mut [u8]) -> Option<usize> {
    read_whole(flate2::read::MultiGzDecoder::new(from), to)
}

/// Reads a decoder to its end.
fn read_whole(mut decoder: impl Read, to: &mut [u8]) -> Option<usize> {
    decoder.read_exact(to).ok()?;
    let is_end = decoder.read(&mut [0]).ok()? == 0;
    is_end.then_some(to.len())
}

/// Decompresses Hadoop's blocks, one frame, or one block.
fn unlz4(from: &[u8], to: &mut [u8]) -> Option<usize> {
    if unhadoop(from, to) == Some(to.len()) {
        return Some(to.len());
    }
    if from.starts_with(&LZ4_FRAME) {
        // The decoder would accept a frame without its end.
        lz4::bound(from)?;
        return read_whole(lz4_flex::frame::FrameDecoder::new(from), to);
    }
    lz4_flex::block::decompress_into(from, to).ok()
}

/// The magic number of an LZ4 frame.
const LZ4_FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// Decompresses blocks of Hadoop's `BlockCompressorStream`: each is its decompressed length,
/// followed by chunks, each of which is a length and an LZ4 block. Numbers have four bytes,
/// big-endian.
fn unhadoop(mut from: &[u8], to: &mut [u8]) -> Option<usize> {
    let mut written: usize = 0;
    while !from.is_empty() {
        let end = written
            .checked_add(number(&mut from)?)
            .filter(|end| *end <= to.len())?;
        loop {
            let length = number(&mut from)?;
            let (chunk, rest) = from.split_at_checked(length)?;
            written += lz4_flex::block::decompress_into(chunk, &mut to[written..end]).ok()?;
            from = rest;
            if written == end {
                break;
            }
        }
    }
    Some(written)
}

fn number(from: &mut &[u8]) -> Option<usize> {
    let (number, rest) = from.split_first_chunk()?;
    *from = rest;
    usize::try_from(u32::from_be_bytes(*number)).ok()
}

/// Decompresses a stream of RFC 7932 with a window of at most 16 MiB. Returns `None` if it does not
/// fit in `to`, or if data follows it.
fn unbrotli(from: &[u8], to: &mut [u8]) -> Option<usize> {
    let memory = StandardAlloc::default;
    // Otherwise windows of 1 GiB would be accepted.
    let mut state = BrotliState::new_strict(memory(), memory(), memory());
    let mut unread = from.len();
    let mut read = 0;
    let mut room = to.len();
    let mut written = 0;
    let mut all = 0;
    let ended = BrotliDecompressStream(
        &mut unread,
        &mut read,
        from,
        &mut room,
        &mut written,
        to,
        &mut all,
        &mut state,
    );
    (matches!(ended, BrotliResult::ResultSuccess) && unread == 0).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// The bytes of the test, compressed by Google's encoder through pyarrow.
    const BY_BROTLI: &str = "\
        5b9f8601c0911af5c5ec6e609e7d0a1dc00d0ce86d10abe33a490ece2b39ef14ebb0c51240d865a065d0326419b68c58462d\
        639671cb8465d2326019b4cc58662d239679cb8265d1b26459b6ac58562d6b9675cb8665d3b265d9b6ec58762d7b2c7b2dfb\
        2ca39631cbb865c2326999b24c5b662cb39639cbbc65c1b26859b22c5b562cab9635cbba65c3b269d9b26c5b7658765a7659\
        765bf658f65af659f65b0e580e5a0e590e5b8e588e5a8e598e5b4e584e5a4e594e5bce58ce5ace59ce5b2e582e5a2e592e5b\
        ae58ae5aae59ae5b6e586e5a6e596e5bee58ee5aee59ee5b1e581e5a1e591e5b9e589e5a9e599e5b5e585e5a5e595e5bde58\
        de5ade59de5b3e583e5a3e593e5bbe58be5abe59be5b7e587e5a7e597e5bfe58fe5afe59fe5bf65b0e580e5a0e590e5b8e58\
        8e5a8e598e5b4e584e5a4e594e5bce58ce5ace59ce5b2e582e5a2e592e5bae58ae5aae59ae5b6e586e5a6e596e5bee58ee5a\
        ee59ee5b1e581e5a1e591e5b9e589e5a9e599e5b5e585e5a5e595e5bde58de5ade59de5b3e583e5a3e593e5bbe58be5abe59\
        be5b7e587e5a7e597e5bfe58fe5afe59fe5b069621cbb065c4326a19b38c5b262c939629cbb465c6326b99b3cc5b162c8b96\
        25cbb265c5b26a59b3ac5b362c9b962dcbb665c7b26bd9b3ec5b0e2c879623cbb1e5c4726a39b39c5b2e2c97962bcbb5e5c6\
        726bb9b3dc5b1e2c8f9627cbb3e5c5f26a79b3bc5b3e2c9f962fcbb7e5c7f26bf9b3fca32505f0000b";

    /// Returns data that was compressed by another program.
    fn hex_of_test(bytes: &[u8]) -> Vec<u8> {
        assert_eq!(bytes.len(), 100_000);
        const_hex::decode(BY_BROTLI).unwrap()
    }

    /// Compresses to Hadoop's blocks, with chunks of 30,000 bytes.
    fn by_hadoop(blocks: &[&[u8]]) -> Vec<u8> {
        let mut all = Vec::new();
        for block in blocks {
            all.extend((block.len() as u32).to_be_bytes());
            for chunk in block.chunks(30_000) {
                let chunk = lz4_flex::block::compress(chunk);
                all.extend((chunk.len() as u32).to_be_bytes());
                all.extend(chunk);
            }
        }
        all
    }

    fn compressed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
        match codec {
            Codec::Snappy => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
            Codec::Zstd => zstd::bulk::compress(bytes, 1).unwrap(),
            Codec::Lz4Raw => lz4_flex::block::compress(bytes),
            Codec::Lz4 => by_hadoop(&[bytes]),
            Codec::Brotli => hex_of_test(bytes),
            Codec::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    /// Decompresses to `size` bytes.
    fn decompressed(codec: Codec, from: &[u8], size: usize) -> Result<Vec<u8>, Error> {
        let mut to = vec![0; size];
        codec.decompress(from, &mut to).map(|()| to)
    }

    #[test]
    fn decompress_rejects_other_sizes_than_stated() {
        let bytes: Vec<u8> = (0..100_000u32).map(|byte| (byte / 300) as u8).collect();
        for codec in [
            Codec::Snappy,
            Codec::Zstd,
            Codec::Gzip,
            Codec::Lz4Raw,
            Codec::Lz4,
            Codec::Brotli,
        ] {
            let from = compressed(codec, &bytes);
            assert!(from.len() < bytes.len() / 10);
            assert_eq!(decompressed(codec, &from, bytes.len()).unwrap(), bytes);
            for size in [0, 1, bytes.len() - 1, bytes.len() + 1, 2 * bytes.len()] {
                assert!(
                    decompressed(codec, &from, size).is_err(),
                    "{codec:?} {size}"
                );
            }
            for end in [0, 1, from.len() / 2, from.len() - 1] {
                assert!(
                    decompressed(codec, &from[..end], bytes.len()).is_err(),
                    "{codec:?} {end}"
                );
            }
        }
        // Two members form one page.
        let (one, two) = bytes.split_at(1000);
        let both = [compressed(Codec::Gzip, one), compressed(Codec::Gzip, two)].concat();
        let mut to = vec![0; bytes.len()];
        Codec::Gzip.decompress(&both, &mut to).unwrap();
        assert_eq!(to, bytes);
    }

    #[test]
    fn decompress_detects_the_kind_of_lz4_by_trying() {
        let bytes: Vec<u8> = (0..100_000u32).map(|byte| (byte / 300) as u8).collect();
        let (one, two) = bytes.split_at(70_000);
        let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
        frame.write_all(&bytes).unwrap();
        let frame = frame.finish().unwrap();
        assert!(frame.starts_with(&LZ4_FRAME));
        for from in [
            by_hadoop(&[&bytes]),
            by_hadoop(&[one, two]),
            frame,
            lz4_flex::block::compress(&bytes),
        ] {
            let mut to = vec![0; bytes.len()];
            Codec::Lz4.decompress(&from, &mut to).unwrap();
            assert_eq!(to, bytes);
            for (from, room) in [
                (&from[..], 99_999),
                (&from, 100_001),
                (&from[..from.len() - 1], 100_000),
            ] {
                assert!(Codec::Lz4.decompress(from, &mut vec![0; room]).is_err());
            }
        }
        // A block larger than the page, and a chunk larger than the block.
        for from in [
            &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0][..],
            &[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0],
        ] {
            assert!(Codec::Lz4.decompress(from, &mut [0]).is_err());
        }
    }

    #[test]
    fn other_codecs_are_refused_by_name() {
        assert!(
            Codec::of(Compression::LZO)
                .unwrap_err()
                .to_string()
                .contains("by LZO are not read")
        );
        assert_eq!(Codec::of(Compression::UNCOMPRESSED).unwrap(), None);
    }
}
