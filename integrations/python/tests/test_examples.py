"""The examples: the class with coincurve's names against coincurve, and the notebook."""

import os
import sys
from pathlib import Path

import coincurve
import nbclient
import nbformat

from support import random_rows

EXAMPLES = Path(__file__).parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

from coincurve_batch import PrivateKey, PublicKey  # noqa: E402

ITEMS = 60


def test_names_of_coincurve() -> None:
    secrets = [row.tobytes() for row in random_rows(ITEMS, 32)]
    messages = [os.urandom(length) for length in range(ITEMS)]
    peers = [coincurve.PrivateKey(secret) for secret in secrets]
    keys = PrivateKey(secrets)
    for compressed in (True, False):
        assert keys.public_key.format(compressed) == [peer.public_key.format(compressed) for peer in peers]
    signatures = keys.sign(messages)
    assert signatures == [peer.sign(message) for peer, message in zip(peers, messages, strict=True)]
    recoverable = keys.sign_recoverable(messages)
    assert recoverable == [peer.sign_recoverable(message) for peer, message in zip(peers, messages, strict=True)]
    recovered = PublicKey.from_signature_and_message(recoverable, messages)
    assert recovered.format() == [peer.public_key.format() for peer in peers]
    others = [peer.public_key.format() for peer in peers[1:] + peers[:1]]
    assert keys.ecdh(others) == [peer.ecdh(other) for peer, other in zip(peers, others, strict=True)]
    digests = [row.tobytes() for row in random_rows(ITEMS, 32)]
    assert keys.public_key.verify(keys.sign(digests, hasher=None), digests, hasher=None).all()
    # Signatures of the previous item are wrong, and so are bytes that are not DER.
    wrong = [signatures[0], *signatures[:-2], b"0"]
    expected = [
        peer.public_key.verify(signature, message) if signature != b"0" else False
        for peer, signature, message in zip(peers, wrong, messages, strict=True)
    ]
    assert keys.public_key.verify(wrong, messages).tolist() == expected == [True] + [False] * (ITEMS - 1)
    assert PublicKey([*others[:2], bytes(33)]).format() == [*others[:2], None]
    no_key = PrivateKey([secrets[0], bytes(32)])
    assert no_key.sign(messages[:2]) == [signatures[0], None]
    assert no_key.sign_recoverable(messages[:2]) == [recoverable[0], None]
    assert no_key.ecdh(others[:2]) == [peers[0].ecdh(others[0]), None]
    assert keys.ecdh([*others[:-1], bytes(33)])[-1] is None


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(EXAMPLES / "blocks.ipynb", 4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(EXAMPLES)}})
    client.execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("530 of 530 signatures are valid" in output.get("text", "") for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)
