//! Tables of transactions in Parquet, whose columns are found by the names that amp and cryo use.

use super::answers::Kind;
use super::decimal::decimal;
use super::decoded::{Decoder, SourceClaims};
use super::interpretation::{MemberNames, SignatureStatement};
use super::rlp;
use super::transaction::{
    Authorization, Deposit, EncodedClaims, FieldBuffers, Number, TransactionFields,
    is_zero_or_missing, put_access,
};
use super::unsigned::{self, UnsignedType, is_unsigned_type};
use super::{Piece, PieceContent};
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use gecc::ecdsa::Address;
use gecc_arrow::{CellProblem, Cells, Format, Integers, ReadOptions, holds_bytes, holds_integers};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Number of bytes by which table formats are recognised.
const FIRST_BYTES: usize = 8;
/// Number of rows of a piece.
const ROWS: usize = 1 << 11;
/// Size in bytes below which a file is decoded before threads for it have started.
const SMALL: u64 = 1 << 20;
/// Maximum size in bytes of decoded rows before they are passed on, and the memory per row,
/// including its decoded form.
const MEMORY: u64 = 1 << 30;
const ROW: u64 = 1 << 10;

/// Rows of a table.
pub struct TableRows {
    batch: RecordBatch,
    layout: Arc<TableLayout>,
    next: usize,
    /// Their share of the bytes of the batch that they were cut from.
    bytes: usize,
}

impl TableRows {
    /// Returns the memory in bytes that is in use until all rows are decoded. It includes the
    /// fields and the signed message of a transaction; one transaction may have most of the bytes.
    pub fn weight(&self) -> usize {
        3 * self.bytes
    }
}

/// The columns that are used: their positions, or their contents. Optional columns may be missing.
struct TableColumns<I, C, L> {
    block: Option<I>,
    hash: C,
    from: Option<C>,
    type_number: I,
    chain_id: Option<I>,
    nonce: I,
    gas_price: I,
    max_fee_per_gas: Option<I>,
    max_priority_fee_per_gas: Option<I>,
    max_fee_per_blob_gas: Option<I>,
    gas_limit: I,
    to: C,
    /// Decimal strings, or big-endian bytes.
    value: C,
    input: C,
    access_list: Option<L>,
    blob_versioned_hashes: Option<L>,
    authorization_list: Option<L>,
    parity: I,
    r: C,
    s: C,
    /// Columns of deposits of OP chains.
    source_hash: Option<C>,
    mint: Option<C>,
    is_system: Option<I>,
    /// True if the chain column is null exactly for legacy transactions that are signed for any
    /// chain. cryo's contains the chain of every row.
    chain_is_exact: bool,
}

/// The positions of columns in a table.
type ColumnPositions = TableColumns<usize, usize, usize>;
/// The columns of rows, by their types.
type Table<'a> = TableColumns<Integers<'a>, Cells<'a>, &'a ArrayRef>;

/// Looks for columns in a schema.
struct ColumnFinder<'a> {
    schema: &'a Schema,
    /// The positions found so far.
    found: Vec<usize>,
}

impl ColumnFinder<'_> {
    /// Returns the column with the first of `names` that exists. There must be only one, and its
    /// type must fit.
    fn find(
        &mut self,
        names: &[&str],
        fits: fn(&DataType) -> bool,
    ) -> Result<Option<usize>, String> {
        let Some(place) = names
            .iter()
            .find_map(|name| self.schema.index_of(name).ok())
        else {
            return Ok(None);
        };
        let field = self.schema.field(place);
        if self
            .schema
            .fields()
            .iter()
            .filter(|other| other.name() == field.name())
            .count()
            > 1
        {
            return Err(format!(
                "there are two columns {}: which of them counts is not known",
                field.name()
            ));
        }
        if !fits(field.data_type()) {
            return Err(format!(
                "the column {} is of type {}",
                field.name(),
                field.data_type()
            ));
        }
        self.found.push(place);
        Ok(Some(place))
    }

    /// Returns the column with one of `names`, if its type fits.
    fn find_fitting(&mut self, names: &[&str], fits: fn(&DataType) -> bool) -> Option<usize> {
        let place = names
            .iter()
            .find_map(|name| self.schema.index_of(name).ok())?;
        let is_fitting = fits(self.schema.field(place).data_type());
        is_fitting.then(|| {
            self.found.push(place);
            place
        })
    }

    /// Looks up a required column.
    fn need(&mut self, names: &[&str], fits: fn(&DataType) -> bool) -> Result<usize, String> {
        self.find(names, fits)?.ok_or_else(|| {
            format!(
                "no table of transactions with signatures: there is no column {}",
                names.join(" or ")
            )
        })
    }
}

