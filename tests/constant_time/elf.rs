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
    bytes[at..at + size].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn text(bytes: &[u8], at: usize) -> &str {
    let end = at + bytes[at..].iter().position(|byte| *byte == 0).expect("names end with a zero");
    std::str::from_utf8(&bytes[at..end]).expect("names are text")
}

impl<'a> Elf<'a> {
    pub fn new(file: &'a [u8]) -> Self {
        assert!(file.starts_with(b"\x7fELF\x02\x01"), "an ELF file of 64 bits");
        let at = |at, size| number(file, at, size) as usize;
        let headers = at(0x28, 8);
        let size = at(0x3a, 2);
        let count = at(0x3c, 2);
        let names = at(0x3e, 2);
        let header = |section: usize, field, bytes| number(file, headers + section * size + field, bytes);
        let content = |section| {
            let start = header(section, 0x18, 8) as usize;
            let length = header(section, 0x20, 8) as usize;
            if header(section, 4, 4) == NOBITS { &[] } else { &file[start..start + length] }
        };
        let section = |section| Section {
            name: text(content(names), header(section, 0, 4) as usize),
            address: header(section, 0x10, 8),
            content: content(section),
            link: header(section, 0x28, 4) as usize,
        };
        Elf { sections: (0..count).map(section).collect() }
    }

    pub fn section(&self, name: &str) -> Option<Section<'a>> {
        self.sections.iter().copied().find(|section| section.name == name)
    }

    /// The section that a symbol lies in.
    pub fn section_of(&self, symbol: &Symbol) -> Section<'a> {
        self.sections[symbol.section]
    }

    /// The names of the symbols that the loader links, by number.
    pub fn dynamic_names(&self) -> Vec<&'a str> {
        const ENTRY: usize = 24;
        let Some(table) = self.section(".dynsym") else { return Vec::new() };
        let names = self.sections[table.link].content;
        table.content.chunks_exact(ENTRY).map(|entry| text(names, number(entry, 0, 4) as usize)).collect()
    }

    /// Every function.
    pub fn functions(&self) -> Vec<Symbol<'a>> {
        const ENTRY: usize = 24;
        let table = self.section(".symtab").expect("the file has symbols");
        let names = self.sections[table.link].content;
        let entries = table.content.chunks_exact(ENTRY).filter(|entry| entry[4] & 0xf == FUNCTION);
        let symbol = |entry: &'a [u8]| Symbol {
            name: text(names, number(entry, 0, 4) as usize),
            section: number(entry, 6, 2) as usize,
            address: number(entry, 8, 8),
            size: number(entry, 16, 8),
        };
        entries.map(symbol).filter(|symbol| symbol.section != 0 && symbol.section < self.sections.len()).collect()
    }
}
