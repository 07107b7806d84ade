//! Scripts and transactions of Bitcoin, as far as the vectors of Bitcoin Core need them.

use sha2::{Digest, Sha256};

/// Names of the opcodes from 0x61 on.
const NAMES: [&str; 0xbb - 0x61] = [
    "NOP",
    "VER",
    "IF",
    "NOTIF",
    "VERIF",
    "VERNOTIF",
    "ELSE",
    "ENDIF",
    "VERIFY",
    "RETURN",
    "TOALTSTACK",
    "FROMALTSTACK",
    "2DROP",
    "2DUP",
    "3DUP",
    "2OVER",
    "2ROT",
    "2SWAP",
    "IFDUP",
    "DEPTH",
    "DROP",
    "DUP",
    "NIP",
    "OVER",
    "PICK",
    "ROLL",
    "ROT",
    "SWAP",
    "TUCK",
    "CAT",
    "SUBSTR",
    "LEFT",
    "RIGHT",
    "SIZE",
    "INVERT",
    "AND",
    "OR",
    "XOR",
    "EQUAL",
    "EQUALVERIFY",
    "RESERVED1",
    "RESERVED2",
    "1ADD",
    "1SUB",
    "2MUL",
    "2DIV",
    "NEGATE",
    "ABS",
    "NOT",
    "0NOTEQUAL",
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "MOD",
    "LSHIFT",
    "RSHIFT",
    "BOOLAND",
    "BOOLOR",
    "NUMEQUAL",
    "NUMEQUALVERIFY",
    "NUMNOTEQUAL",
    "LESSTHAN",
    "GREATERTHAN",
    "LESSTHANOREQUAL",
    "GREATERTHANOREQUAL",
    "MIN",
    "MAX",
    "WITHIN",
    "RIPEMD160",
    "SHA1",
    "SHA256",
    "HASH160",
    "HASH256",
    "CODESEPARATOR",
    "CHECKSIG",
    "CHECKSIGVERIFY",
    "CHECKMULTISIG",
    "CHECKMULTISIGVERIFY",
    "NOP1",
    "CHECKLOCKTIMEVERIFY",
    "CHECKSEQUENCEVERIFY",
    "NOP4",
    "NOP5",
    "NOP6",
    "NOP7",
    "NOP8",
    "NOP9",
    "NOP10",
    "CHECKSIGADD",
];

/// Assembles a script in the notation of Bitcoin Core's tests (`core_read.cpp`, ParseScript): numbers
/// and texts in apostrophes are pushed, digits after 0x are bytes of the script, and the rest are
/// opcodes. Returns `None` for placeholders.
pub fn assembled(text: &str) -> Option<Vec<u8>> {
    let mut script = Vec::new();
    for word in text.split_whitespace() {
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) {
            push_number(&mut script, word.parse().expect("a number"));
        } else if let Some(digits) = word.strip_prefix("0x") {
            script.extend(hex::decode(digits).expect("digits"));
        } else if let Some(quoted) = word.strip_prefix('\'') {
            push(
                &mut script,
                quoted
                    .strip_suffix('\'')
                    .expect("a closing apostrophe")
                    .as_bytes(),
            );
        } else {
            let name = word.strip_prefix("OP_").unwrap_or(word);
            let opcode = match name {
                "RESERVED" => 0x50,
                name => 0x61 + NAMES.iter().position(|known| *known == name)? as u8,
            };
            script.push(opcode);
        }
    }
    Some(script)
}

fn push(script: &mut Vec<u8>, data: &[u8]) {
    match data.len() {
        length @ ..=0x4b => script.push(length as u8),
        length @ 0x4c..=0xff => script.extend([0x4c, length as u8]),
        length => {
            script.push(0x4d);
            script.extend((length as u16).to_le_bytes());
        }
    }
    script.extend(data);
}

fn push_number(script: &mut Vec<u8>, number: i64) {
    match number {
        0 => script.push(0),
        -1 | 1..=16 => script.push((0x50 + number) as u8),
        _ => {
            let mut bytes = number.unsigned_abs().to_le_bytes().to_vec();
            while bytes.last() == Some(&0) {
                bytes.pop();
            }
            if bytes.last().is_some_and(|last| *last >= 0x80) {
                bytes.push(0);
            }
            if number < 0 {
                *bytes.last_mut().expect("not zero") |= 0x80;
            }
            push(script, &bytes);
        }
    }
}

/// Returns whether a script pays to the hash of a script (BIP 16).
pub fn is_p2sh(script: &[u8]) -> bool {
    matches!(script, [0xa9, 20, .., 0x87] if script.len() == 23)
}