fn is_list(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::List(_) | DataType::LargeList(_) | DataType::ListView(_)
    )
}

/// Encoded transactions, as in mempool-dumpster, and the columns next to them.
struct RawColumns<I, C> {
    raw: C,
    hash: Option<C>,
    from: Option<C>,
    block: Option<I>,
}

/// The layout of a table, with the positions of its columns.
enum TableLayout {
    Fields(Box<ColumnPositions>),
    Raw(RawColumns<usize, usize>),
}

/// Columns with encoded transactions.
const RAW: [&str; 5] = [
    "rawTx",
    "raw_tx",
    "rawTransaction",
    "raw_transaction",
    "raw",
];
const HASH: [&str; 3] = ["tx_hash", "transaction_hash", "hash"];
const FROM: [&str; 2] = ["from", "from_address"];
const BLOCK: [&str; 2] = ["block_num", "block_number"];

impl TableLayout {
    /// Determines the layout of a file from its schema, and returns the positions of its columns as
    /// a list too.
    fn of(schema: &Schema) -> Result<(Self, Vec<usize>), String> {
        let mut columns = ColumnFinder {
            schema,
            found: Vec::new(),
        };
        let missing: Vec<&str> = [("r", &["r"][..]), ("s", &["s"]), ("v", &["v_parity", "v"])]
            .into_iter()
            .filter(|(_, names)| names.iter().all(|name| schema.index_of(name).is_err()))
            .map(|(name, _)| name)
            .collect();
        if missing.is_empty() {
            return ColumnPositions::of(schema)
                .map(|(places, found)| (TableLayout::Fields(Box::new(places)), found));
        }
        let Some(raw) = columns.find(&RAW, holds_bytes)? else {
            return Err(format!(
                "no table of transactions with signatures, from which senders are recovered: there is no column {}. Tables of \
                 cryo have them with --include-columns v r s, those of ethereum-etl do not",
                missing.join(", ")
            ));
        };
        let places = RawColumns {
            raw,
            hash: columns.find(&HASH, holds_bytes)?,
            from: columns.find(&FROM, holds_bytes)?,
            block: columns.find(&BLOCK, holds_integers)?,
        };
        Ok((TableLayout::Raw(places), columns.found))
    }
}

impl ColumnPositions {
    /// Looks up the columns of a file by its schema, and returns their positions as a list too.
    fn of(schema: &Schema) -> Result<(Self, Vec<usize>), String> {
        let mut columns = ColumnFinder {
            schema,
            found: Vec::new(),
        };
        let places = TableColumns {
            block: columns.find(&BLOCK, holds_integers)?,
            hash: columns.need(&HASH, holds_bytes)?,
            from: columns.find(&FROM, holds_bytes)?,
            type_number: columns.need(&["type", "transaction_type"], holds_integers)?,
            chain_id: columns.find(&["chain_id"], holds_integers)?,
            nonce: columns.need(&["nonce"], holds_integers)?,
            gas_price: columns.need(&["gas_price"], holds_integers)?,
            max_fee_per_gas: columns.find(&["max_fee_per_gas"], holds_integers)?,
            max_priority_fee_per_gas: columns
                .find(&["max_priority_fee_per_gas"], holds_integers)?,
            max_fee_per_blob_gas: columns.find(&["max_fee_per_blob_gas"], holds_integers)?,
            gas_limit: columns.need(&["gas_limit"], holds_integers)?,
            to: columns.need(&["to", "to_address"], holds_bytes)?,
            value: columns.need(&["value", "value_binary", "value_string"], holds_bytes)?,
            input: columns.need(&["input"], holds_bytes)?,
            access_list: columns.find(&["access_list"], is_list)?,
            blob_versioned_hashes: columns.find(&["blob_versioned_hashes"], is_list)?,
            authorization_list: columns.find(&["authorization_list"], is_list)?,
            parity: columns.need(&["v_parity", "v"], holds_integers)?,
            r: columns.need(&["r"], holds_bytes)?,
            s: columns.need(&["s"], holds_bytes)?,
            source_hash: columns.find_fitting(&["source_hash"], holds_bytes),
            mint: columns.find_fitting(&["mint"], holds_bytes),
            is_system: columns
                .find_fitting(&["is_system_tx", "is_system_transaction"], holds_integers),
            // Only cryo's table has a column of this name.
            chain_is_exact: schema.index_of("transaction_hash").is_err(),
        };
        Ok((places, columns.found))
    }

