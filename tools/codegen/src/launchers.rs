//! Generates the Rust structs that launch the kernels, from the signatures in the `.cu` files.
//!
//! A signature declares the content of each of its arrays with the types of
//! `cuda/kernels/columns.cuh`. Each of these becomes a Rust type, and each kernel becomes a struct
//! with a field per parameter, so that neither the order nor the content of arguments can be
//! confused. The line above a kernel declares its number of threads:
//!
//! ```text
//! // Launch: one thread per item.
//! // Launch: one thread per item, in blocks of 128, for tables items.
//! // Launch: 2 blocks per multiprocessor, for tables * windows items.
//! ```
//!
//! The default block size is the value of `__launch_bounds__`, and the default number of items is
//! n. A name that is not a parameter of the kernel becomes a field of its own. Kernels defined by a
//! macro share a struct, since they share parameters; the line is then above the macro.

use std::fmt::Write;

/// A file of device code.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path below `cuda/`.
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// The generated Rust.
#[derive(Debug)]
pub struct Launchers {
    /// The types of array contents, from the folder's `columns.cuh`.
    pub contents: String,
    /// The kernels as structs, and a list of all of them.
    pub kernels: String,
}

/// The file of a folder that declares array contents.
const COLUMNS: &str = "columns.cuh";
const KERNEL: &str = "extern \"C\" __global__ void __launch_bounds__(";
const LAUNCH: &str = "// Launch: ";

/// Generates the launchers of the kernels in a folder such as `kernels/`.
///
/// # Errors
/// A description of the problem in or above a signature.
pub fn emit_launchers(sources: &[Source], folder: &str) -> Result<Launchers, String> {
    let mut known = Vec::new();
    let mut own = String::new();
    for source in sources
        .iter()
        .filter(|source| source.name.split('/').nth(1) == Some(COLUMNS))
    {
        let contents = contents(source)?;
        if source.name.starts_with(folder) {
            own = contents.iter().map(ArrayContent::rust).collect();
        }
        known.extend(contents);
    }
    let mut launchers: Vec<Launcher> = Vec::new();
    for source in sources
        .iter()
        .filter(|source| source.name.starts_with(folder) && source.name.ends_with(".cu"))
    {
        for launcher in launchers_of(source, sources, &known)
            .map_err(|problem| format!("{}: {problem}", source.name))?
        {
            merge(&mut launchers, launcher)?;
        }
    }
    let kernels: String = launchers.iter().map(Launcher::rust).collect();
    Ok(Launchers {
        contents: own,
        kernels: kernels + &list_of_kernels(&launchers),
    })
}

/// Returns `true` if a kernel file, through its headers, needs the constants of a curve.
pub fn needs_curve(file: &Source, sources: &[Source]) -> bool {
    with_headers(file, sources)
        .iter()
        .any(|source| includes(&source.text).any(|name| name == "curve.cuh"))
}

/// Returns whether a file has kernels.
pub fn is_kernel_file(source: &Source) -> bool {
    kernel_file(&source.name).is_some()
}

/// Returns the stem of a kernel file's name.
fn kernel_file(name: &str) -> Option<&str> {
    name.split_once('/')?.1.strip_suffix(".cu")
}

fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'))
}

/// Returns a file and all headers that it includes, directly or indirectly.
fn with_headers<'a>(file: &'a Source, sources: &'a [Source]) -> Vec<&'a Source> {
    let mut all = vec![file];
    let mut next = 0;
    while next < all.len() {
        for name in includes(&all[next].text) {
            let header = sources.iter().find(|source| source.name == name);
            all.extend(header.filter(|header| all.iter().all(|known| known.name != header.name)));
        }
        next += 1;
    }
    all
}

/// The contents of an array.
#[derive(Debug)]
struct ArrayContent {
    name: String,
    /// The size of an item in bytes: unknown, a number, or the value of a parameter.
    size: Size,
    /// The lines of the comment.
    doc: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Unknown,
    Bytes(usize),
    Parameter,
}

/// Parses the declarations of a `columns.cuh`, each with the comment above it.
fn contents(file: &Source) -> Result<Vec<ArrayContent>, String> {
    let mut contents = Vec::new();
    let mut doc = Vec::new();
    for line in file.text.lines() {
        if let Some(comment) = line.strip_prefix("//") {
            doc.push(comment.trim_start().to_owned());
            continue;
        }
        if let Some((name, size)) =
            declaration(line).map_err(|problem| format!("{}: {problem}", file.name))?
        {
            if doc.is_empty() {
                return Err(format!(
                    "{}: {name} needs a comment that describes it",
                    file.name
                ));
            }
            contents.push(ArrayContent {
                name: name.to_owned(),
                size,
                doc: std::mem::take(&mut doc),
            });
        }
        doc.clear();
    }
    Ok(contents)
}

