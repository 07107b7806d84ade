//! Parquet files whose pages do not have the numbers of values and rows that the footer states, and
//! valid files that resemble them.

use crate::files::options;
use crate::synthetic::{self, BYTES, Column, FIXED, INT32, PLAIN, page};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use gecc_arrow::{Error, Projection, ReadOptions, open};
use std::path::Path;
use tempfile::TempDir;

/// Rows of each row group.
const GROUP: usize = 3;
const GROUPS: usize = 3;

/// Sizes of batches: parts of a row group, whole ones, parts of two, and the whole file.
const BATCHES: [usize; 7] = [1, 2, 3, 4, 5, 6, 100];

/// A column of numbers: its pages, and the counts that the file states for them.
#[derive(Clone)]
struct Chunk {
    name: &'static str,
    /// The values of each page.
    pages: Vec<Vec<i32>>,
    /// A page, and the count that its header states instead of the number of its values.
    claimed_count: Option<(usize, i64)>,
    values: i64,
    /// Bytes that are inserted before the page with this number.
    between: Option<(usize, Vec<u8>)>,
}

impl Chunk {
    fn new(name: &'static str, group: usize) -> Self {
        let first = (group * GROUP) as i32;
        let pages = vec![vec![first, first + 1], vec![first + 2]];
        Chunk {
            name,
            pages,
            claimed_count: None,
            values: GROUP as i64,
            between: None,
        }
    }

    fn column(&self) -> Column {
        let bytes = |values: &[i32]| {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect::<Vec<_>>()
        };
        let one = |(number, values): (usize, &Vec<i32>)| {
            let claimed_count = self
                .claimed_count
                .filter(|(place, _)| *place == number)
                .map_or(values.len() as i64, |(_, claimed_count)| claimed_count);
            page(claimed_count, PLAIN, &bytes(values))
        };
        let mut pages: Vec<_> = self.pages.iter().enumerate().map(one).collect();
        if let Some((place, bytes)) = &self.between {
            pages.insert(*place, bytes.clone());
        }
        Column::new(self.name, INT32, None, self.values, pages)
    }
}

/// A file of two columns whose chunk of `b` in one row group is changed.
fn with_change(group: usize, rows: i64, change: impl Fn(&mut Chunk)) -> Vec<u8> {
    let groups: Vec<Vec<Column>> = (0..GROUPS)
        .map(|number| {
            let (a, mut b) = (Chunk::new("a", number), Chunk::new("b", number));
            if number == group {
                change(&mut b);
            }
            let mut columns = [a.column(), b.column()];
            if number == group {
                columns[0].values = rows;
            }
            columns.into()
        })
        .collect();
    let of = |number: usize| if number == group { rows } else { GROUP as i64 };
    let groups: Vec<_> = groups
        .iter()
        .enumerate()
        .map(|(number, columns)| (&columns[..], of(number)))
        .collect();
    let all = groups.iter().map(|(_, rows)| rows).sum();
    synthetic::file_of_groups(&groups, all)
}

/// Reads up to the end or an error.
fn read_up_to(path: &Path, options: ReadOptions) -> (Vec<RecordBatch>, Option<Error>) {
    let (mut batches, mut problem) = (Vec::new(), None);
    match open(path, options).and_then(|input| input.batches(&Projection::All)) {
        Err(found) => problem = Some(found),
        Ok(input) => {
            for batch in input {
                match batch {
                    Ok(batch) => batches.push(batch),
                    Err(found) => problem = Some(found),
                }
            }
        }
    }
    (batches, problem)
}

fn numbers(batches: &[RecordBatch], column: usize) -> Vec<i32> {
    batches
        .iter()
        .flat_map(|batch| {
            batch
                .column(column)
                .as_primitive::<Int32Type>()
                .values()
                .to_vec()
        })
        .collect()
}

/// Whatever the size of batches and however many threads read: an error that names the place, and
/// no row of the row group before it.
fn check_refused(path: &Path, bytes: &[u8], group: usize, what: &str) {
    std::fs::write(path, bytes).unwrap();
    for rows in BATCHES {
        for threads in [0, 3] {
            let (batches, problem) = read_up_to(
                path,
                ReadOptions {
                    threads,
                    ..options(rows)
                },
            );
            let problem =
                problem.unwrap_or_else(|| panic!("{what} in {group} by {rows}: {batches:?}"));
            let named = format!("row group {}, column `b", group + 1);
            assert!(matches!(problem, Error::Malformed(_)), "{what}: {problem}");
            assert!(
                problem.to_string().contains(&named),
                "{what} in {group} by {rows}: {problem}"
            );
            let before: Vec<i32> = (0..(group * GROUP) as i32).collect();
            assert!(
                before.starts_with(&numbers(&batches, 0)),
                "{what} in {group} by {rows}: {batches:?}"
            );
        }
    }
}

