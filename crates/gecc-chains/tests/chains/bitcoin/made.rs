//! Blocks whose inputs are signed by the tests.

use super::blocks::{check_inputs, unsigned};
use crate::random::Random;
use bitcoin::hashes::{Hash, sha256d};
use bitcoin::opcodes::all::{OP_CHECKMULTISIG, OP_CHECKSIG};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::sighash::{EcdsaSighashType, SighashCache};
use bitcoin::{Amount, PubkeyHash, ScriptBuf, Transaction, TxOut, WPubkeyHash, Witness};
use gecc::{Secp256k1, SecretKey, ecdsa, keys, signature_to_der};
use gecc_chains::Settings;
use gecc_chains::bitcoin::{Answer, Reason, Template, Txid, Wrapping};
use rand::RngExt;
use std::slice;

const ROUNDS: usize = 12;
/// The height from which the main chain requires strict DER.
const BIP_66: u64 = 363_725;

/// Keys, and their public forms.
struct Signer<'a> {
    settings: &'a Settings<'a>,
    secret: SecretKey,
    /// SEC 1: compressed, uncompressed or hybrid.
    public: Vec<u8>,
}

impl<'a> Signer<'a> {
    fn new(settings: &'a Settings, form: u32) -> Self {
        let (mut secrets, points) =
            keys::generate(settings.engine().unwrap(), Secp256k1, 1).unwrap();
        let raw = points[0].as_bytes()[points[0].as_bytes().len() - 64..].to_vec();
        let parity = raw[63] & 1;
        let public = match form {
            0 => [&[2 + parity], &raw[..32]].concat(),
            1 => [&[4], &raw[..]].concat(),
            _ => [&[6 + parity], &raw[..]].concat(),
        };
        Signer {
            settings,
            secret: secrets.remove(0),
            public,
        }
    }

    fn sign(&self, digest: [u8; 32], hash_type: u8) -> Vec<u8> {
        let signed = ecdsa::sign(
            self.settings.engine().unwrap(),
            Secp256k1,
            &[digest],
            &self.secret,
            ecdsa::SForm::AsComputed,
        );
        let mut der = signature_to_der(&signed.unwrap()[0].unwrap()).to_vec();
        der.push(hash_type);
        der
    }
}

fn push(bytes: &[u8]) -> PushBytesBuf {
    PushBytesBuf::try_from(bytes.to_vec()).unwrap()
}

/// A script of pushes.
fn pushes(elements: &[Vec<u8>]) -> ScriptBuf {
    elements
        .iter()
        .fold(Builder::new(), |script, element| {
            script.push_slice(push(element))
        })
        .into_script()
}

/// The forms of scripts that require signatures.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Key,
    KeyHash,
    Keys,
}

/// An input to be signed.
struct Made<'a> {
    template: Template,
    output: TxOut,
    /// The script that requires signatures, and the scripts around it.
    inner: ScriptBuf,
    form: Form,
    redeem: Option<ScriptBuf>,
    segwit: bool,
    signers: Vec<Signer<'a>>,
    needed: usize,
}