/// Parses the name and size that a line declares, if any.
fn declaration(line: &str) -> Result<Option<(&str, Size)>, String> {
    if line.is_empty() || line.starts_with('#') || line.starts_with("template <class") {
        return Ok(None);
    }
    match parse_declaration(line) {
        Some(declaration) => Ok(Some(declaration)),
        None => Err(format!("a line is not understood: {line}")),
    }
}

fn parse_declaration(line: &str) -> Option<(&str, Size)> {
    let body = line.strip_suffix(';')?;
    if let Some(body) = body.strip_prefix("template <int kBytes> using ") {
        let name = body.strip_suffix(" = Each<u8, kBytes>")?;
        return Some((name, Size::Parameter));
    }
    if let Some(name) = body.strip_prefix("template <int N> struct ") {
        return Some((name, Size::Unknown));
    }
    let (name, meaning) = body.strip_prefix("using ")?.split_once(" = ")?;
    let size = match meaning
        .strip_prefix("Each<")
        .and_then(|meaning| meaning.strip_suffix('>'))
    {
        None => word_bytes(meaning).map(|_| Size::Unknown)?,
        Some(each) => {
            let (word, count) = each.split_once(", ")?;
            Size::Bytes(word_bytes(word)? * count.parse::<usize>().ok()?)
        }
    };
    Some((name, size))
}

fn word_bytes(word: &str) -> Option<usize> {
    match word {
        "u8" => Some(1),
        "u32" => Some(4),
        "u64" => Some(8),
        _ => None,
    }
}

impl ArrayContent {
    fn rust(&self) -> String {
        let ArrayContent { name, size, doc } = self;
        let (parameter, bytes) = match size {
            Size::Parameter => ("<const BYTES: usize>", Some("BYTES".to_owned())),
            Size::Bytes(bytes) => ("", Some(bytes.to_string())),
            Size::Unknown => ("", None),
        };
        let mut text: String = doc.iter().map(|line| format!("/// {line}\n")).collect();
        writeln!(
            text,
            "#[derive(Clone, Copy, Debug)]\npub enum {name}{parameter} {{}}\n"
        )
        .unwrap();
        if let Some(bytes) = bytes {
            let of = if parameter.is_empty() { "" } else { "<BYTES>" };
            writeln!(
                text,
                "impl{parameter} Content for {name}{of} {{\n    const BYTES: usize = {bytes};\n}}\n"
            )
            .unwrap();
        }
        text
    }
}

/// A macro that takes arguments.
#[derive(Debug)]
struct Macro {
    name: String,
    parameters: Vec<String>,
    body: String,
    /// The launch line above the kernel.
    launch: Option<String>,
    /// The file that defines it.
    file: String,
}

/// A kernel: the text starting at its signature, its launch line, and the name of the struct that
/// it shares with other kernels.
struct KernelDefinition<'a> {
    signature: &'a str,
    launch: Option<&'a str>,
    shared: Option<String>,
}

/// A Rust struct that launches one kernel, or those of a macro.
#[derive(Debug)]
struct Launcher {
    name: String,
    /// The files and names of the kernels.
    kernels: Vec<(String, String)>,
    is_shared: bool,
    needs_curve: bool,
    shape: Launch,
}

