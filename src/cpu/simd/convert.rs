//! Conversion between elements of the portable code and vectors of elements.

use super::point::Affine;
use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, Lanes, Words, transpose};
use crate::cpu::point::affine::Entry;

impl<F: Coordinate> Element<F> {
    /// Returns one in every lane, below 2.01 p.
    #[inline(always)]
    pub fn one(lanes: Lanes) -> Self {
        Self::splat(lanes, &F::ONE)
    }

    /// Returns a vector with the same element in every lane, below 2.01 p.
    #[inline(always)]
    pub fn splat(lanes: Lanes, value: &F) -> Self {
        Self::load(lanes, &[*value; 8])
    }

    /// Makes one element per lane from the words of their stored forms. Below 16 p.
    #[inline(always)]
    pub fn from_stored(words: [Words; 4]) -> Self {
        if F::SHIFT == 0 {
            Self::unpack::<0>(words)
        } else {
            Self::unpack::<4>(words)
        }
    }

    /// Returns the words of the stored forms of elements below 16 p.
    #[inline(always)]
    pub fn to_stored(self, lanes: Lanes) -> [Words; 4] {
        // v is stored as 2^SHIFT v = v R / 2^256 modulo p, where R is 2^256 if SHIFT is 0. The
        // factor is the stored form of one, which is 1 or 2^256 modulo p, and multiplication by it
        // divides by R.
        let [w0, w1, w2, w3] = F::ONE.stored();
        let factor = Self::unpack::<0>([
            Words::splat(lanes, w0),
            Words::splat(lanes, w1),
            Words::splat(lanes, w2),
            Words::splat(lanes, w3),
        ]);
        self.mul(factor).canonical().pack()
    }

    /// Returns the words of the residues below p that are represented by elements below 16 p.
    #[inline(always)]
    pub fn to_number(self, lanes: Lanes) -> [Words; 4] {
        // Multiplication by 1 converts from Montgomery form, and a product makes any element small.
        let zero = Words::splat(lanes, 0);
        self.mul(Self::unpack::<0>([
            Words::splat(lanes, 1),
            zero,
            zero,
            zero,
        ]))
        .canonical()
        .pack()
    }

    /// Loads one element per lane, below 2.01 p.
    #[inline(always)]
    pub fn load(lanes: Lanes, values: &[F; 8]) -> Self {
        let mut words = [[0; 8]; 4];
        for (lane, value) in values.iter().enumerate() {
            for (words, word) in words.iter_mut().zip(value.stored()) {
                words[lane] = word;
            }
        }
        let [w0, w1, w2, w3] = &words;
        Self::from_stored([
            Words::load(lanes, w0),
            Words::load(lanes, w1),
            Words::load(lanes, w2),
            Words::load(lanes, w3),
        ])
        .sum()
        .fold()
    }

    /// Saves the words unchanged, for `restore`.
    #[inline(always)]
    pub fn save(self, out: &mut [[u64; 8]; 5]) {
        for (words, out) in self.words().into_iter().zip(out) {
            words.store(out);
        }
    }

    /// Restores the result of `save`.
    #[inline(always)]
    pub fn restore(lanes: Lanes, saved: &[[u64; 8]; 5]) -> Self {
        let [t0, t1, t2, t3, t4] = saved;
        Self::new([
            Words::load(lanes, t0),
            Words::load(lanes, t1),
            Words::load(lanes, t2),
            Words::load(lanes, t3),
            Words::load(lanes, t4),
        ])
    }

    /// Returns the element of each lane.
    #[inline(always)]
    pub fn store(self, lanes: Lanes) -> [F; 8] {
        let mut words = [[0; 8]; 4];
        for (words, out) in self.to_stored(lanes).into_iter().zip(&mut words) {
            words.store(out);
        }
        let mut values = [F::ZERO; 8];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = F::from_stored([
                words[0][lane],
                words[1][lane],
                words[2][lane],
                words[3][lane],
            ]);
        }
        values
    }
}

/// Loads one table entry per lane. With `STORED`, coordinates are in the stored form, otherwise in
/// that of vectors.
#[inline(always)]
pub fn gather<F: Coordinate, const STORED: bool>(
    lanes: Lanes,
    entries: [&Entry<F>; 8],
) -> Affine<F> {
    let mut rows = [Words::splat(lanes, 0); 8];
    for lane in 0..8 {
        rows[lane] = Words::load(lanes, entries[lane].words());
    }
    let [x0, x1, x2, x3, y0, y1, y2, y3] = transpose(rows);
    let x = [x0, x1, x2, x3];
    let y = [y0, y1, y2, y3];
    if STORED {
        Affine {
            x: Element::from_stored(x),
            y: Element::from_stored(y),
        }
    } else {
        Affine {
            x: Element::unpack::<0>(x),
            y: Element::unpack::<0>(y),
        }
    }
}

/// Returns the entries that `gather` reads with `STORED` unset, for coordinates below 3 p.
#[inline(always)]
pub fn scatter<F: Coordinate>(point: Affine<F>) -> [Entry<F>; 8] {
    // Reducing a number below 3 p takes two subtractions.
    entries(
        point.x.canonical().canonical().pack(),
        point.y.canonical().canonical().pack(),
    )
}

/// Returns the entries that `gather` reads with `STORED` set, for coordinates below 15 p.
#[inline(always)]
pub fn scatter_stored<F: Coordinate>(lanes: Lanes, point: Affine<F>) -> [Entry<F>; 8] {
    entries(point.x.to_stored(lanes), point.y.to_stored(lanes))
}

#[inline(always)]
fn entries<F: Coordinate>(
    [x0, x1, x2, x3]: [Words; 4],
    [y0, y1, y2, y3]: [Words; 4],
) -> [Entry<F>; 8] {
    let rows = transpose([x0, x1, x2, x3, y0, y1, y2, y3]);
    let mut entries = [Entry::from_words([0; 8]); 8];
    for (row, entry) in rows.into_iter().zip(&mut entries) {
        let mut words = [0; 8];
        row.store(&mut words);
        *entry = Entry::from_words(words);
    }
    entries
}
