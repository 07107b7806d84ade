//! Parquet files that are assembled field by field, including ones that no writer creates. The
//! tests of the command use them too.

#![allow(dead_code, reason = "each binary of tests uses a part")]

/// Types of fields and elements in Thrift's compact protocol.
pub const TRUE: u8 = 1;
pub const I32: u8 = 5;
pub const I64: u8 = 6;
pub const BINARY: u8 = 8;
pub const LIST: u8 = 9;
pub const STRUCT: u8 = 12;

/// Physical types.
pub const INT32: i64 = 1;
pub const BYTES: i64 = 6;
pub const FIXED: i64 = 7;

/// Encodings.
pub const PLAIN: i64 = 0;
pub const RLE: i64 = 3;
pub const DICTIONARY: i64 = 8;

/// The columns of a verification, and the bytes per value.
pub const COLUMNS: [(&str, usize); 3] = [("digest", 32), ("signature", 64), ("public_key", 33)];

/// A field of a struct.
#[derive(Clone)]
pub struct Field {
    number: i64,
    kind: u8,
    value: Vec<u8>,
    /// The number as it is written, where it is not the step from the one before.
    written: Option<i64>,
}

impl Field {
    pub fn new(number: i64, kind: u8, value: Vec<u8>) -> Self {
        Field {
            number,
            kind,
            value,
            written: None,
        }
    }

    /// With this number in full.
    pub fn written(mut self, number: i64) -> Self {
        self.written = Some(number);
        self
    }

    /// With another type than its value has.
    pub fn called(mut self, kind: u8) -> Self {
        self.kind = kind;
        self
    }
}

pub fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

pub fn zigzag(number: i64) -> Vec<u8> {
    varint((number << 1 ^ number >> 63) as u64)
}

pub fn int(number: i64, value: i64) -> Field {
    Field::new(number, I32, zigzag(value))
}

pub fn long(number: i64, value: i64) -> Field {
    Field::new(number, I64, zigzag(value))
}

pub fn text(number: i64, value: &str) -> Field {
    Field::new(
        number,
        BINARY,
        [varint(value.len() as u64), value.as_bytes().to_vec()].concat(),
    )
}

/// A list whose header states `count` elements.
pub fn claimed(number: i64, kind: u8, count: u64, elements: &[Vec<u8>]) -> Field {
    let head = if count < 15 {
        vec![(count as u8) << 4 | kind]
    } else {
        [vec![0xf0 | kind], varint(count)].concat()
    };
    Field::new(number, LIST, [head, elements.concat()].concat())
}

pub fn list(number: i64, kind: u8, elements: &[Vec<u8>]) -> Field {
    claimed(number, kind, elements.len() as u64, elements)
}

pub fn inner(number: i64, fields: &[Field]) -> Field {
    Field::new(number, STRUCT, structure(fields))
}

pub fn structure(fields: &[Field]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for field in fields {
        match (field.written, field.number - last) {
            (None, step @ 1..=15) => bytes.push((step as u8) << 4 | field.kind),
            (written, _) => {
                bytes.push(field.kind);
                bytes.extend(zigzag(written.unwrap_or(field.number)));
            }
        }
        bytes.extend_from_slice(&field.value);
        last = field.number;
    }
    bytes.push(0);
    bytes
}

/// An element of the schema that has children.
pub fn group(name: &str, children: i64) -> Vec<u8> {
    structure(&[int(3, 0), text(4, name), int(5, children)])
}

/// An element that has values, once a row (0), at most once (1) or any number of times (2).
pub fn element(name: &str, physical: i64, width: Option<usize>, repetition: i64) -> Vec<u8> {
    let width = width.map(|width| int(2, width as i64));
    let fields: Vec<_> = [int(1, physical)]
        .into_iter()
        .chain(width)
        .chain([int(3, repetition), text(4, name)])
        .collect();
    structure(&fields)
}