#[test]
fn pages_with_other_values_than_their_row_group_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("counts");
    let index = [
        &synthetic::structure(&[
            synthetic::int(1, 1),
            synthetic::int(2, 2),
            synthetic::int(3, 2),
            synthetic::inner(6, &[]),
        ])[..],
        &[1, 2],
    ]
    .concat();
    type Change<'a> = (&'static str, Box<dyn Fn(&mut Chunk) + 'a>);
    let changes: Vec<Change> = vec![
        (
            "a surplus page",
            Box::new(|chunk| chunk.pages.push(vec![7, 8])),
        ),
        (
            "a surplus page that the footer counts",
            Box::new(|chunk| {
                chunk.pages.push(vec![7]);
                chunk.values += 1;
            }),
        ),
        (
            "a surplus page in front",
            Box::new(|chunk| chunk.pages.insert(0, vec![7])),
        ),
        (
            "surplus values in the last page",
            Box::new(|chunk| chunk.pages[1].extend([7, 8, 9])),
        ),
        (
            "surplus values in the first page",
            Box::new(|chunk| chunk.pages[0].push(7)),
        ),
        ("a missing page", Box::new(|chunk| drop(chunk.pages.pop()))),
        (
            "a missing page that the footer does not count",
            Box::new(|chunk| {
                chunk.pages.pop();
                chunk.values -= 1;
            }),
        ),
        ("no page", Box::new(|chunk| chunk.pages.clear())),
        (
            "a page that states fewer values than it has",
            Box::new(|chunk| chunk.claimed_count = Some((0, 1))),
        ),
        (
            "more values in the footer",
            Box::new(|chunk| chunk.values += 1),
        ),
        (
            "fewer values in the footer",
            Box::new(|chunk| chunk.values -= 1),
        ),
        (
            "zeros after the pages",
            Box::new(|chunk| chunk.between = Some((2, vec![0; 20]))),
        ),
        (
            "a page without values in front",
            Box::new(|chunk| chunk.between = Some((0, page(0, PLAIN, &[])))),
        ),
        (
            "a page without values between",
            Box::new(|chunk| chunk.between = Some((1, page(0, PLAIN, &[])))),
        ),
        (
            "a dictionary between",
            Box::new(|chunk| chunk.between = Some((1, synthetic::dictionary(1, &[0; 4])))),
        ),
        (
            "a dictionary after the pages",
            Box::new(|chunk| chunk.between = Some((2, synthetic::dictionary(1, &[0; 4])))),
        ),
    ];
    for (what, change) in changes {
        for group in 0..GROUPS {
            check_refused(
                &path,
                &with_change(group, GROUP as i64, &change),
                group,
                what,
            );
        }
    }
    for group in 0..GROUPS {
        for (rows, values) in [(2, 2), (2, 3), (4, 4), (4, 3), (0, 0), (0, 3)] {
            let bytes = with_change(group, rows, |chunk| chunk.values = values);
            std::fs::write(&path, &bytes).unwrap();
            for size in BATCHES {
                let (batches, problem) = read_up_to(&path, options(size));
                // A row group without rows is not read.
                let Some(problem) = problem else {
                    assert_eq!((rows, values), (0, 0));
                    continue;
                };
                assert!(
                    problem
                        .to_string()
                        .contains(&format!("row group {}, column `", group + 1)),
                    "{problem}"
                );
                assert!(
                    numbers(&batches, 0).len() <= group * GROUP,
                    "{rows} {values}"
                );
            }
        }
    }
    // Index pages, and an empty page after the others, do not affect the values.
    for between in [
        (0, index.clone()),
        (1, index.clone()),
        (2, index),
        (2, page(0, PLAIN, &[])),
    ] {
        for group in 0..GROUPS {
            std::fs::write(
                &path,
                with_change(group, GROUP as i64, |chunk| {
                    chunk.between = Some(between.clone())
                }),
            )
            .unwrap();
            for rows in BATCHES {
                let (batches, problem) = read_up_to(&path, options(rows));
                assert!(problem.is_none(), "{problem:?}");
                assert_eq!(
                    numbers(&batches, 1),
                    Vec::from_iter(0..(GROUP * GROUPS) as i32)
                );
            }
        }
    }
}

