//! Answers, one JSON line per item.

use serde_json::Value;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What the output says of one item.
pub struct Answer {
    /// Whether the item counts as passed.
    pub passed: bool,
    /// The fields of its line, in order. The names need no escaping.
    pub fields: Vec<(&'static str, Value)>,
}

impl Answer {
    pub fn passed(fields: Vec<(&'static str, Value)>) -> Self {
        Answer { passed: true, fields }
    }

    /// The answer of every command but `verify` for an item that failed.
    pub fn error(reason: impl ToString) -> Self {
        Answer { passed: false, fields: vec![("error", Value::String(reason.to_string()))] }
    }
}

/// Where answers go.
pub struct Output(BufWriter<Box<dyn Write>>);

impl Output {
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let sink: Box<dyn Write> = match path {
            None => Box::new(io::stdout()),
            Some(path) => {
                let file = File::create(path).map_err(|problem| format!("{}: {problem}", path.display()))?;
                Box::new(file)
            }
        };
        Ok(Output(BufWriter::with_capacity(1 << 16, sink)))
    }

    /// Writes one line; `tag` is passed through from the input.
    pub fn write(&mut self, answer: Answer, tag: Option<Value>) -> io::Result<()> {
        let tag = tag.map(|tag| ("tag", tag));
        let mut separator = b'{';
        for (name, value) in answer.fields.into_iter().chain(tag) {
            self.0.write_all(&[separator, b'"'])?;
            self.0.write_all(name.as_bytes())?;
            self.0.write_all(b"\":")?;
            serde_json::to_writer(&mut self.0, &value)?;
            separator = b',';
        }
        self.0.write_all(b"}\n")
    }

    /// Hands complete lines to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

pub fn hex(bytes: impl AsRef<[u8]>) -> Value {
    Value::String(hex::encode(bytes))
}
