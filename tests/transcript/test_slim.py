"""Slim records: what hides a secret from the rules is taken away before they are asked."""

import pytest

from sui_memory.redaction import Redactor
from sui_memory.transcript.slim import Slimmer

SECRET = "hunter2xyz"


@pytest.mark.parametrize(
    "text",
    [
        f"\x1b[1mDB_PASSWORD\x1b[0m=\x1b[32m{SECRET}\x1b[0m",  # coloured output, pasted
        f"pass\x08word={SECRET}",  # a control character in the label
        f"ハ\u309aスワート\u3099：{SECRET}",  # decomposed, as macOS writes it
        f"<pri\x1b[0mvate>{SECRET}</private>",
        f"< private >{SECRET}</ private >",
        f"<bash-input>export MY_TOKEN={SECRET}</bash-input>",
    ],
)
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_nothing_hides_a_secret(text, kind):
    slim = Slimmer(Redactor).slim({"type": kind, "uuid": "u", "message": {"content": text}})
    assert SECRET.encode() not in slim
    assert b"[REDACTED:" in slim


def test_a_slim_record_is_slim_already():
    slimmer = Slimmer(Redactor)
    record = {"type": "user", "uuid": "u", "message": {"content": "\x1b[1m鍵\x1b[0mはどこ？\r\n"}}
    slim = slimmer.slim(record)
    assert slim == '{"type":"user","uuid":"u","message":{"content":"鍵はどこ？"}}'.encode()