/// A file that is nothing but a footer.
pub fn only_footer(fields: &[Field]) -> Vec<u8> {
    with_footer(b"PAR1".to_vec(), fields)
}

fn with_footer(mut bytes: Vec<u8>, fields: &[Field]) -> Vec<u8> {
    let footer = structure(fields);
    bytes.extend_from_slice(&footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"PAR1");
    bytes
}

/// The fields of a footer with these elements and row groups.
pub fn footer(schema: &[Vec<u8>], rows: i64, row_groups: &[Vec<u8>]) -> Vec<Field> {
    vec![
        int(1, 1),
        list(2, STRUCT, schema),
        long(3, rows),
        list(4, STRUCT, row_groups),
    ]
}

/// The header of a page with these sizes and the given description of its values.
pub fn header(kind: i64, uncompressed: i64, compressed: i64, content: Field) -> Vec<Field> {
    vec![
        int(1, kind),
        int(2, uncompressed),
        int(3, compressed),
        content,
    ]
}

/// The description of the values in the header of a data page.
pub fn data(values: i64, encoding: i64) -> Field {
    inner(
        5,
        &[int(1, values), int(2, encoding), int(3, RLE), int(4, RLE)],
    )
}

/// The description of the values in the header of a dictionary page.
pub fn values(count: i64) -> Field {
    inner(7, &[int(1, count), int(2, PLAIN)])
}

/// A data page with a correct header.
pub fn page(values: i64, encoding: i64, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as i64;
    [
        &structure(&header(0, length, length, data(values, encoding))),
        bytes,
    ]
    .concat()
}

/// A dictionary page with a correct header.
pub fn dictionary(count: i64, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as i64;
    [&structure(&header(2, length, length, values(count))), bytes].concat()
}

/// A data page in which each of `rows` rows has the first value of the dictionary.
pub fn first_value(rows: u64) -> Vec<u8> {
    page(rows as i64, DICTIONARY, &first_keys(rows))
}

/// Dictionary keys of one bit, all zero, as one run.
pub fn first_keys(rows: u64) -> Vec<u8> {
    [vec![1], varint(rows << 1), vec![0]].concat()
}

