//! Blocks and their transactions in their encoding. Parts are recorded as positions instead of
//! decoded fields, and nothing is encoded again. So every number must have the one form that
//! consensus accepts.

use super::answers::Txid;
use super::encoding::{Result, array, number, sized, take};
use super::hashes::{again, merkle_root, sha256d};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// A position in a block or in its spent outputs. Readers accept less than 4 GiB of either.
pub type BlockOffset = u32;

/// Bytes of a block's header.
pub const BLOCK_HEADER: usize = 80;
/// The position of the previous block's hash.
pub const BEFORE: Range<usize> = 4..36;
/// BIP 144: the bytes after the version of a transaction with witnesses, before the number of its
/// inputs.
const MARKER: u8 = 0;
const FLAG: u8 = 1;
/// The position that stands for a missing witness.
const NO_WITNESS: BlockOffset = 0;

/// A parsed block.
pub struct Block {
    bytes: Vec<u8>,
    transactions: Vec<TransactionOffsets>,
    inputs: Vec<InputOffsets>,
    /// The start and end positions of each transaction's outputs.
    outputs: Vec<BlockOffset>,
}

/// The positions of a transaction's parts.
struct TransactionOffsets {
    version: BlockOffset,
    /// The part from the number of inputs to the last output, without marker and flag.
    body: Range<BlockOffset>,
    lock_time: BlockOffset,
    /// Indices among all inputs of the block.
    inputs: Range<BlockOffset>,
    outputs: Range<BlockOffset>,
}

/// The positions of an input's parts.
struct InputOffsets {
    outpoint: BlockOffset,
    script: BlockOffset,
    /// The end of the script.
    sequence: BlockOffset,
    witness: BlockOffset,
}

impl Block {
    /// Parses a block.
    ///
    /// # Errors
    /// The reason why the bytes are not a block.
    pub fn parse(bytes: Vec<u8>) -> Result<Self> {
        let mut places = BlockOffsets::default();
        if extent(&bytes, &mut places)? < bytes.len() {
            return Err("bytes follow the last transaction");
        }
        let BlockOffsets {
            transactions,
            inputs,
            outputs,
        } = places;
        Ok(Block {
            bytes,
            transactions,
            inputs,
            outputs,
        })
    }

    /// Returns whether the transactions hash to the merkle root of the header.
    pub fn is_committed(&self) -> bool {
        let txids = self
            .transactions()
            .map(|transaction| transaction.txid().0)
            .collect();
        merkle_root(txids) == Some(self.merkle_root())
    }

    pub fn version(&self) -> i32 {
        i32::from_le_bytes(self.header()[..4].try_into().expect("four bytes"))
    }

    pub fn merkle_root(&self) -> [u8; 32] {
        self.header()[36..68].try_into().expect("32 bytes")
    }

    pub fn hash(&self) -> [u8; 32] {
        sha256d(self.header())
    }

    fn header(&self) -> &[u8; BLOCK_HEADER] {
        self.bytes.first_chunk().expect("a block has a header")
    }

    pub fn transactions(&self) -> impl ExactSizeIterator<Item = TransactionView<'_>> {
        self.transactions
            .iter()
            .map(|of| TransactionView { block: self, of })
    }

    /// Returns a transaction, or `None` if there are not that many.
    pub fn transaction(&self, index: usize) -> Option<TransactionView<'_>> {
        Some(TransactionView {
            block: self,
            of: self.transactions.get(index)?,
        })
    }
}

/// The positions of a block's parts. They can be reused for one block after another.
#[derive(Default)]
pub struct BlockOffsets {
    transactions: Vec<TransactionOffsets>,
    inputs: Vec<InputOffsets>,
    outputs: Vec<BlockOffset>,
}

/// Returns the length of the block at the start of `bytes`, which other bytes may follow, and fills
/// in its positions.
///
/// # Errors
/// The reason why there is no block.
pub fn extent(bytes: &[u8], places: &mut BlockOffsets) -> Result<usize> {
    if BlockOffset::try_from(bytes.len()).is_err() {
        return Err("the block has 4 GiB or more");
    }
    let BlockOffsets {
        transactions,
        inputs,
        outputs,
    } = places;
    transactions.clear();
    inputs.clear();
    outputs.clear();
    let mut parser = BlockParser {
        bytes,
        rest: bytes,
        transactions,
        inputs,
        outputs,
    };
    parser.block()?;
    Ok(bytes.len() - parser.rest.len())
}

