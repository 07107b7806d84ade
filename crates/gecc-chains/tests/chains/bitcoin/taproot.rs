//! Taproot inputs signed by libsecp256k1. The tests compute the signed digest from the text of BIP
//! 341.

use super::blocks::{check_inputs, unsigned};
use super::real::OTHER_SCRIPT;
use crate::random::Random;
use bitcoin::absolute::LockTime;
use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash;
use bitcoin::key::{Keypair, TapTweak, TweakedPublicKey, UntweakedPublicKey};
use bitcoin::opcodes::all::{
    OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_ELSE, OP_ENDIF, OP_IF, OP_NOTIF, OP_PUSHBYTES_0,
    OP_PUSHDATA2, OP_PUSHNUM_1, OP_PUSHNUM_16,
};
use bitcoin::script::Builder;
use bitcoin::secp256k1::{All, Message, Secp256k1, SecretKey};
use bitcoin::taproot::{LeafVersion, TaprootBuilder};
use bitcoin::{Amount, ScriptBuf, Sequence, TapNodeHash, Transaction, TxOut, Witness};
use gecc::Rejection;
use gecc_chains::Settings;
use gecc_chains::bitcoin::{Answer, Reason, Template, Txid};
use rand::{Rng, RngExt};
use sha2::{Digest, Sha256};
use std::slice;
use std::sync::LazyLock;

/// The height of the activation of taproot on the main chain (BIP 341).
pub const TAPROOT: u64 = 709_632;
/// 0 is that of a signature of 64 bytes.
const HASH_TYPES: [u8; 7] = [0, 1, 2, 3, 0x81, 0x82, 0x83];
const ANYONE_CAN_PAY: u8 = 0x80;

static SECP: LazyLock<Secp256k1<All>> = LazyLock::new(Secp256k1::new);

fn random_bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill_bytes(&mut bytes);
    bytes
}