/// A value preceded by its length.
pub fn value(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// A column: its schema element, after those of its groups, and its pages.
pub struct Column {
    pub elements: Vec<Vec<u8>>,
    pub physical: i64,
    pub codec: i64,
    pub values: i64,
    pub pages: Vec<Vec<u8>>,
    pub has_dictionary: bool,
    /// The dictionary offset that the footer states instead of the right one.
    pub dictionary_offset: Option<i64>,
}

impl Column {
    /// A column without compression and dictionary.
    pub fn new(
        name: &str,
        physical: i64,
        width: Option<usize>,
        rows: i64,
        pages: Vec<Vec<u8>>,
    ) -> Self {
        let elements = vec![element(name, physical, width, 0)];
        Column {
            elements,
            physical,
            codec: 0,
            values: rows,
            pages,
            has_dictionary: false,
            dictionary_offset: None,
        }
    }
}

/// A file with one row group.
pub fn file(columns: &[Column], rows: i64) -> Vec<u8> {
    file_of_groups(&[(columns, rows)], rows)
}

/// A file whose row groups have these columns, and say that they have these rows, as the file does.
pub fn file_of_groups(groups: &[(&[Column], i64)], rows: i64) -> Vec<u8> {
    let mut bytes = b"PAR1".to_vec();
    let first = groups.first().map_or(&[][..], |(columns, _)| columns);
    let mut schema = vec![group("schema", first.len() as i64)];
    first
        .iter()
        .for_each(|column| schema.extend_from_slice(&column.elements));
    let groups: Vec<_> = groups
        .iter()
        .map(|(columns, rows)| row_group(&mut bytes, columns, *rows))
        .collect();
    with_footer(bytes, &footer(&schema, rows, &groups))
}

/// Appends the pages of a row group, and returns its entry in the footer.
fn row_group(bytes: &mut Vec<u8>, columns: &[Column], rows: i64) -> Vec<u8> {
    let mut chunks = Vec::new();
    for column in columns {
        let start = bytes.len() as i64;
        let first = if column.has_dictionary {
            column.pages[0].len() as i64
        } else {
            0
        };
        column
            .pages
            .iter()
            .for_each(|page| bytes.extend_from_slice(page));
        let length = bytes.len() as i64 - start;
        let mut fields = vec![
            int(1, column.physical),
            list(2, I32, &[zigzag(PLAIN)]),
            list(3, BINARY, &[]),
            int(4, column.codec),
            long(5, column.values),
            long(6, length),
            long(7, length),
            long(9, start + first),
        ];
        if let Some(offset) = column
            .dictionary_offset
            .or(column.has_dictionary.then_some(start))
        {
            fields.push(long(11, offset));
        }
        chunks.push(structure(&[long(2, start), inner(3, &fields)]));
    }
    structure(&[
        list(1, STRUCT, &chunks),
        long(2, bytes.len() as i64),
        long(3, rows),
    ])
}

/// The columns of a verification, each with the pages that `pages` gives for its width.
pub fn verification(
    physical: i64,
    codec: i64,
    rows: i64,
    pages: impl Fn(usize) -> Vec<Vec<u8>>,
) -> Vec<Column> {
    let column = |(name, width): (&str, usize)| {
        let pages = pages(width);
        let has_dictionary = pages.len() > 1;
        let fixed = (physical == FIXED).then_some(width);
        Column {
            codec,
            has_dictionary,
            ..Column::new(name, physical, fixed, rows, pages)
        }
    };
    COLUMNS.into_iter().map(column).collect()
}

/// The columns of a verification, which rejects every row.
pub fn rejected(rows: usize) -> Vec<Column> {
    verification(FIXED, 0, rows as i64, |width| {
        vec![page(rows as i64, PLAIN, &vec![3; width * rows])]
    })
}

const ROWS: i64 = 100;

/// Adversarial files, by name, that readers have to reject.
pub fn hostile() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = footers().into_iter().chain(pages()).collect();
    for encoding in [5, 6, 7] {
        for total in [1u64 << 31, 1 << 40, 1 << 60, 1 << 63] {
            // The header of a delta encoding that states `total` values.
            let bytes = [
                varint(128),
                varint(4),
                varint(total),
                zigzag(1),
                zigzag(0),
                vec![0; 68],
            ]
            .concat();
            for physical in [BYTES, FIXED] {
                let columns =
                    verification(physical, 0, ROWS, |_| vec![page(ROWS, encoding, &bytes)]);
                files.push((
                    format!("delta {encoding} of {total} values in {physical}"),
                    file(&columns, ROWS),
                ));
            }
        }
    }
    files
}

fn footers() -> Vec<(String, Vec<u8>)> {
    const MOST: i64 = i32::MAX as i64;
    let column = || element("a", INT32, None, 0);
    let simple = || vec![group("schema", 1), column()];
    let deep = |groups: usize| [vec![group("g", 1); groups + 1], vec![column()]].concat();
    let mut files = Vec::new();
    let mut add = |name: &str, fields: &[Field]| files.push((name.to_owned(), only_footer(fields)));
    add(
        "a root of 2^31 - 1 children",
        &footer(&[group("schema", MOST), column()], 0, &[]),
    );
    add(
        "a group of 2^31 - 1 children",
        &footer(&[group("schema", 1), group("g", MOST), column()], 0, &[]),
    );
    let change =
        |place: usize, by: &dyn Fn(Field) -> Field, schema: &[Vec<u8>], groups: &[Vec<u8>]| {
            let mut fields = footer(schema, 0, groups);
            fields[place] = by(fields[place].clone());
            fields
        };
    let most = |_| claimed(4, STRUCT, MOST as u64, &[]);
    add("2^31 - 1 row groups", &change(3, &most, &simple(), &[]));
    add(
        "2^31 - 1 row groups as a number",
        &change(3, &|field| most(field).called(I32), &simple(), &[]),
    );
    add(
        "2^31 - 1 row groups as field 65540",
        &change(3, &|field| most(field).written(65540), &simple(), &[]),
    );
    add(
        "2^31 - 1 row groups as a set",
        &change(3, &|field| most(field).called(10), &simple(), &[]),
    );
    for groups in [1000, 100_000] {
        add(
            &format!("{groups} groups in groups"),
            &footer(&deep(groups), 0, &[]),
        );
        let by_number = change(1, &|field| field.written(65538), &deep(groups), &[]);
        add(
            &format!("{groups} groups in groups as field 65538"),
            &by_number,
        );
    }
    let empty = structure(&[list(1, STRUCT, &[]), long(2, 0), long(3, 0)]);
    let many = vec![empty; 40_000];
    add("40,000 row groups", &footer(&simple(), 0, &many));
    add(
        "40,000 row groups as field 65540",
        &change(3, &|field| field.written(65540), &simple(), &many),
    );
    files
}