struct BlockParser<'a> {
    bytes: &'a [u8],
    rest: &'a [u8],
    transactions: &'a mut Vec<TransactionOffsets>,
    inputs: &'a mut Vec<InputOffsets>,
    outputs: &'a mut Vec<BlockOffset>,
}

/// Lists grow while they are read: a block may state more elements than it contains.
impl BlockParser<'_> {
    fn place(&self) -> BlockOffset {
        (self.bytes.len() - self.rest.len()) as BlockOffset
    }

    fn block(&mut self) -> Result<()> {
        array::<BLOCK_HEADER>(&mut self.rest)?;
        for _ in 0..number(&mut self.rest)? {
            let transaction = self.transaction()?;
            self.transactions.push(transaction);
        }
        Ok(())
    }

    fn transaction(&mut self) -> Result<TransactionOffsets> {
        let version = self.place();
        array::<4>(&mut self.rest)?;
        let has_witnesses = self.rest.first() == Some(&MARKER);
        if has_witnesses && *array(&mut self.rest)? != [MARKER, FLAG] {
            return Err("a transaction has no inputs, or a flag that is not known");
        }
        let start = self.place();
        let inputs = self.inputs()?;
        let outputs = self.outputs.len() as BlockOffset;
        self.outputs()?;
        let body = start..self.place();
        let outputs = outputs..self.outputs.len() as BlockOffset;
        if has_witnesses {
            self.witnesses(inputs.clone())?;
        }
        let lock_time = self.place();
        array::<4>(&mut self.rest)?;
        Ok(TransactionOffsets {
            version,
            body,
            lock_time,
            inputs,
            outputs,
        })
    }

    fn inputs(&mut self) -> Result<Range<BlockOffset>> {
        let first = self.inputs.len() as BlockOffset;
        for _ in 0..number(&mut self.rest)? {
            let outpoint = self.place();
            array::<36>(&mut self.rest)?;
            let script_size = number(&mut self.rest)?;
            let script = self.place();
            take(&mut self.rest, script_size)?;
            let sequence = self.place();
            array::<4>(&mut self.rest)?;
            self.inputs.push(InputOffsets {
                outpoint,
                script,
                sequence,
                witness: NO_WITNESS,
            });
        }
        Ok(first..self.inputs.len() as BlockOffset)
    }

    fn outputs(&mut self) -> Result<()> {
        let count = number(&mut self.rest)?;
        self.outputs.push(self.place());
        for _ in 0..count {
            array::<8>(&mut self.rest)?;
            sized(&mut self.rest)?;
            self.outputs.push(self.place());
        }
        Ok(())
    }

    fn witnesses(&mut self, inputs: Range<BlockOffset>) -> Result<()> {
        let mut is_shown = false;
        let has_inputs = !inputs.is_empty();
        for input in inputs {
            self.inputs[input as usize].witness = self.place();
            for _ in 0..number(&mut self.rest)? {
                is_shown = true;
                sized(&mut self.rest)?;
            }
        }
        // BIP 144: otherwise the transaction has to be encoded without witnesses.
        if is_shown || !has_inputs {
            Ok(())
        } else {
            Err("a transaction has a flag for witnesses, and none")
        }
    }
}

const READ_BEFORE: &str = "it was read before";

/// A transaction of a block.
#[derive(Clone, Copy)]
pub struct TransactionView<'a> {
    block: &'a Block,
    of: &'a TransactionOffsets,
}

/// An input of a transaction.
pub struct InputView<'a> {
    pub outpoint: &'a [u8; 36],
    pub script: &'a [u8],
    pub sequence: &'a [u8; 4],
    /// The bytes starting at the witness, if there is one.
    witness: Option<&'a [u8]>,
}