/// Returns whether a script is a witness program (BIP 141).
pub fn is_program(script: &[u8]) -> bool {
    matches!(script, [0 | 0x51..=0x60, length @ 2..=40, rest @ ..] if rest.len() == usize::from(*length))
}

/// Returns whether a script is an output of taproot.
pub fn is_taproot(script: &[u8]) -> bool {
    script.len() == 34 && script.starts_with(&[0x51, 32])
}

pub struct Input {
    pub outpoint: [u8; 36],
    pub script: Vec<u8>,
    pub sequence: [u8; 4],
    pub witness: Vec<Vec<u8>>,
}

pub struct Output {
    pub value: i64,
    pub script: Vec<u8>,
}

impl Output {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.value.to_le_bytes().to_vec();
        encode_sized(&mut bytes, &self.script);
        bytes
    }

    pub fn decode(mut bytes: &[u8]) -> Option<Output> {
        take_output(&mut bytes)
    }
}

pub struct Transaction {
    pub version: [u8; 4],
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub lock_time: [u8; 4],
}

impl Transaction {
    /// Decodes a transaction, with or without witnesses, that has inputs.
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let version = take(bytes)?;
        let has_witnesses = bytes.starts_with(&[0, 1]);
        if has_witnesses {
            *bytes = &bytes[2..];
        }
        let mut inputs = Vec::new();
        for _ in 0..take_size(bytes)? {
            inputs.push(Input {
                outpoint: take(bytes)?,
                script: take_sized(bytes)?,
                sequence: take(bytes)?,
                witness: Vec::new(),
            });
        }
        let mut outputs = Vec::new();
        for _ in 0..take_size(bytes)? {
            outputs.push(take_output(bytes)?);
        }
        if has_witnesses {
            for input in &mut inputs {
                for _ in 0..take_size(bytes)? {
                    input.witness.push(take_sized(bytes)?);
                }
            }
        }
        let lock_time = take(bytes)?;
        (bytes.is_empty() && !inputs.is_empty()).then_some(Transaction {
            version,
            inputs,
            outputs,
            lock_time,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let has_witnesses = self.inputs.iter().any(|input| !input.witness.is_empty());
        self.encode_with(has_witnesses)
    }

    fn encode_with(&self, witnesses: bool) -> Vec<u8> {
        let mut bytes = self.version.to_vec();
        if witnesses {
            bytes.extend([0, 1]);
        }
        encode_size(&mut bytes, self.inputs.len());
        for input in &self.inputs {
            bytes.extend(input.outpoint);
            encode_sized(&mut bytes, &input.script);
            bytes.extend(input.sequence);
        }
        encode_size(&mut bytes, self.outputs.len());
        for output in &self.outputs {
            bytes.extend(output.encode());
        }
        if witnesses {
            for input in &self.inputs {
                encode_size(&mut bytes, input.witness.len());
                for element in &input.witness {
                    encode_sized(&mut bytes, element);
                }
            }
        }
        bytes.extend(self.lock_time);
        bytes
    }

    /// Returns the transaction's id in the order of hashing.
    pub fn id(&self) -> [u8; 32] {
        sha256d(&self.encode_with(false))
    }
}

pub fn sha256d(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(Sha256::digest(bytes)).into()
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn take_size(bytes: &mut &[u8]) -> Option<u64> {
    Some(match take::<1>(bytes)? {
        [0xfd] => u16::from_le_bytes(take(bytes)?).into(),
        [0xfe] => u32::from_le_bytes(take(bytes)?).into(),
        [0xff] => u64::from_le_bytes(take(bytes)?),
        [size] => size.into(),
    })
}

fn take_sized(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(take_size(bytes)?).ok()?;
    let (content, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(content.to_vec())
}

fn take_output(bytes: &mut &[u8]) -> Option<Output> {
    Some(Output {
        value: i64::from_le_bytes(take(bytes)?),
        script: take_sized(bytes)?,
    })
}

pub fn encode_size(to: &mut Vec<u8>, size: usize) {
    match size {
        ..=0xfc => to.push(size as u8),
        0xfd..=0xffff => {
            to.push(0xfd);
            to.extend((size as u16).to_le_bytes());
        }
        _ => {
            to.push(0xfe);
            to.extend((size as u32).to_le_bytes());
        }
    }
}

fn encode_sized(to: &mut Vec<u8>, content: &[u8]) {
    encode_size(to, content.len());
    to.extend(content);
}