    /// Returns the contents of the columns in some rows.
    fn table<'a>(&self, batch: &'a RecordBatch) -> Table<'a> {
        TableColumns {
            block: self.block.map(|column| integers(batch, column)),
            hash: cells(batch, self.hash),
            from: self.from.map(|column| cells(batch, column)),
            type_number: integers(batch, self.type_number),
            chain_id: self.chain_id.map(|column| integers(batch, column)),
            nonce: integers(batch, self.nonce),
            gas_price: integers(batch, self.gas_price),
            max_fee_per_gas: self.max_fee_per_gas.map(|column| integers(batch, column)),
            max_priority_fee_per_gas: self
                .max_priority_fee_per_gas
                .map(|column| integers(batch, column)),
            max_fee_per_blob_gas: self
                .max_fee_per_blob_gas
                .map(|column| integers(batch, column)),
            gas_limit: integers(batch, self.gas_limit),
            to: cells(batch, self.to),
            value: cells(batch, self.value),
            input: cells(batch, self.input),
            access_list: self.access_list.map(|column| batch.column(column)),
            blob_versioned_hashes: self
                .blob_versioned_hashes
                .map(|column| batch.column(column)),
            authorization_list: self.authorization_list.map(|column| batch.column(column)),
            parity: integers(batch, self.parity),
            r: cells(batch, self.r),
            s: cells(batch, self.s),
            source_hash: self.source_hash.map(|column| cells(batch, column)),
            mint: self.mint.map(|column| cells(batch, column)),
            is_system: self.is_system.map(|column| integers(batch, column)),
            chain_is_exact: self.chain_is_exact,
        }
    }
}

fn cells(batch: &RecordBatch, column: usize) -> Cells<'_> {
    Cells::of(batch.column(column).as_ref())
}

fn integers(batch: &RecordBatch, column: usize) -> Integers<'_> {
    Integers::of(batch.column(column).as_ref())
}

/// Returns whether a file that begins like this is a table.
pub fn begins(first: &[u8]) -> bool {
    Format::of(&first[..first.len().min(FIRST_BYTES)]).is_some()
}

