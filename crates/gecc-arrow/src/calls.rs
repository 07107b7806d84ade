//! Calls of the engine for one batch.

use crate::answers::Answers;
use crate::columns::{Column, Inputs};
use crate::error::Error;
use crate::keys::{Keys, Other};
use crate::mapping::Field;
use crate::operation::{Key, KeyForm, Signer, Signing};
use crate::texts::Texts;
use gecc::ecdsa::{Policy, RecoverableSignature};
use gecc::{CurveId, Engine, PublicKeys, Rejection, Rows, SecretKeys, Verdict, any, ecdsa, sm2};
use zeroize::Zeroizing;

/// An engine and a curve.
pub(crate) struct Call<'a> {
    pub engine: &'a Engine,
    pub curve: CurveId,
}

impl Call<'_> {
    /// SM2 where the curve is its own, and messages are what is signed.
    fn takes_sm2_messages(&self, inputs: &Inputs) -> Result<bool, Error> {
        inputs.require_one_content()?;
        Ok(self.curve == CurveId::Sm2 && inputs.has(Field::Message))
    }

    pub fn verify(&self, mut inputs: Inputs, policy: Policy) -> Result<Answers, Error> {
        if self.takes_sm2_messages(&inputs)? {
            return self.verify_sm2_messages(inputs);
        }
        let digests = inputs.digests()?;
        let signatures = inputs.signatures()?;
        let keys = Keys::of(&mut inputs)?;
        let (digests, signatures) = (digests.rows(), signatures.rows());
        let mut codes = vec![0; inputs.rows()];
        self.verify_digests(digests, signatures, keys.most(), policy, &mut codes)?;
        put_others(&keys.others, &mut codes, |others, codes| {
            let (digests, signatures) = (gathered(digests, others), gathered(signatures, others));
            self.verify_digests(
                Rows::new(&digests),
                Rows::new(&signatures),
                sec1(others).as_slice().into(),
                policy,
                codes,
            )
        })?;
        Ok(Answers::of(inputs.merged(codes)))
    }

    fn verify_digests(
        &self,
        digests: Rows<32>,
        signatures: Rows<64>,
        keys: PublicKeys,
        policy: Policy,
        codes: &mut [u8],
    ) -> Result<(), Error> {
        match self.curve {
            CurveId::Sm2 => sm2::verify_into(self.engine, digests, signatures, keys, codes)?,
            curve => any::ecdsa::verify_into(self.engine, curve, digests, signatures, keys, policy, codes)?,
        }
        Ok(())
    }

    fn verify_sm2_messages(&self, mut inputs: Inputs) -> Result<Answers, Error> {
        let messages = Texts::messages(&mut inputs)?;
        let signatures = inputs.signatures()?.to_vec(inputs.rows());
        let keys = Keys::of(&mut inputs)?;
        let ids = Texts::ids(&inputs)?;
        let (messages, ids) = (messages.slices(), ids.slices());
        let mut codes = vec![0; inputs.rows()];
        let verify =
            |messages: &[&[u8]], ids: &[&[u8]], signatures: &[[u8; 64]], keys: PublicKeys, codes: &mut [u8]| {
                let verdicts = sm2::verify_messages(self.engine, messages, sm2::UserIds::each(ids), signatures, keys)?;
                codes.iter_mut().zip(verdicts.iter()).for_each(|(code, verdict)| *code = verdict.code());
                Ok(())
            };
        verify(&messages, &ids, &signatures, keys.most(), &mut codes)?;
        put_others(&keys.others, &mut codes, |others, codes| {
            let signatures = gathered(Rows::new(&signatures), others);
            verify(
                &picked(&messages, others),
                &picked(&ids, others),
                &signatures,
                sec1(others).as_slice().into(),
                codes,
            )
        })?;
        Ok(Answers::of(inputs.merged(codes)))
    }

    pub fn recover(&self, mut inputs: Inputs, signer: Signer) -> Result<Answers, Error> {
        let digests = inputs.digests()?;
        let signatures = inputs.signatures()?;
        let ids = inputs.recovery_ids()?;
        let (digests, signatures, ids) = (digests.rows(), signatures.rows(), Rows::new(&ids));
        let mut codes = vec![0; inputs.rows()];
        match signer {
            Signer::Address => {
                let mut addresses = vec![[0; 20]; codes.len()];
                ecdsa::recover_addresses_into(self.engine, digests, signatures, ids, &mut addresses, &mut codes)?;
                Ok(Answers::of(inputs.merged(codes)).with_rows("address", addresses))
            }
            Signer::PublicKey(form) => {
                let mut keys = vec![[0; 64]; codes.len()];
                any::ecdsa::recover_into(self.engine, self.curve, digests, signatures, ids, &mut keys, &mut codes)?;
                Ok(with_keys(Answers::of(inputs.merged(codes)), keys, form))
            }
        }
    }

    pub fn sign(&self, mut inputs: Inputs, signing: &Signing) -> Result<Answers, Error> {
        if self.takes_sm2_messages(&inputs)? {
            return self.sign_sm2_messages(inputs, &signing.key);
        }
        let digests = inputs.digests()?;
        let column = secret_column(&mut inputs, &signing.key)?;
        let keys = secret_keys(&signing.key, &column);
        if signing.recovery_id {
            let signed = any::ecdsa::sign_recoverable(
                self.engine,
                self.curve,
                &digests.to_vec(inputs.rows()),
                keys,
                signing.s_form,
            )?;
            return Ok(recoverable(inputs, signed));
        }
        let (digests, mut codes) = (digests.rows(), vec![0; inputs.rows()]);
        let mut signatures = vec![[0; 64]; codes.len()];
        match self.curve {
            CurveId::Sm2 => sm2::sign_into(self.engine, digests, keys, &mut signatures, &mut codes)?,
            curve => {
                let (engine, s_form) = (self.engine, signing.s_form);
                any::ecdsa::sign_into(engine, curve, digests, keys, s_form, &mut signatures, &mut codes)?;
            }
        }
        Ok(Answers::of(inputs.merged(codes)).with_rows("signature", signatures))
    }

    fn sign_sm2_messages(&self, mut inputs: Inputs, key: &Key) -> Result<Answers, Error> {
        let messages = Texts::messages(&mut inputs)?;
        let column = secret_column(&mut inputs, key)?;
        let ids = Texts::ids(&inputs)?;
        let keys = secret_keys(key, &column);
        let signed = sm2::sign_messages(self.engine, &messages.slices(), sm2::UserIds::each(&ids.slices()), keys)?;
        let (codes, signatures) = columns_of(signed, [0; 64]);
        Ok(Answers::of(inputs.merged(codes)).with_rows("signature", signatures))
    }

    pub fn ecdh(&self, mut inputs: Inputs, key: &Key) -> Result<Answers, Error> {
        let peers = Keys::of(&mut inputs)?;
        let column = secret_column(&mut inputs, key)?;
        let keys = secret_keys(key, &column);
        let mut codes = vec![0; inputs.rows()];
        let mut secrets = Zeroizing::new(vec![[0; 32]; codes.len()]);
        any::ecdh::shared_secrets_into(self.engine, self.curve, keys, peers.most(), &mut secrets, &mut codes)?;
        put_others(&peers.others, &mut codes, |others, codes| {
            let gathered = column.as_ref().map(|column| Zeroizing::new(gathered(column.rows(), others)));
            let keys = match (key, &gathered) {
                (Key::All(key), _) => SecretKeys::all(key),
                (Key::Column, gathered) => SecretKeys::rows(Rows::new(gathered.as_deref().map_or(&[], Vec::as_slice))),
            };
            let mut of_others = Zeroizing::new(vec![[0; 32]; others.len()]);
            let peers = sec1(others);
            any::ecdh::shared_secrets_into(
                self.engine,
                self.curve,
                keys,
                peers.as_slice().into(),
                &mut of_others,
                codes,
            )?;
            for (other, secret) in others.iter().zip(of_others.iter()) {
                secrets[other.row].copy_from_slice(secret);
            }
            Ok(())
        })?;
        Ok(Answers::of(inputs.merged(codes)).with_secret_rows("shared_secret", secrets))
    }

    pub fn public_keys(&self, mut inputs: Inputs, form: KeyForm) -> Result<Answers, Error> {
        let cells = inputs.required(Field::SecretKey)?;
        let secrets: Column<32> = inputs.bytes(Field::SecretKey, &cells)?;
        let mut codes = vec![0; inputs.rows()];
        let mut keys = vec![[0; 64]; codes.len()];
        any::keys::public_keys_into(self.engine, self.curve, SecretKeys::rows(secrets.rows()), &mut keys, &mut codes)?;
        Ok(with_keys(Answers::of(inputs.merged(codes)), keys, form))
    }
}