/// The launch configuration of a kernel.
#[derive(Debug, PartialEq, Eq)]
struct Launch {
    /// Threads per block.
    block: u32,
    grid: Grid,
    parameters: Vec<Parameter>,
    /// Further parameters, named in the launch line.
    more: Vec<Parameter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Grid {
    /// The number of blocks per multiprocessor, or `None` for one thread per item.
    resident: Option<Factor>,
    /// The number of items.
    items: Vec<Factor>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Factor {
    Number(u64),
    Name(String),
}

impl Factor {
    fn parse(text: &str) -> Self {
        text.parse()
            .map_or_else(|_| Factor::Name(text.to_owned()), Factor::Number)
    }

    /// Returns whether the factor is a number or an identifier.
    fn is_well_formed(&self) -> bool {
        match self {
            Factor::Number(_) => true,
            Factor::Name(name) => name.chars().all(is_of_word),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    ty: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Word,
    Long,
    /// A structure of words, passed by value.
    Block,
    Array {
        content: String,
        optional: bool,
    },
}

/// Returns the launchers of one kernel file.
fn launchers_of(
    source: &Source,
    sources: &[Source],
    contents: &[ArrayContent],
) -> Result<Vec<Launcher>, String> {
    let files = with_headers(source, sources);
    let macros: Vec<Macro> = files.iter().flat_map(|file| macros(file)).collect();
    let reader = Reader {
        source,
        files: &files,
        contents,
        needs_curve: needs_curve(source, sources),
    };
    let code = without_macros(&source.text);
    let mut launchers = Vec::new();
    for (at, _) in code.match_indices(KERNEL) {
        let launch = code[..at].lines().next_back();
        let launch = launch.and_then(|line| line.strip_prefix(LAUNCH));
        launchers.push(reader.launcher(&KernelDefinition {
            signature: &code[at..],
            launch,
            shared: None,
        })?);
    }
    // Macro calls start at the beginning of a line.
    for line in code.lines() {
        if let Some((called, arguments)) = call(&macros, line) {
            reader.expand(&macros, called, &arguments, &mut launchers)?;
        }
    }
    Ok(launchers)
}

struct Reader<'a> {
    source: &'a Source,
    files: &'a [&'a Source],
    contents: &'a [ArrayContent],
    needs_curve: bool,
}

impl Reader<'_> {
    /// Adds the kernels that a macro call defines.
    fn expand(
        &self,
        macros: &[Macro],
        called: &Macro,
        arguments: &[&str],
        to: &mut Vec<Launcher>,
    ) -> Result<(), String> {
        let code = pasted(&substitute(&called.body, &called.parameters, arguments));
        for ((at, _), (pattern, _)) in code
            .match_indices(KERNEL)
            .zip(called.body.match_indices(KERNEL))
        {
            let pattern = signature_parts(&called.body[pattern..])?.name;
            let signature = &code[at..];
            let shared = Some(shared_name(called, pattern));
            to.push(self.launcher(&KernelDefinition {
                signature,
                launch: called.launch.as_deref(),
                shared,
            })?);
        }
        for line in code.lines() {
            if let Some((called, arguments)) = call(macros, line.trim_start()) {
                self.expand(macros, called, &arguments, to)?;
            }
        }
        Ok(())
    }

    fn launcher(&self, definition: &KernelDefinition) -> Result<Launcher, String> {
        let parts = signature_parts(definition.signature)?;
        let kernel = parts.name;
        let shape = self
            .shape(&parts, definition.launch)
            .map_err(|problem| format!("{kernel}: {problem}"))?;
        let file = kernel_file(&self.source.name)
            .expect("a file of kernels")
            .to_owned();
        Ok(Launcher {
            name: definition
                .shared
                .clone()
                .unwrap_or_else(|| camel_case(kernel)),
            kernels: vec![(file, kernel.to_owned())],
            is_shared: definition.shared.is_some(),
            needs_curve: self.needs_curve,
            shape,
        })
    }

    /// Parses the parameters of a kernel and its launch line.
    fn shape(&self, parts: &SignatureParts, launch: Option<&str>) -> Result<Launch, String> {
        let split = parts
            .parameters
            .split(',')
            .map(str::trim)
            .filter(|parameter| !parameter.is_empty());
        let parameters: Vec<Parameter> = split
            .map(|parameter| self.parameter(parameter))
            .collect::<Result<_, _>>()?;
        let launch = launch.ok_or_else(|| {
            format!(
                "the line above it must be a launch line, such as `{LAUNCH}one thread per item.`"
            )
        })?;
        let (block, grid) = parse_launch(launch)?;
        let block = block.map_or_else(|| self.bound(parts.bounds), Ok)?;
        let more = more_fields(&grid, &parameters)?;
        Ok(Launch {
            block,
            grid,
            parameters,
            more,
        })
    }

    /// Returns the number of threads per block from the first argument of `__launch_bounds__`.
    fn bound(&self, bounds: &str) -> Result<u32, String> {
        let first = bounds.split(',').next().unwrap_or_default().trim();
        let threads = first.parse().ok().or_else(|| self.constant(first));
        threads.ok_or_else(|| format!("__launch_bounds__({bounds}) is not a number"))
    }

    /// Returns the value of a `constexpr int` in the file or its headers.
    fn constant(&self, name: &str) -> Option<u32> {
        let start = format!("constexpr int {name} = ");
        let mut lines = self.files.iter().flat_map(|file| file.text.lines());
        let (_, value) = lines.find_map(|line| line.split_once(&start))?;
        value.split(';').next()?.parse().ok()
    }

    fn parameter(&self, text: &str) -> Result<Parameter, String> {
        let words = text.replace('*', "* ");
        let words: Vec<&str> = words
            .split_whitespace()
            .filter(|word| !["const", "__restrict__", "__grid_constant__"].contains(word))
            .collect();
        let (name, ty) = words.split_last().ok_or("a parameter is empty")?;
        let ty = match ty.concat().as_str() {
            "u32" => Type::Word,
            "u64" => Type::Long,
            ty if ty.starts_with("ModulusWords<") => Type::Block,
            ty => {
                let content = ty.strip_suffix('*');
                let content =
                    content.ok_or_else(|| format!("`{text}` has a type that is not understood"))?;
                self.array(content)
                    .ok_or_else(|| format!("`{text}` must have a type of {COLUMNS}"))?
            }
        };
        Ok(Parameter {
            name: (*name).to_owned(),
            ty,
        })
    }

    fn array(&self, content: &str) -> Option<Type> {
        let inner = content
            .strip_prefix("Optional<")
            .and_then(|content| content.strip_suffix('>'));
        let (base, parameter) = match inner.unwrap_or(content).split_once('<') {
            Some((base, rest)) => (base, rest.strip_suffix('>')),
            None => (inner.unwrap_or(content), None),
        };
        let content = self.contents.iter().find(|content| content.name == base)?;
        let rust = match content.size {
            Size::Parameter => format!("{base}<{}>", parameter?.parse::<usize>().ok()?),
            _ => base.to_owned(),
        };
        Some(Type::Array {
            content: rust,
            optional: inner.is_some(),
        })
    }
}

/// A kernel's bounds, name and parameters, as found in the text that starts at its signature.
struct SignatureParts<'a> {
    bounds: &'a str,
    name: &'a str,
    parameters: &'a str,
}