fn pages() -> Vec<(String, Vec<u8>)> {
    const MOST: i64 = i32::MAX as i64;
    let junk = [&[0xff, 0xff, 0xff, 0xff, 0x07][..], &[0; 20]].concat();
    let mut files = Vec::new();
    let mut add = |name: &str, physical: i64, codec: i64, pages: &dyn Fn(usize) -> Vec<Vec<u8>>| {
        files.push((
            name.to_owned(),
            file(&verification(physical, codec, ROWS, pages), ROWS),
        ));
    };
    let junk_length = junk.len() as i64;
    for (by, shift) in [("", 0), (" by numbers of more than 16 bits", 65536)] {
        // The decoder may take 65537 for 1.
        let shifted = |mut fields: Vec<Field>| {
            if shift > 0 {
                let first = fields.remove(0);
                let number = first.number + shift;
                fields.insert(0, first.written(number));
            }
            structure(&fields)
        };
        let snappy = [
            shifted(header(0, MOST, junk_length, data(ROWS, PLAIN))),
            junk.clone(),
        ]
        .concat();
        add(&format!("a page of 2^31 - 1 bytes{by}"), FIXED, 1, &|_| {
            vec![snappy.clone()]
        });
        for physical in [FIXED, BYTES] {
            add(
                &format!("a dictionary of 2^31 - 1 values of {physical}{by}"),
                physical,
                0,
                &|width| {
                    let bytes = vec![0; 2 * width];
                    let length = bytes.len() as i64;
                    let dictionary =
                        [shifted(header(2, length, length, values(MOST))), bytes].concat();
                    vec![dictionary, first_value(ROWS as u64)]
                },
            );
        }
    }
    // A parser that skips no byte for a boolean reads the content of a list of booleans as the
    // following fields.
    let hidden = [
        &structure(&header(0, MOST, junk_length, data(ROWS, PLAIN))),
        &junk[..],
    ]
    .concat();
    let hiding = [
        vec![0x15, 0x00, LIST],
        zigzag(20),
        vec![0xf0 | TRUE],
        varint(hidden.len() as u64),
        hidden,
        structure(&[int(2, 10).written(2), int(3, 10), data(ROWS, PLAIN)]),
    ];
    add("a header in a list of booleans", FIXED, 1, &|_| {
        vec![hiding.concat()]
    });
    let small = structure(&header(0, 32, 32, data(ROWS, PLAIN)));
    add("pages of less than their values", FIXED, 0, &|_| {
        vec![[small.clone(), vec![0; 32]].concat()]
    });
    for codec in [3, 4, 5, 8] {
        add(&format!("codec {codec}"), FIXED, codec, &|width| {
            vec![page(ROWS, PLAIN, &vec![3; width * 100])]
        });
    }
    for codec in [1, 2, 6, 7] {
        add(
            &format!("codec {codec} on uncompressed data"),
            FIXED,
            codec,
            &|width| vec![page(ROWS, PLAIN, &vec![3; width * 100])],
        );
    }
    let levels = inner(
        8,
        &[
            int(1, ROWS),
            int(2, 0),
            int(3, ROWS),
            int(4, PLAIN),
            int(5, MOST),
            int(6, MOST),
        ],
    );
    add("levels of 2^32 bytes", FIXED, 1, &|_| {
        vec![[structure(&header(3, 32, 32, levels.clone())), vec![0; 32]].concat()]
    });
    files
}