/// Reads a table.
///
/// # Errors
/// An unsupported or malformed table.
pub fn read(
    path: &Arc<Path>,
    length: u64,
    limits: &Limits,
    hand_on: &mut PieceSink<Piece>,
) -> Result<ControlFlow<()>, Problem> {
    let default = ReadOptions::default();
    let max_memory = MEMORY.min(limits.ahead as u64 / 2);
    let rows = default.rows.min((max_memory / ROW) as usize);
    // Other files are read at the same time.
    let threads = if length < SMALL { 0 } else { limits.threads };
    let options = ReadOptions {
        rows,
        threads,
        max_memory,
        max_page: default.max_page.min(max_memory),
    };
    let input = gecc_arrow::open(path, options)
        .map_err(|problem| Problem::new(path, FilePosition::Whole, problem))?;
    if input.format() != Format::Parquet {
        return Err(Problem::new(
            path,
            FilePosition::Whole,
            "Arrow IPC is not read here, Parquet is",
        ));
    }
    let (_, wanted) = TableLayout::of(input.schema())
        .map_err(|what| Problem::new(path, FilePosition::Whole, what))?;
    let rows = input.rows().unwrap_or(0).max(1);
    let batches = input
        .batches(&gecc_arrow::Projection::Only(wanted))
        .map_err(|problem| Problem::new(path, FilePosition::Whole, problem))?;
    let (layout, _) =
        TableLayout::of(batches.schema()).expect("the columns are those that were found");
    let layout = Arc::new(layout);
    let mut first = 0;
    let mut counted = 0;
    for batch in batches {
        let batch =
            batch.map_err(|problem| Problem::new(path, FilePosition::Row(first), problem))?;
        let row_bytes = batch.get_array_memory_size() / batch.num_rows().max(1);
        for start in (0..batch.num_rows()).step_by(ROWS) {
            let count = ROWS.min(batch.num_rows() - start);
            let layout = Arc::clone(&layout);
            let part = TableRows {
                batch: batch.slice(start, count),
                layout,
                next: 0,
                bytes: count * row_bytes,
            };
            first += count as u64;
            // The file's bytes are distributed evenly over its rows.
            let until = (u128::from(length) * u128::from(first) / u128::from(rows)) as u64;
            if hand_on(Piece::new(
                path,
                PieceContent::TableRows(part),
                until - counted,
            ))
            .is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            counted = until;
        }
    }
    Ok(ControlFlow::Continue(()))
}

type Why = Cow<'static, str>;