/// The rows whose keys have another encoding, computed together and put in their places.
fn put_others(
    others: &[Other],
    codes: &mut [u8],
    compute: impl FnOnce(&[Other], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    if others.is_empty() {
        return Ok(());
    }
    let mut of_others = vec![0; others.len()];
    compute(others, &mut of_others)?;
    for (other, code) in others.iter().zip(of_others) {
        codes[other.row] = code;
    }
    Ok(())
}

/// The rows of a column that some items have.
fn gathered<const W: usize>(rows: Rows<W>, others: &[Other]) -> Vec<[u8; W]> {
    others.iter().map(|other| *rows.get(other.row)).collect()
}

fn picked<'t>(texts: &[&'t [u8]], others: &[Other]) -> Vec<&'t [u8]> {
    others.iter().map(|other| texts[other.row]).collect()
}

fn sec1(others: &[Other]) -> Vec<&[u8]> {
    others.iter().map(Other::sec1).collect()
}

/// The column of private keys, where they are in one.
fn secret_column<'a>(inputs: &mut Inputs<'a>, key: &Key) -> Result<Option<Column<'a, 32>>, Error> {
    if let Key::All(_) = key {
        return Ok(None);
    }
    let cells = inputs.required(Field::SecretKey)?;
    inputs.bytes(Field::SecretKey, &cells).map(Some)
}