impl<'a> Made<'a> {
    fn new(template: Template, settings: &'a Settings, random: &mut Random) -> Self {
        let (form, wrapping) = match template {
            Template::P2pk(wrapping) => (Form::Key, wrapping),
            Template::P2pkh(wrapping) => (Form::KeyHash, wrapping),
            Template::Multisig(wrapping) => (Form::Keys, wrapping),
            Template::P2shP2wpkh => (Form::KeyHash, Wrapping::P2shP2wsh),
            _ => (Form::KeyHash, Wrapping::P2wsh),
        };
        let segwit = matches!(wrapping, Wrapping::P2wsh | Wrapping::P2shP2wsh);
        let count = if form == Form::Keys {
            random.random_range(1..=4)
        } else {
            1
        };
        let signers: Vec<Signer> = (0..count)
            .map(|_| Signer::new(settings, random.random_range(0..3)))
            .collect();
        let needed = random.random_range(1..=count);
        let key = &signers[0].public;
        let inner = match form {
            Form::Key => Builder::new()
                .push_slice(push(key))
                .push_opcode(OP_CHECKSIG)
                .into_script(),
            Form::KeyHash => ScriptBuf::new_p2pkh(&PubkeyHash::hash(key)),
            Form::Keys => {
                let script = Builder::new().push_int(needed as i64);
                let script = signers.iter().fold(script, |script, signer| {
                    script.push_slice(push(&signer.public))
                });
                script
                    .push_int(count as i64)
                    .push_opcode(OP_CHECKMULTISIG)
                    .into_script()
            }
        };
        let program = match template {
            Template::P2wpkh | Template::P2shP2wpkh => {
                ScriptBuf::new_p2wpkh(&WPubkeyHash::hash(key))
            }
            _ => inner.to_p2wsh(),
        };
        let (script_pubkey, redeem) = match wrapping {
            Wrapping::Bare => (inner.clone(), None),
            Wrapping::P2sh => (inner.to_p2sh(), Some(inner.clone())),
            Wrapping::P2wsh => (program, None),
            Wrapping::P2shP2wsh => (program.to_p2sh(), Some(program)),
        };
        let output = TxOut {
            value: Amount::from_sat(random.random_range(0..1 << 40)),
            script_pubkey,
        };
        Made {
            template,
            output,
            inner,
            form,
            redeem,
            segwit,
            signers,
            needed,
        }
    }

    fn digest(
        &self,
        transaction: &Transaction,
        index: usize,
        hash_type: EcdsaSighashType,
    ) -> [u8; 32] {
        let mut cache = SighashCache::new(transaction);
        if self.segwit {
            let hash = cache.p2wsh_signature_hash(index, &self.inner, self.output.value, hash_type);
            return hash.unwrap().to_byte_array();
        }
        cache
            .legacy_signature_hash(index, &self.inner, hash_type.to_u32())
            .unwrap()
            .to_byte_array()
    }

    /// Returns the script and the witness of an input; some of the signers sign, in their order.
    fn show(
        &self,
        transaction: &Transaction,
        index: usize,
        random: &mut Random,
    ) -> (ScriptBuf, Witness) {
        use EcdsaSighashType as Type;
        let types = [
            Type::All,
            Type::None,
            Type::Single,
            Type::AllPlusAnyoneCanPay,
            Type::NonePlusAnyoneCanPay,
        ];
        let mut left_out = self.signers.len()
            - if self.form == Form::Keys {
                self.needed
            } else {
                1
            };
        let mut shown = if self.form == Form::Keys {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
        for (at, signer) in self.signers.iter().enumerate() {
            let rest = self.signers.len() - at;
            if left_out > 0 && random.random_range(0..rest) < left_out {
                left_out -= 1;
                continue;
            }
            let hash_type = types[random.random_range(0..types.len())];
            shown.push(signer.sign(
                self.digest(transaction, index, hash_type),
                hash_type.to_u32() as u8,
            ));
        }
        if self.form == Form::KeyHash {
            shown.push(self.signers[0].public.clone());
        }
        self.place(shown)
    }

    /// Places the elements in a script or a witness.
    fn place(&self, mut shown: Vec<Vec<u8>>) -> (ScriptBuf, Witness) {
        let of_redeem = || self.redeem.as_ref().map(|redeem| redeem.to_bytes());
        if !self.segwit {
            shown.extend(of_redeem());
            return (pushes(&shown), Witness::new());
        }
        if !matches!(self.template, Template::P2wpkh | Template::P2shP2wpkh) {
            shown.push(self.inner.to_bytes());
        }
        (
            pushes(&of_redeem().into_iter().collect::<Vec<_>>()),
            Witness::from_slice(&shown),
        )
    }
}

fn templates() -> Vec<Template> {
    let wrappings = [
        Wrapping::Bare,
        Wrapping::P2sh,
        Wrapping::P2wsh,
        Wrapping::P2shP2wsh,
    ];
    let of_each = wrappings.into_iter().flat_map(|wrapping| {
        [
            Template::P2pk(wrapping),
            Template::P2pkh(wrapping),
            Template::Multisig(wrapping),
        ]
    });
    of_each
        .chain([Template::P2wpkh, Template::P2shP2wpkh])
        .collect()
}

/// The outputs that inputs spend. The transaction's own outputs are the same.
fn spent(made: &[Made]) -> Vec<TxOut> {
    made.iter().map(|made| made.output.clone()).collect()
}

/// A transaction with an input of every template, all signed.
fn signed<'a>(settings: &'a Settings, random: &mut Random) -> (Transaction, Vec<Made<'a>>) {
    let made: Vec<Made> = templates()
        .into_iter()
        .map(|template| Made::new(template, settings, random))
        .collect();
    let mut transaction = unsigned(made.len(), spent(&made), random);
    let plain = transaction.clone();
    for (index, made) in made.iter().enumerate() {
        let (script_sig, witness) = made.show(&plain, index, random);
        (
            transaction.input[index].script_sig,
            transaction.input[index].witness,
        ) = (script_sig, witness);
    }
    (transaction, made)
}