impl Table<'_> {
    /// Reads the fields of a row. They refer to `parts`, which are filled.
    fn read<'r>(
        &'r self,
        row: usize,
        signature: &RowSignature,
        parts: &'r mut FieldBuffers,
    ) -> Result<TransactionFields<'r>, Why> {
        parts.clear();
        let input = match self.input.get(row).map_err(of("input"))? {
            bytes if !self.input.is_text() => Some(bytes),
            _ => {
                self.input
                    .append(row, &mut parts.input)
                    .map_err(of("input"))?;
                None
            }
        };
        let fields = TransactionFields {
            nonce: small(&self.nonce, row).map_err(of("nonce"))?,
            gas_price: price(&self.gas_price, row),
            max_fee_per_gas: self
                .max_fee_per_gas
                .as_ref()
                .and_then(|column| price(column, row)),
            max_priority_fee_per_gas: self
                .max_priority_fee_per_gas
                .as_ref()
                .and_then(|column| price(column, row)),
            max_fee_per_blob_gas: self
                .max_fee_per_blob_gas
                .as_ref()
                .and_then(|column| price(column, row)),
            gas_limit: small(&self.gas_limit, row).map_err(of("gas_limit"))?,
            to: self.recipient(row)?,
            value: amount(&self.value, row).map_err(of("value"))?,
            r: signature.r.ok_or("r is null")?,
            s: signature.s.ok_or("s is null")?,
            lacks: self
                .access_list
                .is_none()
                .then_some("the table has no access lists"),
            ..TransactionFields::default()
        };
        if let Some(list) = self.access_list {
            put_access_list(list, row, &mut parts.access_list)?;
        }
        if let Some(list) = self.blob_versioned_hashes
            && let Some(hashes) = items(list, row)?
        {
            put_hashes(&hashes, &mut parts.blob_versioned_hashes)?;
        }
        if let Some(list) = self.authorization_list {
            put_authorizations(list, row, &mut parts.authorization_list)?;
        }
        let mut fields = fields.with(parts);
        fields.input = input.unwrap_or(fields.input);
        Ok(fields)
    }

    fn signature(&self, row: usize) -> Result<RowSignature, Why> {
        Ok(RowSignature {
            r: or_null(number(&self.r, row)).map_err(of("r"))?,
            s: or_null(number(&self.s, row)).map_err(of("s"))?,
            v: or_null(self.parity.get(row))
                .and_then(|v| {
                    v.map(|v| u128::try_from(v).map_err(|_| CellProblem::WrongLength))
                        .transpose()
                })
                .map_err(of("v"))?,
        })
    }

    /// Returns the row's statements about the type and the parity. If they are ambiguous, the hash
    /// decides.
    fn statement(&self, row: usize, signature: &RowSignature) -> Result<SignatureStatement, Why> {
        Ok(SignatureStatement {
            type_number: or_null(small(&self.type_number, row)).map_err(of("type"))?,
            chain_id: self
                .chain_id
                .as_ref()
                .and_then(|column| optional(column, row)),
            chain_is_exact: self.chain_is_exact,
            v: signature.v,
            has_access_list: self.access_list.is_some_and(|list| list.is_valid(row)),
            has_fees: has_cell(&self.max_fee_per_gas, row)
                || has_cell(&self.max_priority_fee_per_gas, row),
            has_blobs: has_cell(&self.max_fee_per_blob_gas, row)
                || has_items(self.blob_versioned_hashes, row),
            has_authorizations: has_items(self.authorization_list, row),
            has_hash: true,
            ..SignatureStatement::default()
        })
    }

    /// Returns whether a row is a deposit of an OP chain.
    fn is_deposit(&self, row: usize) -> bool {
        small(&self.type_number, row)
            .ok()
            .and_then(UnsignedType::of)
            == Some(UnsignedType::Deposit)
    }

    /// Reads a deposit. Its signature must be null or zero.
    fn read_deposit<'r>(
        &'r self,
        row: usize,
        parts: &'r mut FieldBuffers,
    ) -> Result<Deposit<'r>, Why> {
        parts.clear();
        for (column, name) in [(&self.r, "r"), (&self.s, "s")] {
            match number(column, row) {
                Err(CellProblem::Null) => {}
                Err(problem) => return Err(of(name)(problem)),
                Ok(number) if number == [0; 32] => {}
                Ok(_) => {
                    return Err(
                        format!("a deposit has no signature, and this row has {name}").into(),
                    );
                }
            }
        }
        let lacking = "a deposit cannot be rebuilt without columns source_hash, from and mint";
        let source_hash = self.source_hash.as_ref().ok_or(lacking)?;
        let from = self.from.as_ref().ok_or(lacking)?;
        let mint = self.mint.as_ref().ok_or(lacking)?;
        let is_system = self.is_system.as_ref().map(|column| small(column, row));
        self.input
            .append(row, &mut parts.input)
            .map_err(of("input"))?;
        Ok(Deposit {
            source_hash: fixed(source_hash, row).map_err(of("source_hash"))?,
            from: fixed(from, row).map_err(of("from"))?,
            to: self.recipient(row)?,
            mint: match amount(mint, row) {
                Err(CellProblem::Null) => [0; 32],
                mint => mint.map_err(of("mint"))?,
            },
            value: amount(&self.value, row).map_err(of("value"))?,
            gas_limit: small(&self.gas_limit, row).map_err(of("gas_limit"))?,
            is_system: match is_system {
                None | Some(Ok(0) | Err(CellProblem::Null)) => false,
                Some(Ok(1)) => true,
                Some(Ok(_)) => return Err("is_system_tx is neither true nor false".into()),
                Some(Err(problem)) => return Err(of("is_system_tx")(problem)),
            },
            input: &parts.input,
        })
    }

    fn hash(&self, row: usize) -> Result<[u8; 32], Why> {
        fixed(&self.hash, row).map_err(of("the hash"))
    }

    /// Returns the recipient; `None` if a contract is created.
    fn recipient(&self, row: usize) -> Result<Option<Address>, Why> {
        match fixed(&self.to, row) {
            Ok(address) => Ok(Some(address)),
            Err(CellProblem::Null) => Ok(None),
            Err(problem) => Err(of("to")(problem)),
        }
    }
}

