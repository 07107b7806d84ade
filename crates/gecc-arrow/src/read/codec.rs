//! Decompression of pages, into no more than the size that a checked header says.

use crate::error::Error;
use parquet::basic::Compression;
use std::io::Read;

/// How the pages of a column are compressed. What a file may name and is not here is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Snappy,
    Gzip,
    Zstd,
    /// Blocks of LZ4 as they are. What Parquet calls `LZ4` is another form of three that are told apart by trying.
    Lz4Raw,
}

impl Codec {
    /// `None` for pages that are not compressed.
    pub fn of(compression: Compression) -> Result<Option<Self>, Error> {
        Ok(Some(match compression {
            Compression::UNCOMPRESSED => return Ok(None),
            Compression::SNAPPY => Codec::Snappy,
            Compression::GZIP(_) => Codec::Gzip,
            Compression::ZSTD(_) => Codec::Zstd,
            Compression::LZ4_RAW => Codec::Lz4Raw,
            other => {
                // Some have a level behind the name.
                let name = format!("{other:?}");
                let name = name.split('(').next().unwrap_or_default();
                let read = "Snappy, gzip, Zstandard and LZ4_RAW";
                return Err(Error::Malformed(format!(
                    "Parquet: pages compressed by {name} are not read, but by {read}"
                )));
            }
        }))
    }

    /// Decompresses all of `from`, which has to become exactly as many bytes as there is room for.
    pub fn decompress(self, from: &[u8], to: &mut [u8]) -> Result<(), Error> {
        let expected = to.len();
        let wrong = || Error::Malformed(format!("Parquet: a page does not become the {expected} bytes of its header"));
        let length = match self {
            // Its decoder looks at the length that the data says before it writes.
            Codec::Snappy => snap::raw::Decoder::new().decompress(from, to).ok(),
            Codec::Zstd => zstd::bulk::decompress_to_buffer(from, to).ok(),
            Codec::Lz4Raw => lz4_flex::block::decompress_into(from, to).ok(),
            Codec::Gzip => gunzip(from, to),
        };
        if length == Some(expected) { Ok(()) } else { Err(wrong()) }
    }
}

/// All members one behind the other. `None` where they become more than there is room for.
fn gunzip(from: &[u8], to: &mut [u8]) -> Option<usize> {
    let mut members = flate2::read::MultiGzDecoder::new(from);
    members.read_exact(to).ok()?;
    let is_end = members.read(&mut [0]).ok()? == 0;
    is_end.then_some(to.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn compressed(codec: Codec, bytes: &[u8]) -> Vec<u8> {
        match codec {
            Codec::Snappy => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
            Codec::Zstd => zstd::bulk::compress(bytes, 1).unwrap(),
            Codec::Lz4Raw => lz4_flex::block::compress(bytes),
            Codec::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    #[test]
    fn what_becomes_more_or_less_than_its_header_says_is_an_error() {
        let bytes: Vec<u8> = (0..100_000u32).map(|byte| (byte / 300) as u8).collect();
        for codec in [Codec::Snappy, Codec::Zstd, Codec::Gzip, Codec::Lz4Raw] {
            let from = compressed(codec, &bytes);
            assert!(from.len() < bytes.len() / 10);
            let decompress = |from: &[u8], room: usize| {
                let mut to = vec![0; room];
                codec.decompress(from, &mut to).map(|()| to)
            };
            assert_eq!(decompress(&from, bytes.len()).unwrap(), bytes);
            for room in [0, 1, bytes.len() - 1, bytes.len() + 1, 2 * bytes.len()] {
                assert!(decompress(&from, room).is_err(), "{codec:?} {room}");
            }
            for end in [0, 1, from.len() / 2, from.len() - 1] {
                assert!(decompress(&from[..end], bytes.len()).is_err(), "{codec:?} {end}");
            }
        }
        // Two members are one page.
        let (one, two) = bytes.split_at(1000);
        let both = [compressed(Codec::Gzip, one), compressed(Codec::Gzip, two)].concat();
        let mut to = vec![0; bytes.len()];
        Codec::Gzip.decompress(&both, &mut to).unwrap();
        assert_eq!(to, bytes);
    }

    #[test]
    fn other_codecs_are_refused_by_name() {
        for (other, name) in [(Compression::BROTLI(Default::default()), "BROTLI"), (Compression::LZO, "LZO")] {
            assert!(Codec::of(other).unwrap_err().to_string().contains(&format!("by {name} are not read")));
        }
        assert_eq!(Codec::of(Compression::UNCOMPRESSED).unwrap(), None);
    }
}