pub fn inputs_of_every_template(settings: &Settings) {
    let mut random = Random::new();
    for _ in 0..ROUNDS {
        let (transaction, made) = signed(settings, &mut random);
        for (index, (answer, made)) in check_inputs(
            settings,
            700_000,
            slice::from_ref(&transaction),
            &spent(&made),
        )
        .iter()
        .zip(&made)
        .enumerate()
        {
            let expected = Answer {
                height: Some(700_000),
                txid: Txid(transaction.compute_txid().to_byte_array()),
                input: index as u32,
                template: made.template,
                reason: None,
            };
            assert_eq!(*answer, expected);
        }
    }
}

/// Every input is corrupted in its own way; the others stay valid.
pub fn corrupted_inputs(settings: &Settings) {
    let mut random = Random::new();
    for round in 0..ROUNDS {
        let (mut transaction, mut made) = signed(settings, &mut random);
        let corrupted: Vec<usize> = (0..made.len())
            .filter(|_| random.random_bool(0.3))
            .collect();
        let unsigned = {
            let mut plain = transaction.clone();
            plain
                .input
                .iter_mut()
                .for_each(|input| (input.script_sig, input.witness) = Default::default());
            plain
        };
        for index in &corrupted {
            let other = Made::new(made[*index].template, settings, &mut random);
            let input = &mut transaction.input[*index];
            match random.random_range(0..3) {
                // Signed for another script, or by other keys.
                0 => (input.script_sig, input.witness) = other.show(&unsigned, *index, &mut random),
                // Only the scripts around it are given.
                1 => (input.script_sig, input.witness) = made[*index].place(Vec::new()),
                // Another output is spent.
                _ => made[*index].output.script_pubkey = other.output.script_pubkey,
            }
        }
        let answers = check_inputs(settings, 700_000, &[transaction], &spent(&made));
        for (index, answer) in answers.iter().enumerate() {
            assert_eq!(
                answer.valid(),
                Some(!corrupted.contains(&index)),
                "round {round}: {answer:?}"
            );
        }
    }
}