impl Decoder<'_> {
    /// Adds the transactions of rows until the part is full. Returns whether all were added.
    pub fn add_rows(&mut self, rows: &mut TableRows) -> bool {
        let layout = Arc::clone(&rows.layout);
        self.reserve(rows.batch.num_rows() - rows.next, rows.bytes);
        match &*layout {
            TableLayout::Fields(places) => self.add_rows_of_fields(rows, places),
            TableLayout::Raw(places) => self.add_rows_of_raw(rows, places),
        }
        rows.next == rows.batch.num_rows()
    }

    fn add_rows_of_fields(&mut self, rows: &mut TableRows, places: &ColumnPositions) {
        let table = places.table(&rows.batch);
        let all = rows.batch.num_rows();
        let mut parts = FieldBuffers::default();
        while rows.next < all && !self.is_full() {
            let row = rows.next;
            let block = table
                .block
                .as_ref()
                .and_then(|column| optional(column, row));
            if self.wants(block)
                && let Err(why) = self.add_row(&table, row, block, &mut parts)
            {
                let kind = if table.is_deposit(row) {
                    Kind::Deposit
                } else {
                    Kind::Unknown
                };
                self.add_not_rebuilt(kind, table.hash(row).unwrap_or_default(), block, why);
            }
            rows.next += 1;
        }
    }

    fn add_rows_of_raw(&mut self, rows: &mut TableRows, places: &RawColumns<usize, usize>) {
        let batch = &rows.batch;
        let columns = RawColumns {
            raw: cells(batch, places.raw),
            hash: places.hash.map(|column| cells(batch, column)),
            from: places.from.map(|column| cells(batch, column)),
            block: places.block.map(|column| integers(batch, column)),
        };
        while rows.next < batch.num_rows() && !self.is_full() {
            let row = rows.next;
            let block = columns
                .block
                .as_ref()
                .and_then(|column| optional(column, row));
            if self.wants(block) {
                match columns.read(row, block) {
                    Ok((encoded, stated)) => self.add_encoded_with_claims(&encoded, &stated),
                    Err(why) => self.add_not_rebuilt(
                        Kind::Unknown,
                        columns.hash(row).unwrap_or_default(),
                        block,
                        why,
                    ),
                }
            }
            rows.next += 1;
        }
    }

    fn add_row(
        &mut self,
        table: &Table,
        row: usize,
        block: Option<u64>,
        parts: &mut FieldBuffers,
    ) -> Result<(), Why> {
        let hash = table.hash(row)?;
        if table.is_deposit(row) {
            self.add_deposit(&table.read_deposit(row, parts)?, Some(hash), block);
            return Ok(());
        }
        let from = table
            .from
            .as_ref()
            .map(|from| fixed(from, row))
            .transpose()
            .map_err(of("from"))?;
        let signature = table.signature(row)?;
        let statement = table.statement(row, &signature)?;
        let claims = SourceClaims {
            block,
            hash: Some(hash),
            from,
            authorities: Vec::new(),
        };
        if signature.is_zero() {
            let system = unsigned::UnsignedStatement {
                type_number: statement.type_number,
                is_missing: signature.r.is_none() && signature.s.is_none(),
                from,
                chain_id: statement.chain_id,
            };
            if let Some(system) = system
                .system()
                .filter(|_| signature.v.is_none_or(|v| v == 0))
            {
                self.add_system(&system?, hash, block);
                return Ok(());
            }
            if system.is_missing {
                return Err("there is no signature: r and s are null".into());
            }
        } else if let Some(number) = statement
            .type_number
            .filter(|number| is_unsigned_type(*number))
        {
            return Err(format!(
                "transactions of type {number} have no signature, but r and s are given"
            )
            .into());
        }
        let interpretations = statement.interpretations(&NAMES)?;
        self.add_fields(
            &table.read(row, &signature, parts)?,
            &interpretations,
            &claims,
        );
        Ok(())
    }
}

impl RawColumns<Integers<'_>, Cells<'_>> {
    /// Returns the encoded transaction of a row, and the statements next to it.
    fn read(&self, row: usize, block: Option<u64>) -> Result<(Vec<u8>, EncodedClaims), Why> {
        let mut encoded = Vec::new();
        self.raw
            .append(row, &mut encoded)
            .map_err(of("the encoded transaction"))?;
        let from = match &self.from {
            None => None,
            Some(column) => or_null(fixed(column, row)).map_err(of("from"))?,
        };
        let stated = EncodedClaims {
            block,
            hash: self.hash.as_ref().map(|_| self.hash(row)).transpose()?,
            from,
            ..EncodedClaims::default()
        };
        Ok((encoded, stated))
    }

