//! Sums of groups of points, by rounds of pairwise additions that share inversions regardless of
//! the sizes of the groups.
//!
//! Points are entries in the representation of the arithmetic that adds them, which is that of the
//! vector code if available.

use super::{Affine, CpuCurve, Entry, Lanes};
use crate::cpu::point::pairs::{self, Pair};
use crate::cpu::simd;
use std::ops::Range;

/// Converts points to entries.
pub fn entries<C: CpuCurve>(
    lanes: Option<Lanes>,
    points: &[Affine<C::Base>],
) -> Vec<Entry<C::Base>> {
    match lanes {
        Some(lanes) => simd::entries_of(lanes, points),
        None => points.iter().map(Entry::of).collect(),
    }
}

/// Converts entries to points.
pub fn points<C: CpuCurve>(
    lanes: Option<Lanes>,
    entries: &[Entry<C::Base>],
) -> Vec<Affine<C::Base>> {
    match lanes {
        Some(lanes) => simd::points_of(lanes, entries),
        None => entries.iter().map(Entry::point).collect(),
    }
}

/// Groups of points to be summed.
pub struct Groups {
    /// Points, group by group: twice the index of each, plus one if it is subtracted.
    members: Vec<u32>,
    /// The end of each group's members.
    ends: Vec<usize>,
}

impl Groups {
    /// Creates `count` groups from members, each given by its group, its point, and `true` if it is
    /// subtracted.
    pub fn of(count: usize, members: impl Iterator<Item = (usize, usize, bool)> + Clone) -> Self {
        let mut ends = vec![0; count];
        members.clone().for_each(|(group, ..)| ends[group] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut all = vec![0; total];
        members.for_each(|(group, point, negative)| {
            all[ends[group]] = 2 * point as u32 + u32::from(negative);
            ends[group] += 1;
        });
        Groups { members: all, ends }
    }

    /// Returns the sum of each group.
    pub fn sums<C: CpuCurve>(
        mut self,
        lanes: Option<Lanes>,
        points: &[Entry<C::Base>],
    ) -> Vec<Entry<C::Base>> {
        let mut left = Vec::new();
        let mut next = Vec::new();
        let mut pairs = Vec::new();
        self.halve::<C>(lanes, points, &mut pairs, &mut left);
        while self.ranges().any(|members| members.len() > 1) {
            self.halve::<C>(lanes, &left, &mut pairs, &mut next);
            std::mem::swap(&mut left, &mut next);
        }
        self.ranges()
            .map(|members| left[members].first().copied().unwrap_or(Entry::ZERO))
            .collect()
    }

    /// Returns the range of each group's members.
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }

    /// Adds the members of each group in pairs, leaving the sums and an unpaired last member.
    fn halve<C: CpuCurve>(
        &mut self,
        lanes: Option<Lanes>,
        points: &[Entry<C::Base>],
        pairs: &mut Vec<Pair>,
        left: &mut Vec<Entry<C::Base>>,
    ) {
        pairs.clear();
        left.clear();
        let room = self.ranges().map(|members| members.len().div_ceil(2)).sum();
        pairs.reserve(room);
        left.reserve(room);
        let mut start = 0;
        for end in &mut self.ends {
            let (group, odd) = self.members[start..*end].as_chunks();
            let places = left.len() as u32..;
            pairs.extend(group.iter().zip(places).map(|(members, place)| Pair {
                members: *members,
                place,
            }));
            left.resize(left.len() + group.len(), Entry::ZERO);
            left.extend(odd.iter().map(|member| pairs::signed(points, *member)));
            start = std::mem::replace(end, left.len());
        }
        match lanes {
            Some(lanes) => simd::add_pairs::<C>(lanes, points, pairs, left),
            None => pairs::add::<C>(points, pairs, left),
        }
        self.members.clear();
        self.members
            .extend((0..left.len() as u32).map(|point| 2 * point));
    }
}