/// Encodings that OpenSSL accepted are valid before BIP 66: here a length in two bytes.
pub fn rules_by_height(settings: &Settings) {
    let mut random = Random::new();
    let made = vec![Made::new(
        Template::P2pkh(Wrapping::Bare),
        settings,
        &mut random,
    )];
    let mut transaction = unsigned(1, spent(&made), &mut random);
    let strict = made[0].signers[0].sign(made[0].digest(&transaction, 0, EcdsaSighashType::All), 1);
    let mut lax = strict.clone();
    lax.splice(1..2, [0x81, strict[1]]);
    for (signature, height, holds) in [
        (&strict, BIP_66 - 1, true),
        (&strict, BIP_66, true),
        (&lax, BIP_66 - 1, true),
        (&lax, BIP_66, false),
    ] {
        transaction.input[0].script_sig =
            pushes(&[signature.clone(), made[0].signers[0].public.clone()]);
        let answers = check_inputs(
            settings,
            height,
            slice::from_ref(&transaction),
            &spent(&made),
        );
        assert_eq!(answers[0].valid(), Some(holds), "{height}: {answers:?}");
    }
    // From block 481,824, the dummy element of a multisignature must be empty (BIP 147).
    let mut made = Made::new(Template::Multisig(Wrapping::Bare), settings, &mut random);
    made.signers.truncate(1);
    made.inner = Builder::new()
        .push_int(1)
        .push_slice(push(&made.signers[0].public))
        .push_int(1)
        .push_opcode(OP_CHECKMULTISIG)
        .into_script();
    made.output.script_pubkey = made.inner.clone();
    let made = vec![made];
    let mut transaction = unsigned(1, spent(&made), &mut random);
    let signature =
        made[0].signers[0].sign(made[0].digest(&transaction, 0, EcdsaSighashType::All), 1);
    for (dummy, height, holds) in [
        (vec![], 481_824, true),
        (vec![5], 481_823, true),
        (vec![5], 481_824, false),
    ] {
        transaction.input[0].script_sig = pushes(&[dummy, signature.clone()]);
        let answers = check_inputs(
            settings,
            height,
            slice::from_ref(&transaction),
            &spent(&made),
        );
        assert_eq!(answers[0].valid(), Some(holds), "{height}: {answers:?}");
        assert_eq!(
            matches!(answers[0].reason, Some(Reason::Malformed(_))),
            !holds
        );
    }
}

/// Limits of scripts and of the stack, a witness that no script requires, and a witness program
/// with an unusual push.
pub fn inputs_that_consensus_rejects_are_invalid(settings: &Settings) {
    let mut random = Random::new();
    let bare = Template::P2pkh(Wrapping::Bare);
    let nested = Template::P2shP2wpkh;
    let in_p2sh = Template::P2pkh(Wrapping::P2sh);
    let below = |elements: Vec<Vec<u8>>| {
        move |script: &ScriptBuf| {
            (
                ScriptBuf::from([pushes(&elements).into_bytes(), script.to_bytes()].concat()),
                false,
            )
        }
    };
    let with_a_witness = |script: &ScriptBuf| (script.clone(), true);
    let as_it_is = |script: &ScriptBuf| (script.clone(), false);
    let pushed_otherwise = |script: &ScriptBuf| {
        (
            ScriptBuf::from([&[0x4c], script.as_bytes()].concat()),
            false,
        )
    };
    type Change<'a> = &'a dyn Fn(&ScriptBuf) -> (ScriptBuf, bool);
    let cases: [(Template, Change, Option<bool>); 11] = [
        (bare, &as_it_is, Some(true)),
        (bare, &below(vec![vec![7; 520]]), Some(true)),
        (bare, &below(vec![vec![7; 521]]), None),
        (bare, &below(vec![vec![7; 500]; 19]), Some(true)),
        (bare, &below(vec![vec![7; 500]; 20]), None),
        (bare, &below(vec![vec![]; 890]), Some(true)),
        (bare, &below(vec![vec![]; 1000]), None),
        (bare, &with_a_witness, Some(false)),
        (in_p2sh, &with_a_witness, Some(false)),
        (nested, &as_it_is, Some(true)),
        (nested, &pushed_otherwise, Some(false)),
    ];
    for (case, (template, change, expected)) in cases.into_iter().enumerate() {
        let made = vec![Made::new(template, settings, &mut random)];
        let mut transaction = unsigned(1, spent(&made), &mut random);
        let (script, witness) = made[0].show(&transaction, 0, &mut random);
        let (script, has_witness) = change(&script);
        transaction.input[0].script_sig = script;
        transaction.input[0].witness = if has_witness {
            Witness::from_slice(&[[7]])
        } else {
            witness
        };
        let answers = check_inputs(
            settings,
            700_000,
            slice::from_ref(&transaction),
            &spent(&made),
        );
        assert_eq!(answers[0].valid(), expected, "{case}: {answers:?}");
    }
}