    fn hash(&self, row: usize) -> Result<[u8; 32], Why> {
        let column = self.hash.as_ref().ok_or("there is no column of hashes")?;
        fixed(column, row).map_err(of("the hash"))
    }
}

const NAMES: MemberNames = MemberNames {
    v: "v",
    y_parity: "v",
    chain_id: "chain_id",
    type_number: "type",
};

/// The r, s and v of a row; `None` where they are null.
struct RowSignature {
    r: Option<Number>,
    s: Option<Number>,
    v: Option<u128>,
}

impl RowSignature {
    /// Returns whether r and s are zero or null.
    fn is_zero(&self) -> bool {
        is_zero_or_missing(self.r) && is_zero_or_missing(self.s)
    }
}

/// Returns whether an optional column has a value in a row.
fn has_cell(column: &Option<Integers>, row: usize) -> bool {
    column
        .as_ref()
        .is_some_and(|column| column.get(row).is_ok())
}

/// Returns whether an optional column of lists has items in a row.
fn has_items(lists: Option<&ArrayRef>, row: usize) -> bool {
    lists.is_some_and(|lists| matches!(items(lists, row), Ok(Some(_))))
}

/// Returns a cell; `None` if it is null.
fn or_null<T>(cell: Result<T, CellProblem>) -> Result<Option<T>, CellProblem> {
    match cell {
        Ok(value) => Ok(Some(value)),
        Err(CellProblem::Null) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Adds the name of the column to a problem.
fn of(column: &'static str) -> impl Fn(CellProblem) -> Why {
    move |problem| format!("{column} {problem}").into()
}

/// Returns a number; `None` if the cell is null, or if its value is out of range.
fn optional<T: TryFrom<i128>>(column: &Integers, row: usize) -> Option<T> {
    column
        .get(row)
        .ok()
        .and_then(|number| T::try_from(number).ok())
}

/// Returns a price in the width of its field, like [`optional`].
fn price(column: &Integers, row: usize) -> Option<Number> {
    let price: u128 = optional(column, row)?;
    let mut number = Number::default();
    number[16..].copy_from_slice(&price.to_be_bytes());
    Some(number)
}

fn small(column: &Integers, row: usize) -> Result<u64, CellProblem> {
    column
        .get(row)
        .and_then(|number| u64::try_from(number).map_err(|_| CellProblem::WrongLength))
}

fn fixed<const N: usize>(column: &Cells, row: usize) -> Result<[u8; N], CellProblem> {
    let mut bytes = [0; N];
    column.read(row, &mut bytes).map(|()| bytes)
}

fn number(column: &Cells, row: usize) -> Result<Number, CellProblem> {
    let mut number = [0; 32];
    column.read_number(row, &mut number).map(|()| number)
}

/// Reads a number. A string is decimal unless it begins with `0x`.
fn amount(column: &Cells, row: usize) -> Result<Number, CellProblem> {
    let cell = column.get(row)?;
    if !column.is_text() || cell.starts_with(b"0x") {
        return number(column, row);
    }
    decimal(cell).ok_or(CellProblem::WrongLength)
}

/// Returns the items of a list; `None` if the list is null or empty.
fn items(list: &ArrayRef, row: usize) -> Result<Option<ArrayRef>, Why> {
    if list.is_null(row) {
        return Ok(None);
    }
    // Most are empty. Even an array without items has reference-counted buffers, whose counts all
    // threads would modify.
    let (is_empty, items): (bool, &dyn Fn() -> ArrayRef) = match list.data_type() {
        DataType::List(_) => {
            let list = list.as_list::<i32>();
            (list.value_length(row) == 0, &|| list.value(row))
        }
        DataType::LargeList(_) => {
            let list = list.as_list::<i64>();
            (list.value_length(row) == 0, &|| list.value(row))
        }
        DataType::ListView(_) => {
            let list = list.as_list_view::<i32>();
            (list.value_size(row) == 0, &|| list.value(row))
        }
        other => return Err(format!("a list is of type {other}").into()),
    };
    Ok((!is_empty).then(items))
}

/// Returns a field of the items of a list of structs.
fn part<'a>(
    items: &'a ArrayRef,
    name: &str,
    fits: fn(&DataType) -> bool,
) -> Result<&'a ArrayRef, Why> {
    let parts = items
        .as_struct_opt()
        .and_then(|items| items.column_by_name(name));
    let fitting = parts.filter(|part| fits(part.data_type()));
    fitting.ok_or_else(|| format!("items of a list have no {name} of a known type").into())
}