fn random_pair(random: &mut Random) -> Keypair {
    Keypair::from_secret_key(
        &SECP,
        &SecretKey::from_slice(&random_bytes::<32>(random)).expect("in range"),
    )
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// BIP 340's tagged hash.
fn tagged(tag: &str, bytes: &[u8]) -> [u8; 32] {
    let tag = sha256(tag.as_bytes());
    sha256(&[&tag, &tag, bytes].concat())
}

/// An element of a witness, or a script, with its length.
fn sized(bytes: &[u8]) -> Vec<u8> {
    serialize(&bytes.to_vec())
}

/// A leaf's hash (BIP 341).
fn leaf_hash(version: u8, script: &[u8]) -> [u8; 32] {
    tagged("TapLeaf", &[&[version], &sized(script)[..]].concat())
}

/// A script of a tree, with its control block.
#[derive(Clone)]
struct Leaf {
    script: Vec<u8>,
    control: Vec<u8>,
}

impl Leaf {
    fn hash(&self) -> [u8; 32] {
        leaf_hash(self.control[0] & 0xfe, &self.script)
    }
}

/// An input that is to be signed.
#[derive(Clone)]
struct Made {
    output: TxOut,
    /// The key pair of the output, or of the script.
    pair: Keypair,
    leaf: Option<Leaf>,
    annex: Option<Vec<u8>>,
    hash_type: u8,
}

impl Made {
    fn new(leaf: Option<Leaf>, key: TweakedPublicKey, pair: Keypair, random: &mut Random) -> Self {
        let script_pubkey = ScriptBuf::new_p2tr_tweaked(key);
        let output = TxOut {
            value: Amount::from_sat(random.random_range(0..1 << 40)),
            script_pubkey,
        };
        let annex = random
            .random_bool(0.3)
            .then(|| [&[0x50][..], &vec![7; random.random_range(0..300)]].concat());
        Made {
            output,
            pair,
            leaf,
            annex,
            hash_type: HASH_TYPES[random.random_range(0..HASH_TYPES.len())],
        }
    }

    /// Signed by the output's key, which may have a tree of scripts, too.
    fn by_key(random: &mut Random) -> Self {
        let root = random
            .random_bool(0.5)
            .then(|| TapNodeHash::from_byte_array(random_bytes(random)));
        let tweaked = random_pair(random).tap_tweak(&SECP, root);
        Made::new(
            None,
            TweakedPublicKey::from_keypair(tweaked),
            tweaked.to_keypair(),
            random,
        )
    }

    /// Signed by the key of a script.
    fn by_script(random: &mut Random) -> Self {
        let pair = random_pair(random);
        Made::with_script(key_and_checksig(&pair), pair, random)
    }

    /// Creates an output with a script in a tree of random shape.
    fn with_script(script: ScriptBuf, pair: Keypair, random: &mut Random) -> Self {
        let others = (0..random.random_range(0..6))
            .map(|_| ScriptBuf::from_bytes(random_bytes::<9>(random).to_vec()));
        let scripts: Vec<ScriptBuf> = others.chain([script.clone()]).collect();
        let internal = random_pair(random).x_only_public_key().0;
        let weighted = scripts
            .into_iter()
            .map(|script| (random.random_range(1..9), script));
        let tree = TaprootBuilder::with_huffman_tree(weighted)
            .unwrap()
            .finalize(&SECP, internal)
            .unwrap();
        let control = tree
            .control_block(&(script.clone(), LeafVersion::TapScript))
            .unwrap()
            .serialize();
        Made::new(
            Some(Leaf {
                script: script.into_bytes(),
                control,
            }),
            tree.output_key(),
            pair,
            random,
        )
    }

    /// Creates an output with a leaf of any version below a path of `steps` steps.
    fn with_leaf(
        version: u8,
        script: Vec<u8>,
        steps: usize,
        pair: Keypair,
        random: &mut Random,
    ) -> Self {
        let path: Vec<[u8; 32]> = (0..steps).map(|_| random_bytes(random)).collect();
        let root = path
            .iter()
            .fold(leaf_hash(version, &script), |node, sibling| {
                tagged(
                    "TapBranch",
                    &[node.min(*sibling), node.max(*sibling)].concat(),
                )
            });
        let internal: UntweakedPublicKey = random_pair(random).x_only_public_key().0;
        let (key, parity) = internal.tap_tweak(&SECP, Some(TapNodeHash::from_byte_array(root)));
        let control = [
            &[version | parity.to_u8()],
            &internal.serialize()[..],
            path.as_flattened(),
        ]
        .concat();
        Made::new(Some(Leaf { script, control }), key, pair, random)
    }

    fn with_type(self, hash_type: u8) -> Self {
        Made { hash_type, ..self }
    }

    fn template(&self) -> Template {
        if self.leaf.is_some() {
            Template::TaprootScript
        } else {
            Template::TaprootKey
        }
    }

    /// The signature that an input shows.
    fn sign(&self, transaction: &Transaction, spent: &[TxOut], index: usize) -> Vec<u8> {
        let leaf = self.leaf.as_ref().map(Leaf::hash);
        let digest = signed_digest(
            transaction,
            spent,
            index,
            self.hash_type,
            self.annex.as_deref(),
            leaf,
        );
        let mut signature = SECP
            .sign_schnorr_no_aux_rand(&Message::from_digest(digest), &self.pair)
            .serialize()
            .to_vec();
        signature.extend((self.hash_type != 0).then_some(self.hash_type));
        signature
    }

    /// The witness around a signature.
    fn around(&self, signature: Vec<u8>) -> Witness {
        let leaf = self
            .leaf
            .iter()
            .flat_map(|leaf| [leaf.script.clone(), leaf.control.clone()]);
        let elements: Vec<Vec<u8>> = [signature]
            .into_iter()
            .chain(leaf)
            .chain(self.annex.clone())
            .collect();
        Witness::from_slice(&elements)
    }
}

fn key_and_checksig(pair: &Keypair) -> ScriptBuf {
    Builder::new()
        .push_x_only_key(&pair.x_only_public_key().0)
        .push_opcode(OP_CHECKSIG)
        .into_script()
}

/// Computes the signed digest: "Common signature message" of BIP 341, and BIP 342's extension where
/// there is a leaf.
fn signed_digest(
    transaction: &Transaction,
    spent: &[TxOut],
    index: usize,
    hash_type: u8,
    annex: Option<&[u8]>,
    leaf: Option<[u8; 32]>,
) -> [u8; 32] {
    let alone = hash_type & ANYONE_CAN_PAY != 0;
    let input = &transaction.input[index];
    // The epoch precedes the message.
    let mut message = vec![0, hash_type];
    message.extend(serialize(&transaction.version));
    message.extend(serialize(&transaction.lock_time));
    if !alone {
        let of_inputs = |part: fn(&bitcoin::TxIn) -> Vec<u8>| {
            transaction.input.iter().flat_map(part).collect::<Vec<_>>()
        };
        let of_spent =
            |part: fn(&TxOut) -> Vec<u8>| spent.iter().flat_map(part).collect::<Vec<_>>();
        message.extend(sha256(&of_inputs(|input| {
            serialize(&input.previous_output)
        })));
        message.extend(sha256(&of_spent(|output| serialize(&output.value))));
        message.extend(sha256(&of_spent(|output| serialize(&output.script_pubkey))));
        message.extend(sha256(&of_inputs(|input| serialize(&input.sequence))));
    }
    if !matches!(hash_type & 3, 2 | 3) {
        message.extend(sha256(
            &transaction
                .output
                .iter()
                .flat_map(serialize)
                .collect::<Vec<u8>>(),
        ));
    }
    message.push(2 * u8::from(leaf.is_some()) + u8::from(annex.is_some()));
    if alone {
        message.extend(serialize(&input.previous_output));
        message.extend(serialize(&spent[index]));
        message.extend(serialize(&input.sequence));
    } else {
        message.extend((index as u32).to_le_bytes());
    }
    if let Some(annex) = annex {
        message.extend(sha256(&sized(annex)));
    }
    if hash_type & 3 == 3 {
        message.extend(sha256(&serialize(&transaction.output[index])));
    }
    if let Some(leaf) = leaf {
        message.extend(leaf);
        message.push(0);
        message.extend(u32::MAX.to_le_bytes());
    }
    tagged("TapSighash", &message)
}

fn spent(made: &[Made]) -> Vec<TxOut> {
    made.iter().map(|made| made.output.clone()).collect()
}

/// A transaction that spends all of these, signed.
fn signed(made: &[Made], random: &mut Random) -> Transaction {
    let plain = unsigned(made.len(), spent(made), random);
    let spent = spent(made);
    let mut transaction = plain.clone();
    for (index, made) in made.iter().enumerate() {
        transaction.input[index].witness = made.around(made.sign(&plain, &spent, index));
    }
    transaction
}

fn answers(settings: &Settings, transaction: &Transaction, spent: &[TxOut]) -> Vec<Answer> {
    check_inputs(settings, TAPROOT, slice::from_ref(transaction), spent)
}

/// Twice both paths with every hash type, and some more.
fn of_every_type(random: &mut Random) -> Vec<Made> {
    let of_each = |made: fn(&mut Random) -> Made, random: &mut Random| {
        HASH_TYPES
            .iter()
            .cycle()
            .take(16)
            .map(|hash_type| made(random).with_type(*hash_type))
            .collect::<Vec<_>>()
    };
    [
        of_each(Made::by_key, random),
        of_each(Made::by_script, random),
    ]
    .concat()
}

/// Every hash type signs the parts that BIP 341 lists, and no others: changing a part afterwards
/// invalidates only the inputs that have signed it.
pub fn taproot_hash_types_select_signed_parts(settings: &Settings) {
    let mut random = Random::new();
    let made = of_every_type(&mut random);
    let transaction = signed(&made, &mut random);
    let spent = spent(&made);
    let found = answers(settings, &transaction, &spent);
    for (index, (answer, made)) in found.iter().zip(&made).enumerate() {
        let expected = Answer {
            height: Some(TAPROOT),
            txid: Txid(transaction.compute_txid().to_byte_array()),
            input: index as u32,
            template: made.template(),
            reason: None,
        };
        assert_eq!(*answer, expected);
    }
    for changed in 0..made.len() {
        let require = |name: &str,
                       transaction: &Transaction,
                       spent: &[TxOut],
                       holds: &dyn Fn(usize, u8) -> bool| {
            for (index, answer) in answers(settings, transaction, spent).iter().enumerate() {
                let hash_type = made[index].hash_type;
                let reason =
                    (!holds(index, hash_type)).then_some(Reason::Signature(Rejection::Mismatch));
                assert_eq!(
                    answer.reason, reason,
                    "{name} {changed}, input {index} with {hash_type:#x}: {answer:?}"
                );
            }
        };
        // Inputs that sign themselves alone, and those that do not sign other inputs' outputs.
        let alone =
            |index: usize, hash_type: u8| hash_type & ANYONE_CAN_PAY != 0 && index != changed;
        let mut other = transaction.clone();
        let mut others = spent.clone();
        others[changed].value = Amount::from_sat(spent[changed].value.to_sat() ^ 1);
        require("amount", &other, &others, &alone);
        other.input[changed].sequence = Sequence(transaction.input[changed].sequence.0 ^ 1);
        require("sequence", &other, &spent, &alone);
        other = transaction.clone();
        other.input[changed].previous_output.vout ^= 1;
        require("outpoint", &other, &spent, &alone);
        other = transaction.clone();
        other.output[changed].value =
            Amount::from_sat(transaction.output[changed].value.to_sat() ^ 1);
        require(
            "output",
            &other,
            &spent,
            &|index, hash_type| match hash_type & 3 {
                2 => true,
                3 => index != changed,
                _ => false,
            },
        );
        other = transaction.clone();
        other.lock_time = LockTime::from_consensus(1);
        require("lock time", &other, &spent, &|_, _| false);
        other = transaction.clone();
        let annex = made[changed].annex.is_none().then(|| vec![0x50]);
        let signature = other.input[changed].witness.nth(0).unwrap().to_vec();
        other.input[changed].witness = Made {
            annex,
            ..made[changed].clone()
        }
        .around(signature);
        require("annex", &other, &spent, &|index, _| index != changed);
    }
}

/// The scripts of the other spent outputs are signed by all inputs without ANYONECANPAY.
pub fn scripts_of_other_outputs(settings: &Settings) {
    let mut random = Random::new();
    let made = of_every_type(&mut random);
    let transaction = signed(&made, &mut random);
    let mut spent = spent(&made);
    let other = Made::by_key(&mut random);
    spent[0].script_pubkey = other.output.script_pubkey;
    for (index, answer) in answers(settings, &transaction, &spent).iter().enumerate() {
        let holds = index > 0 && made[index].hash_type & ANYONE_CAN_PAY != 0;
        assert_eq!(answer.valid(), Some(holds), "{answer:?}");
    }
}

pub fn signatures_with_a_changed_byte(settings: &Settings) {
    let mut random = Random::new();
    // The last byte is the hash type, which signatures of the default type do not have.
    let one_of = |byte: usize, random: &mut Random| {
        [Made::by_key(random), Made::by_script(random)]
            .map(|made| if byte < 64 { made } else { made.with_type(1) })
    };
    let made: Vec<Made> = (0..65).flat_map(|byte| one_of(byte, &mut random)).collect();
    let mut transaction = signed(&made, &mut random);
    for (index, made) in made.iter().enumerate() {
        let mut signature = transaction.input[index].witness.nth(0).unwrap().to_vec();
        signature[index / 2] ^= if index / 2 < 64 {
            1 << random.random_range(0..8)
        } else {
            3
        };
        transaction.input[index].witness = made.around(signature);
    }
    for answer in answers(settings, &transaction, &spent(&made)) {
        assert!(
            matches!(answer.reason, Some(Reason::Signature(_))),
            "{answer:?}"
        );
    }
}

/// A corruption of an input, and the expected reason.
type Corrupted = (fn(&mut Made, &mut Vec<u8>, &mut Random), Reason);

const LENGTH: Reason = Reason::Malformed("a signature has 64 bytes, or 65 with a hash type");
const HASH_TYPE: Reason = Reason::Malformed("BIP 341 has no such hash type");
const CONTROL: Reason =
    Reason::Malformed("a control block has 33 bytes and 32 for each of at most 128 steps");
const NO_POINT: Reason = Reason::Malformed("the control block's key is not on the curve");

fn leaf_of(made: &mut Made) -> &mut Leaf {
    made.leaf.as_mut().unwrap()
}

/// Returns an x-coordinate that is not on the curve.
fn no_point(random: &mut Random) -> [u8; 32] {
    loop {
        let x = random_bytes(random);
        if UntweakedPublicKey::from_slice(&x).is_err() {
            return x;
        }
    }
}

const OF_ANY: [Corrupted; 8] = [
    (
        |_, signature, _| signature.clear(),
        Reason::Malformed("the signature is empty"),
    ),
    (|_, signature, _| signature.truncate(63), LENGTH),
    (|_, signature, _| signature.resize(66, 1), LENGTH),
    (
        |_, signature, _| signature.splice(64.., [0]).for_each(drop),
        HASH_TYPE,
    ),
    (
        |_, signature, _| signature.splice(64.., [4]).for_each(drop),
        HASH_TYPE,
    ),
    (
        |_, signature, _| signature.splice(64.., [0x80]).for_each(drop),
        HASH_TYPE,
    ),
    (
        |_, signature, _| signature.splice(64.., [0x84]).for_each(drop),
        HASH_TYPE,
    ),
    (
        |_, signature, _| signature[..32].fill(0xff),
        Reason::Signature(Rejection::ROutOfRange),
    ),
];

const OF_SCRIPTS: [Corrupted; 9] = [
    (|made, _, _| leaf_of(made).control[0] ^= 1, OTHER_SCRIPT),
    (
        |made, _, random| leaf_of(made).control[random.random_range(33..65)] ^= 1,
        OTHER_SCRIPT,
    ),
    (
        |made, _, random| leaf_of(made).script[random.random_range(1..33)] ^= 1,
        OTHER_SCRIPT,
    ),
    // For an unknown leaf version, only the commitment is checked.
    (|made, _, _| leaf_of(made).control[0] ^= 2, OTHER_SCRIPT),
    (
        |made, _, random| leaf_of(made).control[1..33].copy_from_slice(&no_point(random)),
        NO_POINT,
    ),
    (
        |made, _, _| leaf_of(made).control[1..33].fill(0xff),
        NO_POINT,
    ),
    (|made, _, _| leaf_of(made).control.truncate(96), CONTROL),
    (|made, _, _| leaf_of(made).control.truncate(32), CONTROL),
    (|made, _, _| leaf_of(made).control.clear(), CONTROL),
];

/// Every input is corrupted in its own way; the others stay valid.
pub fn corrupted_inputs(settings: &Settings) {
    let mut random = Random::new();
    let by_script = |random: &mut Random| {
        let pair = random_pair(random);
        Made::with_leaf(0xc0, key_and_checksig(&pair).into_bytes(), 2, pair, random)
    };
    let mut made: Vec<(Made, Option<Corrupted>)> = Vec::new();
    for corrupted in OF_ANY {
        made.push((Made::by_key(&mut random), Some(corrupted)));
        made.push((by_script(&mut random), Some(corrupted)));
        made.push((Made::by_key(&mut random), None));
    }
    for corrupted in OF_SCRIPTS {
        made.push((by_script(&mut random), Some(corrupted)));
        made.push((by_script(&mut random), None));
    }
    let plain: Vec<Made> = made.iter().map(|(made, _)| made.clone()).collect();
    let mut transaction = signed(&plain, &mut random);
    for (input, (made, corrupted)) in transaction.input.iter_mut().zip(&mut made) {
        if let Some((corrupt, _)) = corrupted {
            let mut signature = input.witness.nth(0).unwrap().to_vec();
            corrupt(made, &mut signature, &mut random);
            input.witness = made.around(signature);
        }
    }
    for (index, (answer, (_, corrupted))) in answers(settings, &transaction, &spent(&plain))
        .iter()
        .zip(&made)
        .enumerate()
    {
        assert_eq!(
            answer.reason,
            corrupted.map(|(_, reason)| reason),
            "{index}"
        );
    }
}

/// Witnesses with too many or too few elements, and an output whose key is not on the curve.
pub fn other_witnesses(settings: &Settings) {
    let mut random = Random::new();
    let mut made: Vec<Made> = (0..7)
        .map(|_| Made::by_script(&mut random).with_type(ANYONE_CAN_PAY | 2))
        .collect();
    made.iter_mut().for_each(|made| made.annex = None);
    made[6] = Made::by_key(&mut random).with_type(1);
    let key = no_point(&mut random);
    made[6].output.script_pubkey =
        ScriptBuf::from_bytes([&[OP_PUSHNUM_1.to_u8(), 32], &key[..]].concat());
    let mut transaction = signed(&made, &mut random);
    let mut change = |index: usize, change: fn(&mut Vec<Vec<u8>>)| {
        let mut elements = transaction.input[index].witness.to_vec();
        change(&mut elements);
        transaction.input[index].witness = Witness::from_slice(&elements);
    };
    change(0, Vec::clear);
    change(1, |elements| drop(elements.remove(0)));
    change(2, |elements| elements.insert(0, vec![1]));
    // An element that begins with 0x50 is an annex only if other elements precede it.
    change(3, |elements| *elements = vec![vec![0x50; 64]]);
    change(4, |elements| *elements = vec![vec![7; 64], vec![0x50]]);
    transaction.input[5].script_sig = ScriptBuf::from_bytes(vec![0]);
    let found = answers(settings, &transaction, &spent(&made));
    let reasons: Vec<Reason> = found.iter().map(|answer| answer.reason.unwrap()).collect();
    let shown = Reason::Malformed("the number of elements is not the one that the script takes");
    assert_eq!(
        reasons[..3],
        [Reason::Malformed("no witness is shown"), shown, shown]
    );
    assert!(
        reasons[3..5]
            .iter()
            .all(|reason| matches!(reason, Reason::Signature(_))),
        "{reasons:?}"
    );
    assert_eq!(
        reasons[5..],
        [
            Reason::Malformed("a witness program with a script"),
            Reason::Signature(Rejection::NotOnCurve)
        ]
    );
    let keys = found
        .iter()
        .filter(|answer| answer.template == Template::TaprootKey)
        .count();
    assert_eq!(keys, 4);
}

/// SINGLE signs the output with the index of the input.
pub fn single_without_an_output(settings: &Settings) {
    let mut random = Random::new();
    for hash_type in [3, 0x83] {
        let made: Vec<Made> = (0..4)
            .map(|_| Made::by_key(&mut random).with_type(hash_type))
            .collect();
        let spent = spent(&made);
        let mut plain = unsigned(made.len(), Vec::new(), &mut random);
        plain.output = spent[..2].to_vec();
        let mut transaction = plain.clone();
        for (index, made) in made.iter().enumerate() {
            // The digest of the last inputs is not defined.
            let signature = made.sign(&plain, &spent, index.min(1));
            transaction.input[index].witness = made.around(signature);
        }
        let missing = Some(Reason::Malformed(
            "the output that is signed alone is missing",
        ));
        let reasons = answers(settings, &transaction, &spent)
            .into_iter()
            .map(|answer| answer.reason);
        assert_eq!(reasons.collect::<Vec<_>>(), [None, None, missing, missing]);
    }
}

/// Paths of 128 steps are the longest.
pub fn long_paths(settings: &Settings) {
    let mut random = Random::new();
    let lengths = [0, 1, 127, 128, 129, 130];
    let made: Vec<Made> = lengths
        .iter()
        .map(|steps| {
            let pair = random_pair(&mut random);
            Made::with_leaf(
                0xc0,
                key_and_checksig(&pair).into_bytes(),
                *steps,
                pair,
                &mut random,
            )
        })
        .collect();
    let transaction = signed(&made, &mut random);
    for (answer, steps) in answers(settings, &transaction, &spent(&made))
        .iter()
        .zip(lengths)
    {
        let reason = (steps > 128).then_some(CONTROL);
        assert_eq!(
            (answer.reason, answer.template),
            (reason, Template::TaprootScript)
        );
    }
}

/// A branch with this content that is never executed.
fn branch(inside: &[u8]) -> Vec<u8> {
    [
        &[OP_PUSHBYTES_0.to_u8(), OP_IF.to_u8()],
        inside,
        &[OP_ENDIF.to_u8()],
    ]
    .concat()
}

/// Returns a push of some bytes by OP_PUSHDATA2.
fn long_push(bytes: u16) -> Vec<u8> {
    [
        &[OP_PUSHDATA2.to_u8()][..],
        &bytes.to_le_bytes(),
        &vec![OP_ENDIF.to_u8(); bytes.into()],
    ]
    .concat()
}

/// Data after a key and OP_CHECKSIG, as in inscriptions, is skipped.
pub fn data_after_a_key(settings: &Settings) {
    let mut random = Random::new();
    let numbers: Vec<u8> = (OP_PUSHNUM_1.to_u8()..=OP_PUSHNUM_16.to_u8()).collect();
    let branches = [
        branch(&[]),
        branch(&[3, b'o', b'r', b'd', 0]),
        branch(&numbers),
        branch(&long_push(520)),
        [branch(&[1, 0x68]), branch(&[])].concat(),
    ];
    let made: Vec<Made> = branches
        .iter()
        .map(|data| {
            let pair = random_pair(&mut random);
            let script = [&key_and_checksig(&pair).into_bytes()[..], data].concat();
            Made::with_script(ScriptBuf::from_bytes(script), pair, &mut random)
        })
        .collect();
    let mut transaction = signed(&made, &mut random);
    let found = answers(settings, &transaction, &spent(&made));
    let of_key = |answer: &Answer| answer.template == Template::TaprootScript;
    assert!(
        found
            .iter()
            .all(|answer| of_key(answer) && answer.valid() == Some(true)),
        "{found:?}"
    );
    for (input, made) in transaction.input.iter_mut().zip(&made) {
        let mut signature = input.witness.nth(0).unwrap().to_vec();
        signature[random.random_range(32..64)] ^= 1;
        input.witness = made.around(signature);
    }
    let found = answers(settings, &transaction, &spent(&made));
    assert!(
        found
            .iter()
            .all(|answer| of_key(answer) && answer.valid() == Some(false)),
        "{found:?}"
    );
}

/// Scripts of other forms and leaves of other versions: only the output's commitment to them is
/// checked.
pub fn other_scripts(settings: &Settings) {
    const OTHER_FORM: Reason = Reason::NotChecked("the script has another form");
    const OTHER_VERSION: Reason = Reason::NotChecked("the leaf's version has no meaning");
    let mut random = Random::new();
    let pair = random_pair(&mut random);
    let key = pair.x_only_public_key().0;
    let checksig = key_and_checksig(&pair).into_bytes();
    let scripts = [
        Vec::new(),
        vec![OP_PUSHNUM_1.to_u8()],
        vec![0, OP_CHECKSIG.to_u8()],
        [&checksig[..], &[OP_PUSHNUM_1.to_u8()]].concat(),
        Builder::new()
            .push_x_only_key(&key)
            .push_opcode(OP_CHECKSIGVERIFY)
            .into_bytes(),
        // A key of another length is of an unknown type.
        [&[33, 2], &checksig[1..]].concat(),
        [&[31], &checksig[2..]].concat(),
    ];
    // Branches that are executed, have invalid content, or do not end.
    let branches = [
        vec![OP_PUSHNUM_1.to_u8(), OP_IF.to_u8(), OP_ENDIF.to_u8()],
        vec![1, 0, OP_IF.to_u8(), OP_ENDIF.to_u8()],
        vec![OP_PUSHBYTES_0.to_u8(), OP_IF.to_u8()],
        vec![OP_PUSHBYTES_0.to_u8(), OP_NOTIF.to_u8(), OP_ENDIF.to_u8()],
        branch(&long_push(521)),
        branch(&[OP_ELSE.to_u8()]),
        branch(&branch(&[])),
        // OP_SUCCESS80 (BIP 342).
        branch(&[0x50]),
        branch(&[OP_CHECKSIG.to_u8()]),
        [branch(&[]), vec![OP_PUSHNUM_1.to_u8()]].concat(),
        [branch(&[]), vec![75]].concat(),
    ];
    let with_branch = branches
        .iter()
        .map(|branch| [&checksig[..], branch].concat());
    let scripts = scripts.into_iter().chain(with_branch);
    let by_script = scripts.map(|script| (0xc0, script, OTHER_FORM));
    let by_version =
        [0xc2, 0x50, 0x00, 0xfe].map(|version| (version, checksig.clone(), OTHER_VERSION));
    let leaves: Vec<(u8, Vec<u8>, Reason)> = by_script.chain(by_version).collect();
    let mut made: Vec<Made> = leaves
        .iter()
        .map(|(version, script, _)| Made::with_leaf(*version, script.clone(), 3, pair, &mut random))
        .collect();
    // Without an annex after it, a control block of version 0x50 would be taken for one.
    made.iter_mut()
        .for_each(|made| made.annex = Some(vec![0x50, 1]));
    let transaction = signed(&made, &mut random);
    for (answer, (version, _, reason)) in answers(settings, &transaction, &spent(&made))
        .iter()
        .zip(&leaves)
    {
        assert_eq!(
            (answer.template, answer.reason),
            (Template::TaprootOther, Some(*reason)),
            "{version:#x}"
        );
    }
    made.iter_mut()
        .for_each(|made| leaf_of(made).control[40] ^= 1);
    let found = answers(settings, &signed(&made, &mut random), &spent(&made));
    assert!(
        found
            .iter()
            .all(|answer| answer.reason == Some(OTHER_SCRIPT)),
        "{found:?}"
    );
}

/// Before taproot was active anyone could spend these outputs. Within P2SH they never have a
/// meaning.
pub fn where_taproot_is_in_force(settings: &Settings) {
    let mut random = Random::new();
    let made = vec![Made::by_key(&mut random), Made::by_script(&mut random)];
    let mut transaction = signed(&made, &mut random);
    for (height, reason) in [
        (
            TAPROOT - 1,
            Some(Reason::NotChecked("BIP 341 is not in force")),
        ),
        (TAPROOT, None),
    ] {
        let found = check_inputs(
            settings,
            height,
            slice::from_ref(&transaction),
            &spent(&made),
        );
        let expected = made.iter().map(|made| (made.template(), reason));
        assert!(
            found
                .iter()
                .map(|answer| (answer.template, answer.reason))
                .eq(expected),
            "{found:?}"
        );
    }
    let mut wrapped = spent(&made);
    for (input, output) in transaction.input.iter_mut().zip(&mut wrapped) {
        input.script_sig = Builder::new()
            .push_slice(<&[u8; 34]>::try_from(output.script_pubkey.as_bytes()).unwrap())
            .into_script();
        output.script_pubkey = output.script_pubkey.to_p2sh();
    }
    for answer in answers(settings, &transaction, &wrapped) {
        assert_eq!(
            (answer.template, answer.valid()),
            (Template::OtherWitness, None)
        );
    }
}
