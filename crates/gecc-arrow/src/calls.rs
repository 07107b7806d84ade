//! The operations over one record batch.

use crate::answers::{Answers, answer_schema};
use crate::columns::{Column, Inputs};
use crate::error::Error;
use crate::keys::Keys;
use crate::mapping::column_of;
use crate::operation::{Bip340Signing, Key, KeyForm, Operation, Signer, Signing};
use crate::pool::Pool;
use crate::secrets::Secrets;
use crate::texts::Texts;
use crate::through::{Bip340Messages, Signed, recover_rows, verify_bip340_rows, verify_recoverable_rows, verify_rows};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use gecc::bip340::{self, Auxiliary};
use gecc::ecdsa::Policy;
use gecc::fields::{Field, Mapping};
use gecc::{CurveId, Engine, PublicKeys, Rows, SecretKeys, ecdh, ecdsa, keys, sm2};
use zeroize::Zeroizing;

impl Operation {
    /// The answers for all rows of a batch.
    ///
    /// A null or malformed cell rejects its row alone. The batch goes through one call of the engine. Secret keys and what is made of
    /// them are computed in constant time; reading them from hexadecimal text is not constant-time.
    ///
    /// # Errors
    /// [`Error::Columns`] when a column that is needed is missing or has a wrong type, [`Error::Options`] when the
    /// operation does not exist on the curve, and [`Error::Engine`].
    pub fn apply(
        &self,
        engine: &Engine,
        curve: CurveId,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.apply_at(engine, curve, 0, batch, mapping, pool)
    }

    /// The same for a batch whose first row has a number of its own, counted from 0, by which keys are found ([`Key::Each`]).
    ///
    /// # Errors
    /// As for [`Operation::apply`].
    pub fn apply_at(
        &self,
        engine: &Engine,
        curve: CurveId,
        first: u64,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.require(curve)?;
        let call = Call { engine, curve, first };
        let inputs = Inputs::new(batch, mapping, pool);
        match self {
            Operation::Verify(policy) => call.verify(inputs, *policy),
            Operation::VerifyRecoverable(policy) => call.verify_recoverable(inputs, *policy),
            Operation::VerifyBip340 => call.verify_bip340(inputs),
            Operation::Recover(signer) => call.recover(inputs, *signer),
            Operation::Sign(signing) => call.sign(inputs, signing),
            Operation::SignBip340(signing) => call.sign_bip340(inputs, signing),
            Operation::Ecdh(key) => call.ecdh(inputs, key),
            Operation::PublicKeys(form) => call.public_keys(inputs, *form),
        }
    }

    /// Whether a batch of this schema can be worked on, before there is one.
    ///
    /// # Errors
    /// As for [`Operation::apply`], but for the engine's.
    pub fn check(&self, engine: &Engine, curve: CurveId, schema: &SchemaRef, mapping: &Mapping) -> Result<(), Error> {
        self.apply(engine, curve, &RecordBatch::new_empty(schema.clone()), mapping, &Pool::default()).map(drop)
    }

    /// The columns that the operation reads, of those that the mapping has.
    ///
    /// # Errors
    /// As for [`column_of`].
    pub fn columns(&self, schema: &Schema, mapping: &Mapping) -> Result<Vec<usize>, Error> {
        let read = Field::ALL.into_iter().filter(|field| self.reads(*field));
        read.filter_map(|field| column_of(mapping, field, schema).transpose()).collect()
    }

    /// The schema of [`Answers::to_columns`].
    pub fn schema(&self) -> SchemaRef {
        let bytes = DataType::FixedSizeBinary;
        match self {
            Operation::Verify(_) | Operation::VerifyRecoverable(_) | Operation::VerifyBip340 => answer_schema(&[]),
            Operation::SignBip340(_) => answer_schema(&[("signature", bytes(64))]),
            Operation::Recover(Signer::Address) => answer_schema(&[("address", bytes(20))]),
            Operation::Recover(Signer::PublicKey(form)) | Operation::PublicKeys(form) => {
                answer_schema(&[("public_key", bytes(form.width()))])
            }
            Operation::Sign(Signing { recovery_id, der, .. }) => {
                let signature = if *der { ("der", DataType::Binary) } else { ("signature", bytes(64)) };
                let id = recovery_id.then_some(("recovery_id", DataType::UInt8));
                answer_schema(&[signature].into_iter().chain(id).collect::<Vec<_>>())
            }
            Operation::Ecdh(_) => answer_schema(&[("shared_secret", bytes(32))]),
        }
    }
}