impl<'a> TransactionView<'a> {
    fn array<const N: usize>(self, place: BlockOffset) -> &'a [u8; N] {
        self.block.bytes[place as usize..]
            .first_chunk()
            .expect(READ_BEFORE)
    }

    pub fn version(self) -> &'a [u8; 4] {
        self.array(self.of.version)
    }

    pub fn lock_time(self) -> &'a [u8; 4] {
        self.array(self.of.lock_time)
    }

    fn body(self) -> &'a [u8] {
        &self.block.bytes[self.of.body.start as usize..self.of.body.end as usize]
    }

    /// Returns the complete encoding, with marker, flag and witnesses.
    #[cfg(test)]
    pub fn encoded(self) -> &'a [u8] {
        &self.block.bytes[self.of.version as usize..]
            [..(self.of.lock_time - self.of.version) as usize + 4]
    }

    /// Returns the number of bytes without witnesses.
    pub fn base_size(self) -> usize {
        self.version().len() + self.body().len() + self.lock_time().len()
    }

    /// Hashes everything except the witnesses.
    pub fn txid(self) -> Txid {
        let mut hash = Sha256::new();
        hash.update(self.version());
        hash.update(self.body());
        hash.update(self.lock_time());
        Txid(again(hash))
    }

    fn input_places(self) -> &'a [InputOffsets] {
        &self.block.inputs[self.of.inputs.start as usize..self.of.inputs.end as usize]
    }

    fn view(self, of: &InputOffsets) -> InputView<'a> {
        InputView {
            outpoint: self.array(of.outpoint),
            script: &self.block.bytes[of.script as usize..of.sequence as usize],
            sequence: self.array(of.sequence),
            witness: (of.witness != NO_WITNESS).then(|| &self.block.bytes[of.witness as usize..]),
        }
    }

    pub fn inputs(self) -> impl ExactSizeIterator<Item = InputView<'a>> {
        self.input_places().iter().map(move |of| self.view(of))
    }

    /// Returns an input, which must exist.
    pub fn input(self, index: usize) -> InputView<'a> {
        self.view(&self.input_places()[index])
    }

    pub fn outputs(self) -> OutputsView<'a> {
        let places =
            &self.block.outputs[self.of.outputs.start as usize..self.of.outputs.end as usize];
        OutputsView {
            bytes: &self.block.bytes,
            places,
        }
    }

    /// Returns whether the transaction is a coinbase.
    pub fn is_coinbase(self) -> bool {
        const NULL: [u8; 36] = {
            let mut null = [0; 36];
            *null.last_chunk_mut().expect("it has more") = [0xff; 4];
            null
        };
        let mut inputs = self.inputs();
        inputs.len() == 1 && inputs.next().is_some_and(|input| *input.outpoint == NULL)
    }
}

impl<'a> InputView<'a> {
    /// Returns the elements of the witness.
    pub fn witness(&self) -> Vec<&'a [u8]> {
        let Some(mut rest) = self.witness else {
            return Vec::new();
        };
        let count = number(&mut rest).expect(READ_BEFORE);
        (0..count)
            .map(|_| sized(&mut rest).expect(READ_BEFORE))
            .collect()
    }
}

/// Consecutive outputs.
#[derive(Clone, Copy)]
pub struct OutputsView<'a> {
    bytes: &'a [u8],
    /// The start of the first output, and the end of each.
    places: &'a [BlockOffset],
}

/// An output.
#[derive(Clone, Copy)]
pub struct OutputView<'a> {
    pub encoded: &'a [u8],
    /// The value in satoshis.
    pub value: &'a [u8; 8],
    pub script: &'a [u8],
}

impl<'a> OutputView<'a> {
    /// Returns the script, preceded by its length.
    pub fn sized_script(self) -> &'a [u8] {
        &self.encoded[self.value.len()..]
    }
}

impl<'a> OutputsView<'a> {
    pub fn len(self) -> usize {
        self.places.len() - 1
    }

    /// Returns the encoding of all outputs.
    pub fn encoded(self) -> &'a [u8] {
        let first = self.places[0];
        let last = self.places[self.len()];
        &self.bytes[first as usize..last as usize]
    }

    pub fn get(self, index: usize) -> Option<OutputView<'a>> {
        let [start, end] = *self.places.get(index..)?.first_chunk()?;
        let encoded = &self.bytes[start as usize..end as usize];
        let mut rest = encoded;
        let value = array(&mut rest).expect(READ_BEFORE);
        Some(OutputView {
            encoded,
            value,
            script: sized(&mut rest).expect(READ_BEFORE),
        })
    }

    pub fn iter(self) -> impl Iterator<Item = OutputView<'a>> {
        (0..self.len()).map_while(move |index| self.get(index))
    }
}

/// The outputs that a block spends, one after another in the encoding of blocks.
pub struct SpentOutputs {
    bytes: Vec<u8>,
    places: Vec<BlockOffset>,
}

impl SpentOutputs {
    /// Creates outputs from bytes, the start of the first one, and the end of each.
    pub fn new(bytes: Vec<u8>, places: Vec<BlockOffset>) -> Self {
        SpentOutputs { bytes, places }
    }

    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    pub fn outputs(&self, range: Range<usize>) -> OutputsView<'_> {
        OutputsView {
            bytes: &self.bytes,
            places: &self.places[range.start..=range.end],
        }
    }
}
