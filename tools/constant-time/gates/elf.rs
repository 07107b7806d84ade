//! Sections and symbols of ELF files of 64 bits, little-endian.

/// A file whose section headers were found.
pub struct Elf<'a> {
    sections: Vec<Section<'a>>,
}

#[derive(Clone, Copy)]
pub struct Section<'a> {
    pub name: &'a str,
    /// The section's address in the running program.
    pub address: u64,
    pub content: &'a [u8],
    link: usize,
}

pub struct Symbol<'a> {
    pub name: &'a str,
    /// The number of its section.
    pub section: usize,
    pub address: u64,
    pub size: u64,
}

const NOBITS: u64 = 8;
const FUNCTION: u8 = 2;

/// A little-endian number of `size` bytes.
pub fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size]
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn text(bytes: &[u8], at: usize) -> &str {
    let end = at
        + bytes[at..]
            .iter()
            .position(|byte| *byte == 0)
            .expect("names end with a zero");
    std::str::from_utf8(&bytes[at..end]).expect("names are text")
}

/// The content of a section, by its header.
fn content<'a>(file: &'a [u8], header: &[u8]) -> &'a [u8] {
    if number(header, 4, 4) == NOBITS {
        return &[];
    }
    let start = number(header, 0x18, 8) as usize;
    let length = number(header, 0x20, 8) as usize;
    &file[start..start + length]
}

impl<'a> Elf<'a> {
    pub fn new(file: &'a [u8]) -> Self {
        assert!(
            file.starts_with(b"\x7fELF\x02\x01"),
            "an ELF file of 64 bits"
        );
        let start = number(file, 0x28, 8) as usize;
        let size = number(file, 0x3a, 2) as usize;
        let count = number(file, 0x3c, 2) as usize;
        let names = number(file, 0x3e, 2) as usize;
        let headers: Vec<&[u8]> = file[start..start + count * size]
            .chunks_exact(size)
            .collect();
        let names = content(file, headers[names]);
        let sections = headers.iter().map(|header| Section {
            name: text(names, number(header, 0, 4) as usize),
            address: number(header, 0x10, 8),
            content: content(file, header),
            link: number(header, 0x28, 4) as usize,
        });
        Elf {
            sections: sections.collect(),
        }
    }

    pub fn section(&self, name: &str) -> Option<Section<'a>> {
        self.sections
            .iter()
            .copied()
            .find(|section| section.name == name)
    }

    /// The section that a symbol lies in.
    pub fn section_of(&self, symbol: &Symbol) -> Section<'a> {
        self.sections[symbol.section]
    }

    /// The names of the symbols that the loader links, by number.
    pub fn dynamic_names(&self) -> Vec<&'a str> {
        const ENTRY: usize = 24;
        let Some(table) = self.section(".dynsym") else {
            return Vec::new();
        };
        let names = self.sections[table.link].content;
        table
            .content
            .chunks_exact(ENTRY)
            .map(|entry| text(names, number(entry, 0, 4) as usize))
            .collect()
    }

    /// Every function.
    pub fn functions(&self) -> Vec<Symbol<'a>> {
        const ENTRY: usize = 24;
        let table = self.section(".symtab").expect("the file has symbols");
        let names = self.sections[table.link].content;
        let entries = table
            .content
            .chunks_exact(ENTRY)
            .filter(|entry| entry[4] & 0xf == FUNCTION);
        let symbols = entries.map(|entry| Symbol {
            name: text(names, number(entry, 0, 4) as usize),
            section: number(entry, 6, 2) as usize,
            address: number(entry, 8, 8),
            size: number(entry, 16, 8),
        });
        symbols
            .filter(|symbol| symbol.section != 0 && symbol.section < self.sections.len())
            .collect()
    }
}
