//! The operation of a command: an operation of the library with its private keys and the form of
//! its results. It is independent of the source of the columns.

use crate::flags::StreamOptions;
use crate::input::keyfile::{ItemNumbers, KeySource};
use crate::input::names::FieldNames;
use crate::output::Line;
use gecc::call::{self, Columns, Options, Reads, RecoveryIds};
use gecc::{Engine, Error, Rows, signature_to_der};

/// The value that stands for a missing recovery id. Valid ids are smaller.
pub const NO_RECOVERY_ID: u8 = u8::MAX;

/// An operation of the library, with the settings that a command adds.
pub struct CommandOperation {
    pub operation: call::Operation,
    /// Private keys from a key file, or those of the items.
    pub keys: KeySource,
    pub options: Options,
    pub form: ResultForm,
    /// Lets every item pass without computing it, to measure everything except the engine.
    #[cfg(test)]
    pub is_passed_over: bool,
}

/// The form of results.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum ResultForm {
    /// Signatures as `r || s`, and public keys uncompressed.
    #[default]
    Plain,
    Der,
    Compressed,
}

impl From<call::Operation> for CommandOperation {
    fn from(operation: call::Operation) -> Self {
        CommandOperation {
            operation,
            keys: KeySource::OfItems,
            options: Options::default(),
            form: ResultForm::Plain,
            #[cfg(test)]
            is_passed_over: false,
        }
    }
}

/// The inputs of a range of items.
pub struct OperationInputs<'a> {
    pub numbers: ItemNumbers<'a>,
    pub columns: Columns<'a>,
}

/// The destination of the results of a range of items.
pub struct OperationResults<'a> {
    pub codes: &'a mut [u8],
    /// The result rows, each as wide as the results of the operation.
    pub rows: &'a mut [u8],
}

impl CommandOperation {
    /// Returns the fields to read.
    pub fn reads(&self) -> Reads {
        let reads = self.operation.reads();
        Reads {
            secret_keys: reads.secret_keys && self.keys.are_of_items(),
            ..reads
        }
    }

    /// Returns the names of the fields to read, as configured by the options of the command.
    pub fn names(&self, options: &StreamOptions) -> FieldNames {
        FieldNames::of(options, self.reads(), self.hash_requires_messages())
    }

    /// Returns whether a hash is selected that has an effect on messages only.
    fn hash_requires_messages(&self) -> bool {
        self.options
            .hash
            .is_some_and(|hash| !self.operation.uses_hash_for_nonces(hash))
    }

    /// Returns whether the operation reads private keys only.
    pub fn reads_keys_alone(&self) -> bool {
        self.reads()
            == Reads {
                secret_keys: true,
                ..Reads::default()
            }
    }