fn secret_keys<'k>(key: &'k Key, column: &'k Option<Column<32>>) -> SecretKeys<'k> {
    match (key, column) {
        (Key::All(key), _) => SecretKeys::all(key),
        (Key::Column, Some(column)) => SecretKeys::rows(column.rows()),
        (Key::Column, None) => SecretKeys::each(&[]),
    }
}

/// Codes and rows of values that a call gave one by one.
fn columns_of<T: Copy>(results: Vec<Result<T, Rejection>>, of_rejected: T) -> (Vec<u8>, Vec<T>) {
    results
        .into_iter()
        .map(|result| result.map_or_else(|r| (r.code(), of_rejected), |v| (Verdict::VALID_CODE, v)))
        .unzip()
}

fn recoverable(inputs: Inputs, signed: Vec<Result<RecoverableSignature, Rejection>>) -> Answers {
    let (codes, signed) = columns_of(signed, RecoverableSignature { signature: [0; 64], recovery_id: 0 });
    let (signatures, ids) = signed.into_iter().map(|signed| (signed.signature, signed.recovery_id)).unzip();
    Answers::of(inputs.merged(codes)).with_rows("signature", signatures).with_numbers("recovery_id", ids)
}

/// With a column of keys `x || y` in the form that is asked for.
fn with_keys(answers: Answers, keys: Vec<[u8; 64]>, form: KeyForm) -> Answers {
    const NAME: &str = "public_key";
    match form {
        KeyForm::Raw => answers.with_rows(NAME, keys),
        KeyForm::Compressed => answers.with_rows(NAME, keys.iter().map(compressed).collect()),
        KeyForm::Uncompressed => answers.with_rows(NAME, keys.iter().map(uncompressed).collect()),
    }
}

/// SEC 1, section 2.3.3.
fn compressed(key: &[u8; 64]) -> [u8; 33] {
    let mut row = [2 + (key[63] & 1); 33];
    row[1..].copy_from_slice(&key[..32]);
    row
}

fn uncompressed(key: &[u8; 64]) -> [u8; 65] {
    let mut row = [4; 65];
    row[1..].copy_from_slice(key);
    row
}
