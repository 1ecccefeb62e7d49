"""What is talked about: a decision with its reason, and how another day asks for it in other words."""

from __future__ import annotations

from typing import Any

from tests.claude.laboratory import Laboratory

PROMPT = "金額の型を決めたい。浮動小数点と整数のどちらで持つ？"
REASON = "浮動小数点だと消費税の端数で誤差が出て、請求書の合計が一円ずれるためです"
ANSWER = f"金額は整数の銭で持ちます。{REASON}。"
"""The decision, as session A comes to it."""

REMINDER = "請求書の合計の端数って、前にどう扱うことにしたんだっけ？"
"""What session B asks: no sentence of session A is in it."""

AGAIN = "消費税の端数の誤差、請求書ではどうするんだった？"
"""The same matter once more, in other words again."""

FENCE = "<recalled-memories>"
END_OF_FENCE = "</recalled-memories>"


def discuss(lab: Laboratory, *options: str) -> dict[str, Any]:
    """Have session A: come to the decision in the first project, leave, and return its memory."""
    lab.api.answer(PROMPT, ANSWER)
    with lab.session(*options) as talk:
        talk.ask(PROMPT)
        talk.exit()
    return lab.wait_for_memory(PROMPT)
