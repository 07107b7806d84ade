//! Decompression of snappy's framing format, directly into the destination.
//!
//! <https://github.com/google/snappy/blob/main/framing_format.txt>. `snap` implements it as a
//! stream, which needs one more copy of the data.

use snap::raw::{Decoder, decompress_len};

const CHUNK_HEADER: usize = 4;
const CHECKSUM: usize = 4;
/// The data of the chunk at the beginning of a stream.
const STREAM: &[u8] = b"sNaPpY";
/// Maximum size of a decompressed chunk in bytes (section 4.2).
const LONGEST: usize = 1 << 16;

/// A chunk with its type.
struct Chunk<'a> {
    kind: u8,
    data: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// Takes the next chunk. `None` if it does not end.
    fn take(frames: &mut &'a [u8]) -> Option<Self> {
        let ([kind, low, middle, high], rest) = frames.split_first_chunk::<CHUNK_HEADER>()?;
        let (data, rest) =
            rest.split_at_checked(u32::from_le_bytes([*low, *middle, *high, 0]) as usize)?;
        *frames = rest;
        Some(Chunk { kind: *kind, data })
    }

    /// Returns the checksum and the data after it.
    fn checked(&self) -> Option<(u32, &'a [u8])> {
        self.data
            .split_first_chunk::<CHECKSUM>()
            .map(|(sum, data)| (u32::from_le_bytes(*sum), data))
    }

    /// Returns the decompressed length in bytes that the chunk states.
    fn claimed(&self) -> usize {
        match (self.kind, self.checked()) {
            (0, Some((_, compressed))) => decompress_len(compressed).unwrap_or_default(),
            (1, Some((_, plain))) => plain.len(),
            _ => 0,
        }
    }
}

/// Returns the decompressed length in bytes that the data states, or an upper bound. Counts only up
/// to malformed data, at which decompression stops.
pub fn claimed(mut frames: &[u8]) -> u64 {
    std::iter::from_fn(|| Chunk::take(&mut frames))
        .map(|chunk| chunk.claimed() as u64)
        .sum()
}

/// Appends the decompressed data.
///
/// # Errors
/// The reason why the data is malformed. In that case a part of it may have been appended.
pub fn decompress(mut frames: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
    let mut decoder = Decoder::new();
    let mut is_begun = false;
    while !frames.is_empty() {
        let chunk = Chunk::take(&mut frames).ok_or("a chunk is cut")?;
        if !is_begun && chunk.kind != 0xff {
            return Err("the stream's identifier is missing".into());
        }
        is_begun = true;
        match chunk.kind {
            0 | 1 => append(&mut decoder, &chunk, to)?,
            0x80..=0xfe => {}
            0xff if chunk.data == STREAM => {}
            0xff => return Err("the stream has another identifier".into()),
            kind => return Err(format!("chunks of type {kind:#04x} are not known")),
        }
    }
    Ok(())
}

/// Appends the decompressed data of a chunk with a checksum.
fn append(decoder: &mut Decoder, chunk: &Chunk, to: &mut Vec<u8>) -> Result<(), String> {
    let (sum, data) = chunk.checked().ok_or("a chunk has no checksum")?;
    let start = to.len();
    let length = chunk.claimed();
    if length > LONGEST {
        return Err(format!(
            "a chunk of {length} bytes is above the limit of {LONGEST}"
        ));
    }
    if chunk.kind == 1 {
        to.extend_from_slice(data);
    } else {
        to.resize(start + length, 0);
        decoder
            .decompress(data, &mut to[start..])
            .map_err(|problem| problem.to_string())?;
    }
    // Section 3: the checksum is masked, because the checksum of data that contains checksums is
    // weak.
    let computed = crc32c::crc32c(&to[start..])
        .rotate_right(15)
        .wrapping_add(0xa282_ead8);
    if computed == sum {
        Ok(())
    } else {
        Err("a checksum does not come out".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, RngExt, SeedableRng};
    use snap::read::FrameDecoder;
    use snap::write::FrameEncoder;
    use std::io::{Read, Write};

    fn by_oracle(frames: &[u8]) -> Option<Vec<u8>> {
        let mut to = Vec::new();
        FrameDecoder::new(frames)
            .read_to_end(&mut to)
            .ok()
            .map(|_| to)
    }

    fn decompressed(frames: &[u8]) -> Option<Vec<u8>> {
        let mut to = vec![7];
        decompress(frames, &mut to).ok().map(|()| to.split_off(1))
    }

    /// Compresses data of which one half is compressible.
    fn frames_of(rng: &mut StdRng, length: usize) -> Vec<u8> {
        let mut data = vec![0; length];
        rng.fill_bytes(&mut data[..length / 2]);
        let mut encoder = FrameEncoder::new(Vec::new());
        encoder.write_all(&data).unwrap();
        encoder.into_inner().unwrap()
    }

    #[test]
    fn decompressed_data_equals_that_of_snap() {
        let rng = &mut StdRng::seed_from_u64(11);
        for length in [0, 1, 100, 70_000, 200_000] {
            let frames = frames_of(rng, length);
            let expected = by_oracle(&frames).unwrap();
            assert_eq!(
                (claimed(&frames), decompressed(&frames).as_ref()),
                (length as u64, Some(&expected))
            );
        }
        assert_eq!((claimed(&[]), decompressed(&[])), (0, Some(Vec::new())));
    }

    #[test]
    fn mutated_data_is_rejected_like_by_snap() {
        let rng = &mut StdRng::seed_from_u64(12);
        let mut taken = 0;
        let mut refused = 0;
        for _ in 0..20_000 {
            let length = rng.random_range(0..300);
            let mut frames = frames_of(rng, length);
            match rng.random_range(0..4) {
                0 => frames.truncate(rng.random_range(0..=frames.len())),
                // A chunk of any type, whose length may be wrong.
                1 => {
                    let kind = rng.random();
                    let length = rng.random_range(0..8);
                    frames.extend([kind, length, 0, 0, 1, 2, 3, 4, 5]);
                    frames.truncate(frames.len() - rng.random_range(0..6));
                }
                2 => {
                    let again = frames.clone();
                    frames.extend(again);
                }
                _ => {}
            }
            if rng.random() && !frames.is_empty() {
                let place = rng.random_range(0..frames.len());
                frames[place] ^= 1 << rng.random_range(0..8);
            }
            let expected = by_oracle(&frames);
            assert_eq!(
                decompressed(&frames),
                expected,
                "{}",
                const_hex::encode(&frames)
            );
            if expected.is_some() {
                taken += 1
            } else {
                refused += 1
            }
        }
        assert!(
            taken > 2000 && refused > 2000,
            "{taken} taken, {refused} refused"
        );
    }

    #[test]
    fn decompress_rejects_long_chunks() {
        // A header that states 100,000 bytes, too many for one chunk.
        let mut frames = b"\xff\x06\0\0sNaPpY\0\x07\0\0\0\0\0\0".to_vec();
        frames.extend([0xa0, 0x8d, 0x06]);
        assert_eq!(claimed(&frames), 100_000);
        assert!(
            decompress(&frames, &mut Vec::new())
                .unwrap_err()
                .contains("100000 bytes")
        );
        assert_eq!(by_oracle(&frames), None);
    }
}