#[test]
fn row_count_of_the_file_equals_the_sum_of_its_row_groups() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows");
    let columns = [Chunk::new("a", 0).column(), Chunk::new("b", 0).column()];
    let groups = [(&columns[..], 3), (&columns[..], 3)];
    for rows in [0, 3, 5, 7, -1, i64::MAX] {
        std::fs::write(&path, synthetic::file_of_groups(&groups, rows)).unwrap();
        let problem = open(&path, options(10)).err().unwrap().to_string();
        assert!(
            problem.contains(&format!("have 6 rows together, but the footer says {rows}")),
            "{problem}"
        );
    }
    std::fs::write(&path, synthetic::file_of_groups(&groups, 6)).unwrap();
    assert_eq!(open(&path, options(10)).unwrap().rows(), Some(6));
}

/// Encodes one-bit levels as runs. In pages of version 1 their length goes before them.
fn levels(levels: &[u8]) -> Vec<u8> {
    levels.iter().flat_map(|level| [2, *level]).collect()
}

/// A page of lists of consecutive numbers from `first`, with the given repetition levels. A page of
/// version 2 states `version_2` rows.
fn page_of_lists(repetition: &[u8], first: i32, version_2: Option<i64>) -> Vec<u8> {
    let values: Vec<u8> = (first..first + repetition.len() as i32)
        .flat_map(i32::to_le_bytes)
        .collect();
    let (repetition, definition) = (levels(repetition), levels(&vec![1; repetition.len()]));
    let count = (values.len() / 4) as i64;
    let Some(rows) = version_2 else {
        return page(
            count,
            PLAIN,
            &[
                synthetic::value(&repetition),
                synthetic::value(&definition),
                values,
            ]
            .concat(),
        );
    };
    let bytes = [&repetition[..], &definition, &values].concat();
    let fields = [
        synthetic::int(1, count),
        synthetic::int(2, 0),
        synthetic::int(3, rows),
        synthetic::int(4, PLAIN),
        synthetic::int(5, definition.len() as i64),
        synthetic::int(6, repetition.len() as i64),
    ];
    let length = bytes.len() as i64;
    [
        synthetic::structure(&synthetic::header(
            3,
            length,
            length,
            synthetic::inner(8, &fields),
        )),
        bytes,
    ]
    .concat()
}

/// A file with the columns `a`, numbers from 0, and `b`, lists in pages with the given repetition
/// levels, in row groups of three rows.
fn lists(groups: &[(&[&[u8]], Option<i64>)]) -> Vec<u8> {
    let groups: Vec<Vec<Column>> = groups
        .iter()
        .enumerate()
        .map(|(group, (pages, version_2))| {
            let mut values = 0;
            let pages = pages.iter().map(|levels| {
                values += levels.len();
                page_of_lists(levels, (values - levels.len()) as i32, *version_2)
            });
            let pages: Vec<_> = pages.collect();
            let elements = vec![synthetic::element("b", INT32, None, 2)];
            let b = Column {
                elements,
                ..Column::new("b", INT32, None, values as i64, pages)
            };
            vec![Chunk::new("a", group).column(), b]
        })
        .collect();
    let groups: Vec<_> = groups
        .iter()
        .map(|columns| (&columns[..], GROUP as i64))
        .collect();
    synthetic::file_of_groups(&groups, (groups.len() * GROUP) as i64)
}

#[test]
fn lists_have_the_rows_of_their_row_group() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lists");
    let right: &[&[u8]] = &[&[0, 1, 1], &[0, 0, 1]];
    // A surplus or missing row, with or without a page of its own, and a first row that continues
    // one of the previous row group.
    let wrong: [(&str, &[&[u8]]); 6] = [
        ("a surplus row in a page", &[&[0, 1, 1], &[0, 0, 1], &[0]]),
        ("a surplus row", &[&[0, 1, 1], &[0, 0, 0]]),
        ("a surplus row in front", &[&[0], &[0, 1, 1], &[0, 0, 1]]),
        ("a missing row", &[&[0, 1, 1], &[0, 1, 1]]),
        ("a missing page", &[&[0, 1, 1]]),
        ("a row that began before", &[&[1, 0, 1], &[0, 0, 1]]),
    ];
    for claimed_rows in [None, Some(1), Some(2), Some(3)] {
        for (what, pages) in wrong {
            for group in 0..2 {
                let pages = [
                    if group == 0 { pages } else { right },
                    if group == 1 { pages } else { right },
                ];
                check_refused(
                    &path,
                    &lists(&[(pages[0], claimed_rows), (pages[1], claimed_rows)]),
                    group,
                    what,
                );
            }
        }
    }
    // Pages may begin within a row, and the rows of headers are not read.
    let same: [&[&[u8]]; 4] = [
        right,
        &[&[0, 1], &[1, 0, 0], &[1]],
        &[&[0], &[1], &[1], &[0], &[0], &[1]],
        &[&[0, 1, 1, 0, 0, 1]],
    ];
    for claimed_rows in [None, Some(1), Some(3), Some(100)] {
        for pages in same {
            std::fs::write(
                &path,
                lists(&[(pages, claimed_rows), (right, claimed_rows)]),
            )
            .unwrap();
            for rows in BATCHES {
                let (batches, problem) = read_up_to(&path, options(rows));
                assert!(
                    problem.is_none(),
                    "{claimed_rows:?} {pages:?} by {rows}: {problem:?}"
                );
                let cells: Vec<Vec<i32>> = batches
                    .iter()
                    .flat_map(|batch| {
                        let lists = batch.column(1).as_list::<i32>();
                        (0..lists.len()).map(|row| {
                            lists
                                .value(row)
                                .as_primitive::<Int32Type>()
                                .values()
                                .to_vec()
                        })
                    })
                    .collect();
                let group = [vec![0, 1, 2], vec![3], vec![4, 5]];
                assert_eq!(
                    cells,
                    [&group[..], &group].concat(),
                    "{claimed_rows:?} {pages:?} by {rows}"
                );
            }
        }
    }
}