/// Appends the encodings of hashes.
fn put_hashes(items: &ArrayRef, to: &mut Vec<u8>) -> Result<(), Why> {
    if !holds_bytes(items.data_type()) {
        return Err(format!("hashes are of type {}", items.data_type()).into());
    }
    let cells = Cells::of(items.as_ref());
    for item in 0..items.len() {
        let hash: [u8; 32] = fixed(&cells, item).map_err(of("a hash of a list"))?;
        rlp::put_string(&hash, to);
    }
    Ok(())
}

/// Appends the encodings of the items of an access list.
fn put_access_list(list: &ArrayRef, row: usize, to: &mut Vec<u8>) -> Result<(), Why> {
    let Some(accounts) = items(list, row)? else {
        return Ok(());
    };
    let addresses = Cells::of(part(&accounts, "address", holds_bytes)?.as_ref());
    let keys = part(&accounts, "storage_keys", is_list)?;
    for account in 0..accounts.len() {
        let address = fixed(&addresses, account).map_err(of("an address of a list"))?;
        let keys = items(keys, account)?;
        put_access(&address, keys.as_ref().map_or(0, |keys| keys.len()), to);
        keys.map_or(Ok(()), |keys| put_hashes(&keys, to))?;
    }
    Ok(())
}

/// Appends the encodings of authorizations.
fn put_authorizations(list: &ArrayRef, row: usize, to: &mut Vec<u8>) -> Result<(), Why> {
    let Some(items) = items(list, row)? else {
        return Ok(());
    };
    let columns = AuthorizationColumns::of(&items)?;
    for item in 0..items.len() {
        columns.read(item).map_err(of("an authorization"))?.put(to);
    }
    Ok(())
}

/// The fields of a list of authorizations.
struct AuthorizationColumns<'a> {
    chain_id: Integers<'a>,
    nonce: Integers<'a>,
    parity: Integers<'a>,
    address: Cells<'a>,
    r: Cells<'a>,
    s: Cells<'a>,
}

impl<'a> AuthorizationColumns<'a> {
    fn of(items: &'a ArrayRef) -> Result<Self, Why> {
        Ok(AuthorizationColumns {
            chain_id: Integers::of(part(items, "chain_id", holds_integers)?.as_ref()),
            nonce: Integers::of(part(items, "nonce", holds_integers)?.as_ref()),
            parity: Integers::of(part(items, "y_parity", holds_integers)?.as_ref()),
            address: Cells::of(part(items, "address", holds_bytes)?.as_ref()),
            r: Cells::of(part(items, "r", holds_bytes)?.as_ref()),
            s: Cells::of(part(items, "s", holds_bytes)?.as_ref()),
        })
    }

    fn read(&self, item: usize) -> Result<Authorization, CellProblem> {
        let mut chain_id = [0; 32];
        chain_id[24..].copy_from_slice(&small(&self.chain_id, item)?.to_be_bytes());
        Ok(Authorization {
            chain_id,
            address: fixed(&self.address, item)?,
            nonce: small(&self.nonce, item)?,
            parity: u8::try_from(small(&self.parity, item)?)
                .map_err(|_| CellProblem::WrongLength)?,
            r: number(&self.r, item)?,
            s: number(&self.s, item)?,
        })
    }
}