/// An element of a witness of version 0 has at most 520 bytes, whatever its meaning. Before BIP 147
/// the dummy element of a multisignature may be anything, and before BIP 66 any bytes may follow a
/// signature.
pub fn long_elements_of_witnesses(settings: &Settings) {
    const LONG: Reason = Reason::Malformed("an element of the witness has more than 520 bytes");
    let mut random = Random::new();
    for (wrapping, template) in [
        (Wrapping::P2wsh, Template::P2wpkh),
        (Wrapping::P2shP2wsh, Template::P2shP2wpkh),
    ] {
        let keys = vec![Made::new(
            Template::Multisig(wrapping),
            settings,
            &mut random,
        )];
        let mut transaction = unsigned(1, spent(&keys), &mut random);
        let (script, witness) = keys[0].show(&transaction, 0, &mut random);
        for (length, height, expected) in [
            (519, 481_823, None),
            (520, 481_823, None),
            (521, 481_823, Some(LONG)),
            (522, 400_000, Some(LONG)),
            (521, 481_824, Some(LONG)),
        ] {
            let mut elements = witness.to_vec();
            elements[0] = vec![7; length];
            transaction.input[0].script_sig = script.clone();
            transaction.input[0].witness = Witness::from_slice(&elements);
            let answers = check_inputs(
                settings,
                height,
                slice::from_ref(&transaction),
                &spent(&keys),
            );
            assert_eq!(answers[0].reason, expected, "{length} at {height}");
        }
        let key = vec![Made::new(template, settings, &mut random)];
        let mut transaction = unsigned(1, spent(&key), &mut random);
        let (script, witness) = key[0].show(&transaction, 0, &mut random);
        for (length, expected) in [
            (519, None),
            (520, None),
            (521, Some(LONG)),
            (522, Some(LONG)),
        ] {
            let mut elements = witness.to_vec();
            let hash_type = elements[0].pop().unwrap();
            elements[0].resize(length - 1, 0);
            elements[0].push(hash_type);
            transaction.input[0].script_sig = script.clone();
            transaction.input[0].witness = Witness::from_slice(&elements);
            let answers = check_inputs(
                settings,
                BIP_66 - 1,
                slice::from_ref(&transaction),
                &spent(&key),
            );
            // P2WPKH accepts keys in every form, because it compares only their hash.
            assert_eq!(answers[0].reason, expected, "{length}");
        }
        // Scripts of other forms are refused as well.
        let mut other = Made::new(Template::P2pk(wrapping), settings, &mut random);
        other.inner = Builder::new().push_int(1).into_script();
        let program = other.inner.to_p2wsh();
        (other.output.script_pubkey, other.redeem) = match wrapping {
            Wrapping::P2wsh => (program, None),
            _ => (program.to_p2sh(), Some(program)),
        };
        let other = vec![other];
        let mut transaction = unsigned(1, spent(&other), &mut random);
        for (length, expected) in [(520, None), (521, Some(false))] {
            let (script, witness) = other[0].place(vec![vec![7; length]]);
            (
                transaction.input[0].script_sig,
                transaction.input[0].witness,
            ) = (script, witness);
            let answers = check_inputs(
                settings,
                700_000,
                slice::from_ref(&transaction),
                &spent(&other),
            );
            assert_eq!(answers[0].valid(), expected, "{length}");
        }
    }
}