/// The decoder would take such a level for one of an empty value.
#[test]
fn definition_levels_above_the_highest_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("levels");
    let values: Vec<u8> = (0..GROUP as i32).flat_map(i32::to_le_bytes).collect();
    for (highest, is_refused) in [(1, false), (2, true), (3, true)] {
        let definition = synthetic::value(&levels(&[1, 1, highest]));
        let pages = vec![page(
            GROUP as i64,
            PLAIN,
            &[definition, values.clone()].concat(),
        )];
        let elements = vec![synthetic::element("b", INT32, None, 1)];
        let column = Column {
            elements,
            ..Column::new("b", INT32, None, GROUP as i64, pages)
        };
        std::fs::write(&path, synthetic::file(&[column], GROUP as i64)).unwrap();
        let (batches, problem) = read_up_to(&path, options(GROUP));
        let problem = problem.map(|problem| problem.to_string());
        let named = problem
            .as_ref()
            .is_some_and(|text| text.contains("the definition levels of a page"));
        assert_eq!(
            (named, batches.is_empty()),
            (is_refused, is_refused),
            "{highest}: {problem:?}"
        );
    }
    // Levels of two bits, of elements of lists, where 2 is the highest and all are 3. pyarrow
    // refuses it.
    let nested = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/definition_levels_above_the_highest.parquet");
    let (_, problem) = read_up_to(&nested, options(1));
    let problem = problem.expect("an error").to_string();
    assert!(
        problem.contains("column `parts.list.element`: the definition levels of a page"),
        "{problem}"
    );
}

/// Some writers state the dictionary offset 0 if there is no dictionary, and some state no offset
/// although there is one.
#[test]
fn chunks_with_unusual_dictionary_offsets_are_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("offsets");
    let coded = |has_dictionary, dictionary_offset| {
        let pages = vec![
            synthetic::dictionary(1, &[7; 32]),
            synthetic::first_value(20),
        ];
        Column {
            has_dictionary,
            dictionary_offset,
            ..Column::new("digest", FIXED, Some(32), 20, pages)
        }
    };
    let plain = |dictionary_offset| {
        let pages = vec![page(20, PLAIN, &[7; 32 * 20])];
        Column {
            dictionary_offset,
            ..Column::new("digest", FIXED, Some(32), 20, pages)
        }
    };
    // The offset 1000 is after the pages, so it is ignored.
    let columns = [
        coded(true, None),
        coded(false, None),
        coded(false, Some(0)),
        coded(false, Some(1000)),
        plain(None),
        plain(Some(0)),
        plain(Some(4)),
        plain(Some(1000)),
    ];
    for column in columns {
        std::fs::write(&path, synthetic::file(&[column], 20)).unwrap();
        for rows in [1, 7, 100] {
            let (batches, problem) = read_up_to(&path, options(rows));
            assert!(problem.is_none(), "{problem:?}");
            let cells = batches
                .iter()
                .flat_map(|batch| batch.column(0).as_fixed_size_binary().iter());
            assert_eq!(cells.map(Option::unwrap).collect::<Vec<_>>(), [[7; 32]; 20]);
        }
    }
}

/// Texts of a column are shown without what a terminal would obey.
#[test]
fn names_of_columns_are_shown_in_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("names");
    let pages = vec![page(
        2,
        PLAIN,
        &[synthetic::value(b"a"), synthetic::value(b"b")].concat(),
    )];
    std::fs::write(
        &path,
        synthetic::file(&[Column::new("\u{1b}[2J", BYTES, None, 1, pages)], 1),
    )
    .unwrap();
    let (_, problem) = read_up_to(&path, options(1));
    let problem = problem.unwrap().to_string();
    assert!(
        problem.contains("row group 1, column `\\u{1b}[2J`: its pages have 2 values"),
        "{problem}"
    );
}
