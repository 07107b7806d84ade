//! Known answers of masks: the products of ECDH in every form. The private keys are for tests only.

use super::{Form, Mask, Source};
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Agreements, Answer, repeat};
use crate::types::{PublicKeys, Results, result_of};

const FORMS: [Form; 6] = [
    Form::Compressed,
    Form::Uncompressed,
    Form::Raw,
    Form::X,
    Form::Truncated(1),
    Form::Truncated(31),
];

pub fn of(curve: CurveId) -> SelfTest {
    SelfTest::new("masks", curve.name(), run)
}

fn run(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let curve = trial.curve();
    let Agreements {
        keys,
        peers,
        shared,
    } = &known_answers::of(curve).agreements;
    let keys = repeat(keys, ITEMS);
    let peers = repeat(peers, ITEMS);
    for form in FORMS {
        let source = Source::Points {
            curve,
            points: PublicKeys::points(&peers),
            items: ITEMS,
        };
        let keys = (&keys).into();
        let known: Vec<_> = shared.iter().map(|point| in_form(form, point)).collect();
        let mask = Mask {
            source,
            keys,
            form,
            are_results_secret: false,
        };
        trial.check(&mask, bytes, repeat(&known, ITEMS))?;
    }
    Ok(())
}

fn bytes(results: &Results, item: usize) -> Answer<Vec<u8>> {
    result_of(results.codes[item]).map(|()| results.row(0, item).to_vec())
}

/// Returns a point, given as `x || y`, in a form.
fn in_form(form: Form, point: &Answer<[u8; 64]>) -> Answer<Vec<u8>> {
    point.map(|point| {
        let (x, y) = point.split_at(32);
        let [x, y] = [x, y].map(|half| half.try_into().expect("32 bytes"));
        let mut row = vec![0; form.width()];
        form.write(x, y, &mut row);
        row
    })
}