/// The columns of a verification, and a column `x` whose dictionary has one value of `bytes` bytes,
/// which every row refers to.
pub fn file_beside(part: Beside, rows: usize, bytes: usize) -> Vec<u8> {
    let dictionary = || dictionary(1, &value(&vec![7; bytes]));
    let optional = |name: &str| structure(&[int(3, 0), text(4, name), int(5, 1)]);
    let keys = first_keys(rows as u64);
    // Levels as one run of `count` values, preceded by its length.
    let levels =
        |level: u8, count: usize| value(&[varint((count as u64) << 1), vec![level]].concat());
    let (elements, pages) = match part {
        Beside::Bytes => (vec![element("x", BYTES, None, 0)], first_value(rows as u64)),
        Beside::Struct => (
            vec![optional("x"), element("a", BYTES, None, 0)],
            first_value(rows as u64),
        ),
        Beside::List => {
            let levels = [levels(0, rows), levels(1, rows)].concat();
            (
                vec![element("x", BYTES, None, 2)],
                page(rows as i64, DICTIONARY, &[levels, keys].concat()),
            )
        }
        Beside::Decimal => {
            let decimal = [
                int(1, BYTES),
                int(3, 0),
                text(4, "x"),
                int(6, 5),
                int(7, 0),
                int(8, 30),
            ];
            (vec![structure(&decimal)], first_value(rows as u64))
        }
    };
    let x = Column {
        elements,
        physical: BYTES,
        codec: 0,
        values: rows as i64,
        pages: vec![dictionary(), pages],
        has_dictionary: true,
        dictionary_offset: None,
    };
    let mut columns = rejected(rows);
    columns.push(x);
    file(&columns, rows as i64)
}

/// The type of the additional column of [`file_beside`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    Bytes,
    Struct,
    List,
    Decimal,
}

/// One row whose list has `values` equal values, in a page of a few bytes.
pub fn long_list(values: usize) -> Vec<u8> {
    let run = |level: u8, count: usize| [varint((count as u64) << 1), vec![level]].concat();
    let repetition = [run(0, 1), run(1, values - 1)].concat();
    let bytes = [
        value(&repetition),
        value(&run(1, values)),
        first_keys(values as u64),
    ]
    .concat();
    let x = Column {
        elements: vec![element("x", INT32, None, 2)],
        physical: INT32,
        codec: 0,
        values: values as i64,
        pages: vec![
            dictionary(1, &[7; 4]),
            page(values as i64, DICTIONARY, &bytes),
        ],
        has_dictionary: true,
        dictionary_offset: None,
    };
    let mut columns = rejected(1);
    columns.push(x);
    file(&columns, 1)
}

/// Rows in pages of one row each.
pub fn small_pages(rows: usize) -> Vec<u8> {
    let pages = |width: usize| vec![page(1, PLAIN, &vec![3; width]); rows];
    let columns = COLUMNS
        .map(|(name, width)| Column::new(name, FIXED, Some(width), rows as i64, pages(width)));
    file(&columns, rows as i64)
}

/// A file with `columns` columns and no rows.
pub fn wide(columns: usize) -> Vec<u8> {
    let schema = [
        vec![group("schema", columns as i64)],
        vec![element("a", INT32, None, 0); columns],
    ]
    .concat();
    only_footer(&footer(&schema, 0, &[]))
}