    /// Returns the past participle for items that pass, for the summary.
    pub fn passed(&self) -> &'static str {
        let reads = self.operation.reads();
        match (reads.contents, reads.signatures) {
            _ if self.gives_verdicts() => "valid",
            _ if self.fields() == ["masked"] => "masked",
            (_, true) => "recovered",
            (true, false) => "signed",
            (false, false) => "computed",
        }
    }

    /// Returns whether answers are verdicts with `valid` rather than results.
    pub fn gives_verdicts(&self) -> bool {
        self.operation.results().is_empty()
    }

    pub fn gives_secrets(&self) -> bool {
        self.operation.has_secret_results()
    }

    /// Returns the fields of an item that passed, in the order of output.
    pub fn fields(&self) -> Vec<&'static str> {
        if self.gives_verdicts() {
            return vec!["valid"];
        }
        self.operation
            .results()
            .iter()
            .map(|column| self.field_name(column))
            .collect()
    }

    /// Returns the name of a result in answers.
    fn field_name(&self, column: &call::Column) -> &'static str {
        if self.is_der(column) {
            "der"
        } else {
            column.name
        }
    }

    fn is_der(&self, column: &call::Column) -> bool {
        self.form == ResultForm::Der && column.name == "signature"
    }

    /// Returns the width in bytes of the results of an item, which are adjacent.
    pub fn width(&self) -> usize {
        self.operation
            .results()
            .iter()
            .map(|column| column.width)
            .sum()
    }

    /// Computes items. Afterwards every item has a code, and a result if the code is
    /// `Verdict::VALID_CODE`.
    pub fn compute(
        &self,
        engine: &Engine,
        items: &OperationInputs,
        results: OperationResults,
    ) -> Result<(), Error> {
        let OperationResults { codes, rows } = results;
        #[cfg(test)]
        if self.is_passed_over {
            codes.fill(gecc::Verdict::VALID_CODE);
            return Ok(());
        }
        let mut columns = Columns {
            options: self.options,
            ..items.columns
        };
        let count = codes.len();
        let are_optional = self.operation.reads().recovery_ids == RecoveryIds::Optional
            && !columns.recovery_ids.is_empty();
        if are_optional
            && (0..count).all(|item| *columns.recovery_ids.get(item) == [NO_RECOVERY_ID])
        {
            columns.recovery_ids = Rows::new(&[]);
        }
        self.keys
            .of_items(items.numbers, columns.secret_keys, count, |secret_keys| {
                self.run(
                    engine,
                    &Columns {
                        secret_keys,
                        ..columns
                    },
                    OperationResults { codes, rows },
                )
            })
    }

    /// Calls the library, and appends recovery ids to the result rows if there are any.
    fn run(
        &self,
        engine: &Engine,
        columns: &Columns,
        results: OperationResults,
    ) -> Result<(), Error> {
        let OperationResults { codes, rows } = results;
        let [first, _] = self.operation.results() else {
            return self.operation.run(engine, columns, rows, &mut [], codes);
        };
        let mut ids = vec![0; codes.len()];
        self.operation.run(
            engine,
            columns,
            &mut rows[..ids.len() * first.width],
            &mut ids,
            codes,
        )?;
        append_ids(rows, first.width, &ids);
        Ok(())
    }

    /// Writes the fields of an item that passed from its result.
    pub fn answer(&self, result: &[u8], line: &mut Line) {
        let Some((first, others)) = self.operation.results().split_first() else {
            return line.json("valid", b"true");
        };
        let (row, others_of_item) = result.split_at(first.width);
        match (first.name, row) {
            ("public_key", [x @ .., y]) if self.form == ResultForm::Compressed => {
                line.hex("public_key", if y % 2 == 0 { "02" } else { "03" }, &x[..32]);
            }
            // Public keys of Ed25519 and X25519 are not SEC 1 points.
            ("public_key", row) if first.width == 64 => line.hex("public_key", "04", row),
            ("address", row) => line.hex("address", "0x", row),
            (_, row) if self.is_der(first) => {
                let signature = row.try_into().expect("signatures have 64 bytes");
                line.hex("der", "", &signature_to_der(signature));
            }
            (name, row) => line.hex(name, "", row),
        }
        for (column, number) in others.iter().zip(others_of_item) {
            line.number(column.name, u64::from(*number));
        }
    }
}

/// Appends an id to each of the rows that are packed at the start of the buffer.
fn append_ids(rows: &mut [u8], width: usize, ids: &[u8]) {
    for (item, id) in ids.iter().enumerate().rev() {
        let row = item * (width + 1);
        rows.copy_within(item * width..(item + 1) * width, row);
        rows[row + width] = *id;
    }
}

/// The operation on Arrow tables.
#[cfg(feature = "arrow")]
mod tables {
    use super::{CommandOperation, ResultForm};
    use gecc_arrow::{Answers, KeyForm};
    use zeroize::Zeroizing;

    /// The form of the answers to a table's rows.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum TableAnswers {
        /// Lines made by [`CommandOperation::answer`] from the results of [`CommandOperation::compute`].
        Lines,
        /// Columns.
        Columns,
    }

    impl CommandOperation {
        /// Converts the operation to one over tables.
        pub fn over_tables(&self, answers: TableAnswers) -> gecc_arrow::TableOperation {
            // Lines are made from the raw results of the engine.
            let (key_form, der) = match answers {
                TableAnswers::Lines => (KeyForm::Raw, false),
                TableAnswers::Columns => (self.key_form(), self.form == ResultForm::Der),
            };
            let &CommandOperation {
                operation, options, ..
            } = self;
            gecc_arrow::TableOperation {
                operation,
                key: self.keys.for_tables(),
                options,
                key_form,
                der,
            }
        }

        fn key_form(&self) -> KeyForm {
            if self.form == ResultForm::Compressed {
                KeyForm::Compressed
            } else {
                KeyForm::Uncompressed
            }
        }

        /// Adds the results, packed by item, to the answers as the columns of
        /// [`Self::over_tables`].
        pub fn columns(&self, results: &[u8], answers: Answers) -> Answers {
            let [column, ..] = self.operation.results() else {
                return answers;
            };
            // The capacity is sufficient: growing would leave a copy of secrets behind.
            let mut first = Zeroizing::new(Vec::with_capacity(results.len()));
            let mut second = Vec::new();
            for row in results.chunks_exact(self.width()) {
                let (of_first, of_second) = row.split_at(column.width);
                first.extend_from_slice(of_first);
                second.extend_from_slice(of_second);
            }
            self.over_tables(TableAnswers::Columns)
                .with_results(answers, first, second)
        }
    }
}

#[cfg(feature = "arrow")]
pub use tables::TableAnswers;