/// An engine and a curve, and the number of the batch's first row.
pub(crate) struct Call<'a> {
    pub engine: &'a Engine,
    pub curve: CurveId,
    pub first: u64,
}

impl Call<'_> {
    /// SM2 where the curve is its own, and messages are what is signed.
    fn takes_sm2_messages(&self, inputs: &Inputs) -> Result<bool, Error> {
        inputs.require_one_content()?;
        Ok(self.curve == CurveId::Sm2 && inputs.has(Field::Message))
    }

    pub fn verify(&self, inputs: Inputs, policy: Policy) -> Result<Answers, Error> {
        if self.takes_sm2_messages(&inputs)? {
            return self.verify_sm2_messages(inputs);
        }
        verify_rows(inputs, |digests, signatures, keys, codes| {
            self.verify_digests(digests, signatures, keys, policy, codes)
        })
    }

    pub fn verify_recoverable(&self, inputs: Inputs, policy: Policy) -> Result<Answers, Error> {
        verify_recoverable_rows(inputs, |Signed { digests, signatures, ids }, keys, codes| {
            let Some(ids) = ids else { return self.verify_digests(digests, signatures, keys, policy, codes) };
            let (engine, curve) = (self.engine, self.curve);
            ecdsa::verify_recoverable_into(engine, curve, digests, signatures, ids, keys, policy, codes)?;
            Ok(())
        })
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
            curve => ecdsa::verify_into(self.engine, curve, digests, signatures, keys, policy, codes)?,
        }
        Ok(())
    }

    fn verify_sm2_messages(&self, mut inputs: Inputs) -> Result<Answers, Error> {
        let messages = Texts::messages(&mut inputs)?;
        let signatures = inputs.signatures()?;
        let keys = Keys::of(&mut inputs)?;
        let ids = Texts::ids(&inputs)?;
        let (messages, ids, signatures) = (messages.slices(), ids.slices(), signatures.rows());
        let mut codes = vec![0; inputs.rows()];
        sm2::verify_messages_into(
            self.engine,
            &messages,
            sm2::UserIds::each(&ids),
            signatures,
            keys.rows(),
            &mut codes,
        )?;
        Ok(Answers::new(inputs.merged(codes)))
    }

    pub fn verify_bip340(&self, inputs: Inputs) -> Result<Answers, Error> {
        verify_bip340_rows(inputs, |messages, signatures, keys, codes| {
            match messages {
                Bip340Messages::Rows(rows) => bip340::verify_into(self.engine, rows, signatures, keys, codes)?,
                Bip340Messages::Texts(texts) => {
                    bip340::verify_messages_into(self.engine, texts, signatures, keys, codes)?;
                }
            }
            Ok(())
        })
    }

    pub fn sign_bip340(&self, mut inputs: Inputs, signing: &Bip340Signing) -> Result<Answers, Error> {
        inputs.require_one_content()?;
        let (engine, mut codes) = (self.engine, vec![0; inputs.rows()]);
        let auxiliary = match &signing.auxiliary {
            Some(auxiliary) => Auxiliary::given(Rows::all(auxiliary)),
            None => Auxiliary::fresh(),
        };
        let mut signatures = vec![[0; 64]; codes.len()];
        if inputs.has(Field::Message) {
            let messages = Texts::messages(&mut inputs)?;
            let secrets = Secrets::of(&mut inputs, &signing.key, self.first)?;
            let (messages, keys) = (messages.slices(), secrets.keys());
            bip340::sign_messages_into(engine, &messages, keys, auxiliary, &mut signatures, &mut codes)?;
        } else {
            let digests = inputs.digests()?;
            let secrets = Secrets::of(&mut inputs, &signing.key, self.first)?;
            bip340::sign_into(engine, digests.rows(), secrets.keys(), auxiliary, &mut signatures, &mut codes)?;
        }
        Ok(Answers::new(inputs.merged(codes)).with_signatures(signatures, false))
    }

    pub fn recover(&self, inputs: Inputs, signer: Signer) -> Result<Answers, Error> {
        match signer {
            Signer::Address => {
                let (addresses, codes) = recover_rows(inputs, |digests, signatures, ids, addresses, codes| {
                    let recovered =
                        ecdsa::recover_addresses_into(self.engine, digests, signatures, ids, addresses, codes);
                    recovered.map_err(Error::from)
                })?;
                Ok(Answers::new(codes).with_rows("address", addresses))
            }
            Signer::PublicKey(form) => {
                let (keys, codes) = recover_rows(inputs, |digests, signatures, ids, keys, codes| {
                    let (engine, curve) = (self.engine, self.curve);
                    let recovered = ecdsa::recover_into(engine, curve, digests, signatures, ids, keys, codes);
                    recovered.map_err(Error::from)
                })?;
                Ok(Answers::new(codes).with_keys(keys, form))
            }
        }
    }

    pub fn sign(&self, mut inputs: Inputs, signing: &Signing) -> Result<Answers, Error> {
        if self.takes_sm2_messages(&inputs)? {
            return self.sign_sm2_messages(inputs, signing);
        }
        let digests = inputs.digests()?;
        let secrets = Secrets::of(&mut inputs, &signing.key, self.first)?;
        let (engine, digests, signers) = (self.engine, digests.rows(), signing.signers(secrets.keys()));
        let mut codes = vec![0; inputs.rows()];
        let mut signatures = vec![[0; 64]; codes.len()];
        let mut ids = vec![0; if signing.recovery_id { codes.len() } else { 0 }];
        match (self.curve, signing.s_form) {
            (CurveId::Sm2, _) => sm2::sign_into(engine, digests, signers, &mut signatures, &mut codes)?,
            (curve, form) if signing.recovery_id => {
                let (rows, ids, codes) = (&mut signatures, &mut ids, &mut codes);
                ecdsa::sign_recoverable_into(engine, curve, digests, signers, form, rows, ids, codes)?;
            }
            (curve, form) => {
                ecdsa::sign_into(engine, curve, digests, signers, form, &mut signatures, &mut codes)?;
            }
        }
        let answers = Answers::new(inputs.merged(codes)).with_signatures(signatures, signing.der);
        Ok(if signing.recovery_id { answers.with_numbers("recovery_id", ids) } else { answers })
    }

    fn sign_sm2_messages(&self, mut inputs: Inputs, signing: &Signing) -> Result<Answers, Error> {
        let messages = Texts::messages(&mut inputs)?;
        let secrets = Secrets::of(&mut inputs, &signing.key, self.first)?;
        let ids = Texts::ids(&inputs)?;
        let (messages, ids, mut codes) = (messages.slices(), ids.slices(), vec![0; inputs.rows()]);
        let (ids, mut signatures) = (sm2::UserIds::each(&ids), vec![[0; 64]; codes.len()]);
        let signers = signing.signers(secrets.keys());
        sm2::sign_messages_into(self.engine, &messages, ids, signers, &mut signatures, &mut codes)?;
        Ok(Answers::new(inputs.merged(codes)).with_signatures(signatures, signing.der))
    }

    pub fn ecdh(&self, mut inputs: Inputs, key: &Key) -> Result<Answers, Error> {
        let peers = Keys::of(&mut inputs)?;
        let keys = Secrets::of(&mut inputs, key, self.first)?;
        let mut codes = vec![0; inputs.rows()];
        let mut secrets = Zeroizing::new(vec![[0; 32]; codes.len()]);
        ecdh::shared_secrets_into(self.engine, self.curve, keys.keys(), peers.rows(), &mut secrets, &mut codes)?;
        Ok(Answers::new(inputs.merged(codes)).with_secret_rows("shared_secret", secrets))
    }

    pub fn public_keys(&self, mut inputs: Inputs, form: KeyForm) -> Result<Answers, Error> {
        let cells = inputs.required(Field::SecretKey)?;
        let secrets: Column<32> = inputs.bytes(Field::SecretKey, &cells)?;
        let mut codes = vec![0; inputs.rows()];
        let mut keys = vec![[0; 64]; codes.len()];
        keys::public_keys_into(self.engine, self.curve, SecretKeys::rows(secrets.rows()), &mut keys, &mut codes)?;
        Ok(Answers::new(inputs.merged(codes)).with_keys(keys, form))
    }
}