impl<'a> SignatureParts<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (bounds, rest) = text.strip_prefix(KERNEL)?.split_once(')')?;
        let (name, rest) = rest.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        Some(SignatureParts {
            bounds,
            name: name.trim(),
            parameters,
        })
    }
}

fn signature_parts(text: &str) -> Result<SignatureParts<'_>, String> {
    SignatureParts::parse(text).ok_or_else(|| {
        format!(
            "a signature is not understood: {}",
            text.lines().next().unwrap_or_default()
        )
    })
}

/// Parses a launch line: the number of threads per block, if stated, and the grid.
fn parse_launch(line: &str) -> Result<(Option<u32>, Grid), String> {
    parse_clauses(line).ok_or_else(|| format!("`{LAUNCH}{line}` is not understood"))
}

fn parse_clauses(line: &str) -> Option<(Option<u32>, Grid)> {
    let mut clauses = line.strip_suffix('.')?.split(", ");
    let first = clauses.next().unwrap_or_default();
    let resident = match first.strip_suffix(" blocks per multiprocessor") {
        Some(count) => Some(Factor::parse(count)),
        None if first == "one thread per item" => None,
        None => return None,
    };
    let mut block = None;
    let mut items = vec![Factor::Name("n".to_owned())];
    for clause in clauses {
        if let Some(threads) = clause.strip_prefix("in blocks of ") {
            block = Some(threads.parse().ok()?);
        } else {
            let count = clause.strip_prefix("for ")?.strip_suffix(" items")?;
            items = count.split(" * ").map(Factor::parse).collect();
        }
    }
    let is_well_formed = items.iter().chain(&resident).all(Factor::is_well_formed);
    is_well_formed.then_some((block, Grid { resident, items }))
}

/// Returns the names in a launch line that are not parameters.
fn more_fields(grid: &Grid, parameters: &[Parameter]) -> Result<Vec<Parameter>, String> {
    let mut more = Vec::new();
    for (factors, ty) in [
        (&grid.items[..], Type::Long),
        (grid.resident.as_slice(), Type::Word),
    ] {
        for factor in factors {
            let Factor::Name(name) = factor else { continue };
            if parameters.iter().any(|parameter| parameter.name == *name) {
                continue;
            }
            if name == "n" {
                return Err(
                    "it has no parameter n: the launch line must state the number of items"
                        .to_owned(),
                );
            }
            more.push(Parameter {
                name: name.clone(),
                ty: ty.clone(),
            });
        }
    }
    Ok(more)
}

