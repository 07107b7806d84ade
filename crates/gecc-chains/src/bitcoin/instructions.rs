//! Scripts as sequences of instructions, and recognition of known forms.

pub const OP_1: u8 = 0x51;
pub const OP_16: u8 = 0x60;
pub const OP_IF: u8 = 0x63;
pub const OP_ENDIF: u8 = 0x68;
pub const OP_RETURN: u8 = 0x6a;
pub const OP_DUP: u8 = 0x76;
pub const OP_EQUAL: u8 = 0x87;
pub const OP_EQUALVERIFY: u8 = 0x88;
pub const OP_HASH160: u8 = 0xa9;
pub const OP_CHECKSIG: u8 = 0xac;
pub const OP_CHECKMULTISIG: u8 = 0xae;

/// Opcodes followed by the length of the pushed data, in 1, 2 and 4 bytes. Lower opcodes are that
/// length themselves.
const OP_PUSHDATA1: u8 = 0x4c;
const OP_PUSHDATA2: u8 = 0x4d;
const OP_PUSHDATA4: u8 = 0x4e;

/// Maximum length in bytes of a script that is executed (Bitcoin Core's MAX_SCRIPT_SIZE).
pub const LONGEST_SCRIPT: u64 = 10_000;
/// Maximum length in bytes of an element that a script may push.
pub const LONGEST_ELEMENT: usize = 520;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction<'a> {
    /// A push by any opcode for data; OP_0 pushes nothing.
    Push(&'a [u8]),
    Op(u8),
}

impl<'a> Instruction<'a> {
    /// Returns the pushed data, if consensus accepts its length. Opcodes for numbers do not count.
    pub fn pushed(self) -> Option<&'a [u8]> {
        match self {
            Instruction::Push(bytes) if bytes.len() <= LONGEST_ELEMENT => Some(bytes),
            Instruction::Push(_) | Instruction::Op(_) => None,
        }
    }
}

/// The instructions of a script. The last one is `None` if the script ends inside it.
pub struct Instructions<'a> {
    rest: &'a [u8],
}

pub fn instructions(script: &[u8]) -> Instructions<'_> {
    Instructions { rest: script }
}

impl<'a> Instructions<'a> {
    /// Reads a push whose length is encoded in `length_bytes` bytes.
    fn sized(&mut self, length_bytes: usize) -> Option<&'a [u8]> {
        let length = self
            .rest
            .split_off(..length_bytes)?
            .iter()
            .rev()
            .fold(0, |length, byte| length << 8 | usize::from(*byte));
        self.rest.split_off(..length)
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Option<Instruction<'a>>;

    fn next(&mut self) -> Option<Option<Instruction<'a>>> {
        let opcode = *self.rest.split_off_first()?;
        let pushed = match opcode {
            OP_PUSHDATA1 => self.sized(1),
            OP_PUSHDATA2 => self.sized(2),
            OP_PUSHDATA4 => self.sized(4),
            0..OP_PUSHDATA1 => self.rest.split_off(..usize::from(opcode)),
            _ => return Some(Some(Instruction::Op(opcode))),
        };
        if pushed.is_none() {
            self.rest = &[];
        }
        Some(pushed.map(Instruction::Push))
    }
}

/// Returns the value of OP_1 to OP_16.
pub fn small(opcode: u8) -> Option<usize> {
    (OP_1..=OP_16)
        .contains(&opcode)
        .then(|| usize::from(opcode - OP_1) + 1)
}

/// Returns the hash of the key in a P2PKH script.
pub fn p2pkh_hash(script: &[u8]) -> Option<&[u8; 20]> {
    let [
        OP_DUP,
        OP_HASH160,
        20,
        hash @ ..,
        OP_EQUALVERIFY,
        OP_CHECKSIG,
    ] = script
    else {
        return None;
    };
    hash.try_into().ok()
}

/// Returns the P2PKH script for a hash.
pub fn p2pkh(hash: &[u8; 20]) -> Vec<u8> {
    [
        &[OP_DUP, OP_HASH160, 20],
        hash.as_slice(),
        &[OP_EQUALVERIFY, OP_CHECKSIG],
    ]
    .concat()
}

/// Returns the hash of the script in a P2SH script (BIP 16).
pub fn p2sh_hash(script: &[u8]) -> Option<&[u8; 20]> {
    let [OP_HASH160, 20, hash @ .., OP_EQUAL] = script else {
        return None;
    };
    hash.try_into().ok()
}

/// Returns the version of a witness program (BIP 141), and the program.
pub fn witness_program(script: &[u8]) -> Option<(usize, &[u8])> {
    let [version, length @ 2..=40, program @ ..] = script else {
        return None;
    };
    let version = if *version == 0 { 0 } else { small(*version)? };
    (program.len() == usize::from(*length)).then_some((version, program))
}

/// Returns the key of a taproot output (BIP 341).
pub fn p2tr_key(script: &[u8]) -> Option<&[u8; 32]> {
    let (1, program) = witness_program(script)? else {
        return None;
    };
    program.try_into().ok()
}
