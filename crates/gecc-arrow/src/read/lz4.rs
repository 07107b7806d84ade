//! Bounds the decompressed size of LZ4 frames by the headers of their blocks, because Arrow's
//! decoder writes everything they contain, whatever size a message claims.
//!
//! <https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md>

const MAGIC: u32 = 0x184d_2204;
const SKIPPABLE: std::ops::RangeInclusive<u32> = 0x184d_2a50..=0x184d_2a5f;
/// Maximum number of bytes that a byte of a compressed block expands to.
const MOST_OF_A_BYTE: u64 = 255;
const HIGHEST_BIT: u32 = 1 << 31;

/// Returns an upper bound of the decompressed size of consecutive frames; `None` if there is
/// anything else among them.
pub(crate) fn bound(mut bytes: &[u8]) -> Option<u64> {
    let mut sum: u64 = 0;
    while !bytes.is_empty() {
        let magic = number(&mut bytes)?;
        if SKIPPABLE.contains(&magic) {
            let length = number(&mut bytes)?;
            take(&mut bytes, length as usize)?;
        } else if magic == MAGIC {
            sum = sum.saturating_add(frame(&mut bytes)?);
        } else {
            return None;
        }
    }
    Some(sum)
}

/// Returns the bound of a frame after its magic number.
fn frame(bytes: &mut &[u8]) -> Option<u64> {
    let [flags, sizes] = *take(bytes, 2)? else {
        return None;
    };
    let block_checksums = has_bit(flags, 4);
    let content_size = has_bit(flags, 3);
    let content_checksum = has_bit(flags, 2);
    let dictionary = has_bit(flags, 0);
    let longest: u64 = match sizes >> 4 & 7 {
        size @ 4..=7 => 1 << (8 + 2 * size),
        _ => return None,
    };
    // The checksum of the header is its last byte.
    take(
        bytes,
        8 * usize::from(content_size) + 4 * usize::from(dictionary) + 1,
    )?;
    let mut sum: u64 = 0;
    loop {
        let size = number(bytes)?;
        if size == 0 {
            take(bytes, 4 * usize::from(content_checksum))?;
            return Some(sum);
        }
        let length = u64::from(size & !HIGHEST_BIT);
        take(bytes, length as usize + 4 * usize::from(block_checksums))?;
        let becomes = if size & HIGHEST_BIT != 0 {
            length
        } else {
            longest.min(MOST_OF_A_BYTE * length)
        };
        sum = sum.saturating_add(becomes);
    }
}

fn has_bit(flags: u8, bit: u8) -> bool {
    flags >> bit & 1 == 1
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(bytes, 4)?.try_into().ok()?))
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
    use std::io::Write;

    fn compressed(bytes: &[u8], info: FrameInfo) -> Vec<u8> {
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn frames_become_no_more_than_their_blocks_allow() {
        let zeros = vec![0; 3_000_000];
        let random: Vec<u8> = (0..300_000u32)
            .map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for block in [
            BlockSize::Max64KB,
            BlockSize::Max256KB,
            BlockSize::Max1MB,
            BlockSize::Max4MB,
        ] {
            for checksums in [false, true] {
                for content in [&[][..], &[1], &random, &zeros] {
                    let info = FrameInfo::new()
                        .block_size(block)
                        .block_checksums(checksums)
                        .content_checksum(checksums)
                        .content_size(checksums.then_some(content.len() as u64));
                    let frame = compressed(content, info);
                    let most = bound(&frame).unwrap();
                    assert!(
                        most >= content.len() as u64 && most <= content.len() as u64 + (4 << 20)
                    );
                    let skipped = [
                        &[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..],
                        b"abc",
                        &frame,
                        &frame,
                    ]
                    .concat();
                    assert_eq!(bound(&skipped), Some(2 * most));
                    for end in 1..frame.len().min(64) {
                        assert_eq!(bound(&frame[..end]), None);
                    }
                }
            }
        }
        assert_eq!(
            (
                bound(&[]),
                bound(b"none"),
                bound(&[2, 0x21, 0x4c, 0x18, 0, 0, 0, 0])
            ),
            (Some(0), None, None)
        );
    }
}