/// Returns the macros of a file that take arguments.
fn macros(file: &Source) -> Vec<Macro> {
    let mut macros = Vec::new();
    for (at, define) in file.text.match_indices("#define ") {
        let definition = continued(&file.text[at + define.len()..]).join("\n");
        let Some((name, rest)) = definition.split_once('(') else {
            continue;
        };
        let Some((parameters, body)) = rest.split_once(')') else {
            continue;
        };
        if !name.chars().all(is_of_word) {
            continue;
        }
        let above = file.text[..at].lines().next_back();
        macros.push(Macro {
            name: name.to_owned(),
            parameters: parameters
                .split(',')
                .map(|parameter| parameter.trim().to_owned())
                .collect(),
            body: body.to_owned(),
            launch: above
                .and_then(|line| line.strip_prefix(LAUNCH))
                .map(str::to_owned),
            file: file.name.clone(),
        });
    }
    macros
}

fn is_of_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns the first line of a text and its continuation lines, without backslashes.
fn continued(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.lines() {
        lines.push(line.trim_end_matches('\\').trim_end());
        if !line.ends_with('\\') {
            break;
        }
    }
    lines
}

/// Returns the lines of a text that are outside of macro definitions.
fn without_macros(text: &str) -> String {
    let mut code = String::new();
    let mut inside = false;
    for line in text.lines() {
        if !inside && !line.starts_with("#define ") {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        inside = line.ends_with('\\');
    }
    code
}

/// Parses a macro call at the beginning of a text. Returns the macro and its arguments.
fn call<'a, 't>(macros: &'a [Macro], text: &'t str) -> Option<(&'a Macro, Vec<&'t str>)> {
    let (name, rest) = text.split_once('(')?;
    let called = macros.iter().find(|known| known.name == name)?;
    let mut arguments = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    for (at, char) in rest.char_indices() {
        match char {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                arguments.push(rest[start..at].trim());
                start = at + 1;
                if char == ')' {
                    return Some((called, arguments));
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns a macro's body with its parameters replaced.
fn substitute(body: &str, parameters: &[String], arguments: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some(start) = rest.find(is_of_word) {
        let word = rest[start..]
            .split(|char| !is_of_word(char))
            .next()
            .unwrap_or_default();
        text.push_str(&rest[..start]);
        let which = parameters.iter().position(|parameter| parameter == word);
        text.push_str(
            which
                .and_then(|which| arguments.get(which))
                .unwrap_or(&word),
        );
        rest = &rest[start + word.len()..];
    }
    text + rest
}

/// Joins the words at both sides of `##`.
fn pasted(text: &str) -> String {
    text.replace(" ## ", "").replace("##", "")
}

/// Returns the name of the struct for a macro's kernels: the common part of their names, or the
/// name of the file that defines the macro.
fn shared_name(of: &Macro, pattern: &str) -> String {
    let shared = pattern
        .split("##")
        .map(str::trim)
        .find(|part| of.parameters.iter().all(|name| name != part));
    let file = of
        .file
        .rsplit('/')
        .next()
        .and_then(|file| file.split('.').next())
        .unwrap_or_default();
    camel_case(shared.unwrap_or(file))
}

/// Converts `gecc_some_kernel` to `SomeKernel`.
fn camel_case(name: &str) -> String {
    let words = name
        .trim_start_matches("gecc_")
        .split('_')
        .filter(|word| !word.is_empty());
    words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

/// Adds a launcher, or adds its kernel to an existing launcher with the same struct.
fn merge(launchers: &mut Vec<Launcher>, new: Launcher) -> Result<(), String> {
    let Some(known) = launchers
        .iter_mut()
        .find(|launcher| launcher.name == new.name)
    else {
        launchers.push(new);
        return Ok(());
    };
    if !(known.is_shared && new.is_shared && known.shape == new.shape) {
        return Err(format!(
            "{} and {} differ in their parameters or launch lines",
            known.kernels[0].1, new.kernels[0].1
        ));
    }
    known.kernels.extend(new.kernels);
    Ok(())
}

impl Launcher {
    /// Returns the call of the macro `device_kernel!` that defines the struct.
    fn rust(&self) -> String {
        let Launcher { name, kernels, .. } = self;
        let Launch {
            block,
            grid,
            parameters,
            more,
        } = &self.shape;
        let (file, kernel) = &kernels[0];
        let others = match self.is_shared {
            false => "",
            true => " and the other kernels of its macro",
        };
        let mut text = format!("device_kernel! {{\n    /// `{kernel}` of `{file}.cu`{others}.\n");
        text.push_str(&fields(&format!("pub struct {name}"), parameters));
        if !more.is_empty() {
            text.push_str(&fields("grid", more));
        }
        writeln!(text, "    {},", self.kernels()).unwrap();
        writeln!(text, "    threads: {block},").unwrap();
        match &grid.resident {
            None => {}
            Some(Factor::Number(blocks)) => writeln!(text, "    blocks: {blocks},").unwrap(),
            Some(Factor::Name(field)) => writeln!(text, "    blocks_of: {field},").unwrap(),
        }
        writeln!(text, "    items: {},\n}}\n", self.items()).unwrap();
        text
    }

    /// Returns the clause that names the kernels.
    fn kernels(&self) -> String {
        let names: Vec<String> = self
            .kernels
            .iter()
            .map(|(file, kernel)| format!("{kernel:?} in {file:?}"))
            .collect();
        match (self.is_shared, self.needs_curve) {
            (true, _) => format!("one_of: [\n        {},\n    ]", names.join(",\n        ")),
            (false, true) => format!("on_a_curve: {}", names[0]),
            (false, false) => format!("without_curve: {}", names[0]),
        }
    }

    /// Returns a function from the struct to the number of items.
    fn items(&self) -> String {
        let factors = &self.shape.grid.items;
        let has_names = factors
            .iter()
            .any(|factor| matches!(factor, Factor::Name(_)));
        let parameter = if has_names { "it" } else { "_" };
        let factors: Vec<String> = factors.iter().map(|factor| self.factor(factor)).collect();
        format!("|{parameter}| {}", factors.join(" * "))
    }

    fn factor(&self, factor: &Factor) -> String {
        match factor {
            Factor::Number(number) => number.to_string(),
            Factor::Name(name) => {
                let field = self
                    .shape
                    .parameters
                    .iter()
                    .chain(&self.shape.more)
                    .find(|field| field.name == *name);
                let is_word = field.is_some_and(|field| field.ty == Type::Word);
                if is_word {
                    format!("u64::from(it.{name})")
                } else {
                    format!("it.{name}")
                }
            }
        }
    }
}

impl Type {
    fn rust(&self) -> String {
        match self {
            Type::Word => "u32".to_owned(),
            Type::Long => "u64".to_owned(),
            // The kernel determines how many of them it uses.
            Type::Block => "[u32; 17]".to_owned(),
            Type::Array {
                content,
                optional: false,
            } => format!("Column<columns::{content}>"),
            Type::Array {
                content,
                optional: true,
            } => format!("Option<Column<columns::{content}>>"),
        }
    }
}

/// Returns a block of fields.
fn fields(head: &str, fields: &[Parameter]) -> String {
    let fields: String = fields
        .iter()
        .map(|Parameter { name, ty }| format!("        pub {name}: {},\n", ty.rust()))
        .collect();
    format!("    {head} {{\n{fields}    }}\n")
}

fn list_of_kernels(launchers: &[Launcher]) -> String {
    let kernels: String = launchers
        .iter()
        .flat_map(|launcher| &launcher.kernels)
        .map(|(file, kernel)| format!("    ({file:?}, {kernel:?}),\n"))
        .collect();
    format!(
        "/// Every kernel, with its file.\n#[rustfmt::skip]\npub const ALL: &[(&str, &str)] = &[\n{kernels}];\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME_COLUMNS: &str = "\
// What arrays hold.
//
#pragma once
#include \"primitives/types.cuh\"

template <class Word, int kCount> using Each = Word;
// May be missing.
template <class Content> using Optional = Content;

// Rows of
// bytes.
template <int kBytes> using ByteRows = Each<u8, kBytes>;
// Numbers.
using Scalars = Each<u32, 8>;
// A table.
using Table = u32;
// A modulus.
template <int N> struct Modulus;
";

    /// Returns the launchers of a file of kernels.
    fn launchers(kernels: &str) -> Result<Launchers, String> {
        let header = "// Launch: some blocks per multiprocessor.\n\
                      #define GECC_PAIR(NAME, BITS) \\\n    GECC_ONE(gecc_##NAME##_##BITS##_a, BITS) \\\n    GECC_ONE(gecc_##NAME##_b, BITS)\n\
                      static constexpr int kThreads = 64;\n";
        let sources = [
            ("kernels/columns.cuh", SOME_COLUMNS),
            ("kernels/more.cuh", header),
            ("kernels/some.cu", kernels),
        ];
        emit_launchers(&sources.map(|(name, text)| source(name, text)), "kernels/")
    }

    fn source(name: &str, text: &str) -> Source {
        Source {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    fn emit(kernels: &str) -> Result<String, String> {
        launchers(kernels).map(|launchers| launchers.kernels)
    }

    fn kernel(launch: &str, parameters: &str) -> String {
        format!(
            "{launch}\nextern \"C\" __global__ void __launch_bounds__(256)\n    gecc_some_kernel({parameters}) {{\n}}\n"
        )
    }

    /// Returns the fields of the first struct.
    fn fields(rust: &str) -> Vec<&str> {
        let (_, rest) = rust.split_once("pub struct ").unwrap();
        rest.lines()
            .skip(1)
            .take_while(|line| *line != "    }")
            .map(|line| line.trim().trim_end_matches(','))
            .collect()
    }

    #[test]
    fn contents_are_types_with_their_sizes() {
        let contents = contents(&source("kernels/columns.cuh", SOME_COLUMNS)).unwrap();
        let sizes: Vec<_> = contents
            .iter()
            .map(|content| (&*content.name, content.size))
            .collect();
        assert_eq!(
            sizes,
            [
                ("ByteRows", Size::Parameter),
                ("Scalars", Size::Bytes(32)),
                ("Table", Size::Unknown),
                ("Modulus", Size::Unknown)
            ]
        );
        assert_eq!(contents[0].doc, ["Rows of", "bytes."]);
        let rust = launchers("").unwrap().contents;
        assert!(rust.contains("impl Content for Scalars {\n    const BYTES: usize = 32;"));
        assert!(rust.contains("impl<const BYTES: usize> Content for ByteRows<BYTES>"));
        assert!(
            rust.contains("pub enum Table {}") && !rust.contains("for Table"),
            "it has no size for each item"
        );
        for (line, problem) in [
            ("// A\nusing A = Each<u16, 2>;", "not understood"),
            ("// A\nusing A = u32", "not understood"),
            ("int a;", "not understood"),
            ("using A = u32;", "A needs a comment"),
        ] {
            assert!(
                super::contents(&source("kernels/columns.cuh", line))
                    .unwrap_err()
                    .contains(problem),
                "{line}"
            );
        }
    }

    /// Tests that a column of another type in a field is a compile-time error.
    #[test]
    fn every_parameter_becomes_a_field_of_its_own_type() {
        let parameters = "const Scalars* a, ByteRows<65>* __restrict__ rows,\n    const Optional<Table>* table, \
                          const Modulus<4 / 32>* __restrict__ modulus, \
                          const __grid_constant__ ModulusWords<128 / 32> words, u32 bits, u64 n";
        let rust = emit(&kernel("// Launch: one thread per item.", parameters)).unwrap();
        assert!(rust.contains("pub struct SomeKernel {"));
        assert_eq!(
            fields(&rust),
            [
                "pub a: Column<columns::Scalars>",
                "pub rows: Column<columns::ByteRows<65>>",
                "pub table: Option<Column<columns::Table>>",
                "pub modulus: Column<columns::Modulus>",
                "pub words: [u32; 17]",
                "pub bits: u32",
                "pub n: u64",
            ]
        );
        assert!(rust.contains("    without_curve: \"gecc_some_kernel\" in \"some\",\n"));
        for parameter in [
            "u32* a",
            "const u8* a",
            "Other* a",
            "i32 a",
            "float a",
            "ByteRows* a",
            "Scalars a",
        ] {
            let problem = emit(&kernel(
                "// Launch: one thread per item.",
                &format!("{parameter}, u64 n"),
            ))
            .unwrap_err();
            assert!(
                problem.starts_with(&format!("kernels/some.cu: gecc_some_kernel: `{parameter}`")),
                "{problem}"
            );
        }
    }

    /// Returns the lines of the launcher that depend on the launch line.
    fn grid(launch: &str) -> [String; 4] {
        let rust = emit(&kernel(launch, "u32 tables, u64 n")).unwrap();
        ["threads:", "blocks:", "items:", "pub windows:"].map(|start| {
            let end = rust
                .lines()
                .find_map(|line| line.trim().strip_prefix(start));
            end.unwrap_or_default().to_owned()
        })
    }

    #[test]
    fn launch_line_determines_the_grid() {
        assert_eq!(
            grid("// Launch: one thread per item."),
            [" 256,", "", " |it| it.n,", ""]
        );
        assert_eq!(
            grid("// Launch: one thread per item, in blocks of 128."),
            [" 128,", "", " |it| it.n,", ""]
        );
        assert_eq!(
            grid("// Prose.\n// Launch: 2 blocks per multiprocessor."),
            [" 256,", " 2,", " |it| it.n,", ""]
        );
        assert_eq!(
            grid("// Launch: one thread per item, for 3 * tables * windows items."),
            [
                " 256,",
                "",
                " |it| 3 * u64::from(it.tables) * it.windows,",
                " u64,"
            ]
        );
        let blocks = emit(&kernel(
            "// Launch: resident blocks per multiprocessor.",
            "u64 n",
        ))
        .unwrap();
        assert_eq!(fields(&blocks), ["pub n: u64"]);
        assert!(blocks.contains("    grid {\n        pub resident: u32,\n    }\n"));
        assert!(blocks.contains("    blocks_of: resident,\n"));
        let constant = "// Launch: one thread per item, for 3 items.";
        assert_eq!(grid(constant)[2], " |_| 3,");
    }

    #[test]
    fn kernel_with_missing_or_malformed_launch_line_is_rejected() {
        for (launch, parameters, problem) in [
            ("", "u64 n", "must be a launch line"),
            (
                "// Launch: one thread per item.\n",
                "u64 n",
                "must be a launch line",
            ),
            (
                "// Launch: one thread per item",
                "u64 n",
                "is not understood",
            ),
            (
                "// Launch: one thread for each item.",
                "u64 n",
                "is not understood",
            ),
            (
                "// Launch: one thread per item, for a + b items.",
                "u64 n",
                "is not understood",
            ),
            (
                "// Launch: one thread per item, in blocks of many.",
                "u64 n",
                "is not understood",
            ),
            (
                "// Launch: one thread per item.",
                "u32 m",
                "must state the number of items",
            ),
        ] {
            let refused = emit(&kernel(launch, parameters)).unwrap_err();
            assert!(
                refused.starts_with("kernels/some.cu: gecc_some_kernel: "),
                "{refused}"
            );
            assert!(refused.contains(problem), "{refused}");
        }
        let unknown = kernel("// Launch: one thread per item.", "u64 n").replace("256", "kMany");
        assert!(
            emit(&unknown)
                .unwrap_err()
                .contains("__launch_bounds__(kMany) is not a number")
        );
    }

    #[test]
    fn kernels_of_macros_share_a_struct() {
        let text = "#include \"kernels/more.cuh\"\n\
                    // Launch: one thread per item.\n\
                    #define GECC_ONE(name, BITS) \\\n    extern \"C\" __global__ void __launch_bounds__(kThreads) \\\n        name(Scalars* a, u64 n) { \\\n    }\n\
                    // Launch: one thread per item.\n\
                    #define GECC_SIZED(BITS) \\\n    extern \"C\" __global__ void __launch_bounds__(BITS, 2) \\\n        gecc_sized_##BITS(Scalars* a, u64 n) { \\\n    }\n\
                    GECC_PAIR(first, 128)\n\
                    GECC_ONE(gecc_alone, f(1, 2))\n\
                    GECC_SIZED(32)\n";
        let rust = emit(text).unwrap();
        let kernels = ["gecc_first_128_a", "gecc_first_b", "gecc_alone"];
        let of_some = kernels.map(|name| format!("        {name:?} in \"some\",\n"));
        assert!(rust.contains("pub struct Some {") && rust.contains("    threads: 64,\n"));
        assert!(rust.contains(&format!("    one_of: [\n{}    ],\n", of_some.concat())));
        assert!(rust.contains("pub struct Sized {") && rust.contains("    threads: 32,\n"));
        let all = [&kernels[..], &["gecc_sized_32"]].concat();
        let all: String = all
            .iter()
            .map(|name| format!("    (\"some\", {name:?}),\n"))
            .collect();
        assert!(rust.ends_with(&format!("ALL: &[(&str, &str)] = &[\n{all}];\n")));
        // Two kernels that cannot share a struct.
        let other = text.to_owned()
            + &kernel("// Launch: one thread per item.", "u64 n").replace("some_kernel", "sized");
        assert!(
            emit(&other)
                .unwrap_err()
                .contains("differ in their parameters or launch lines")
        );
        assert!(
            emit(&(text.to_owned() + "GECC_SIZED(64)\n"))
                .unwrap_err()
                .contains("differ")
        );
    }

    #[test]
    fn needs_curve_follows_includes() {
        let sources = [
            source(
                "field/a.cuh",
                "#include \"curve.cuh\"\n#include \"field/b.cuh\"\n",
            ),
            source("field/b.cuh", "#include \"field/a.cuh\"\n"),
            source("field/c.cuh", ""),
            source(
                "kernels/with.cu",
                "#include \"field/c.cuh\"\n#include \"field/b.cuh\"\n",
            ),
            source("kernels/without.cu", "#include \"field/c.cuh\"\n"),
        ];
        assert_eq!(
            [&sources[3], &sources[4]].map(|file| needs_curve(file, &sources)),
            [true, false]
        );
    }
}