/// The reason distinguishes empty signatures, malformed ones, and ones whose numbers are out of
/// range.
pub fn malformed_signatures_are_invalid(settings: &Settings) {
    let mut random = Random::new();
    let integers = |r: &[u8], s: &[u8]| {
        let integer = |bytes: &[u8]| [&[2, bytes.len() as u8], bytes].concat();
        let both = [integer(r), integer(s)].concat();
        [&[0x30, both.len() as u8], &both[..], &[1]].concat()
    };
    for template in [
        Template::P2pk(Wrapping::Bare),
        Template::P2pkh(Wrapping::P2sh),
        Template::P2wpkh,
        Template::Multisig(Wrapping::P2wsh),
    ] {
        let made = vec![Made::new(template, settings, &mut random)];
        let mut transaction = unsigned(1, spent(&made), &mut random);
        let count = if made[0].form == Form::Keys {
            made[0].needed
        } else {
            1
        };
        for (signature, height, expected) in [
            (Vec::new(), 700_000, "the signature is empty"),
            (Vec::new(), 300_000, "the signature is empty"),
            (vec![1], 700_000, "the signature is not DER"),
            (vec![1], 300_000, "the signature is not DER"),
            (vec![7; 71], 700_000, "the signature is not DER"),
            (integers(&[0, 1], &[1]), 700_000, "the signature is not DER"),
            (
                integers(&[1; 33], &[1]),
                700_000,
                "r or s of the signature has more than 32 bytes",
            ),
            (
                integers(&[1; 33], &[1]),
                300_000,
                "r or s of the signature has more than 32 bytes",
            ),
            (integers(&[0], &[1]), 700_000, "r is not in 1..n"),
            (integers(&[1], &[0]), 700_000, "s is not in 1..n"),
        ] {
            let mut shown = vec![signature; count];
            match made[0].form {
                Form::Key => {}
                Form::KeyHash => shown.push(made[0].signers[0].public.clone()),
                Form::Keys => shown.insert(0, Vec::new()),
            }
            (
                transaction.input[0].script_sig,
                transaction.input[0].witness,
            ) = made[0].place(shown);
            let answers = check_inputs(
                settings,
                height,
                slice::from_ref(&transaction),
                &spent(&made),
            );
            assert_eq!(answers[0].valid(), Some(false));
            assert_eq!(
                answers[0].reason.unwrap().to_string(),
                expected,
                "{template:?} at {height}"
            );
        }
    }
}

/// BIP 143 signs the hash type byte itself, whether or not the type has a name.
pub fn hash_types_without_a_name(settings: &Settings) {
    let mut random = Random::new();
    let made = vec![Made::new(Template::P2wpkh, settings, &mut random)];
    let mut transaction = unsigned(1, spent(&made), &mut random);
    for hash_type in [1_u8, 0, 4, 0x41, 0x60] {
        let mut signed = Vec::new();
        let all = EcdsaSighashType::All;
        SighashCache::new(&transaction)
            .segwit_v0_encode_signing_data_to(
                &mut signed,
                0,
                &made[0].inner,
                made[0].output.value,
                all,
            )
            .unwrap();
        *signed.last_chunk_mut().unwrap() = u32::from(hash_type).to_le_bytes();
        let signature =
            made[0].signers[0].sign(sha256d::Hash::hash(&signed).to_byte_array(), hash_type);
        let shown = [signature, made[0].signers[0].public.clone()];
        transaction.input[0].witness = Witness::from_slice(&shown);
        let answers = check_inputs(
            settings,
            700_000,
            slice::from_ref(&transaction),
            &spent(&made),
        );
        assert_eq!(
            answers[0].valid(),
            Some(true),
            "{hash_type:#x}: {answers:?}"
        );
    }
}
