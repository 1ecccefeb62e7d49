"""Measure how fast text is redacted: `python -m benchmarks.redaction`.

Prints megabytes of UTF-8 per second of CPU time, the median of five rounds on one core.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence

from sui_memory.redaction import redact
from sui_memory.redaction.rules import load_rules

ROUNDS = 5
TEXTS = 1500
SENTENCES_PER_TEXT = 25  # about 2 kB, a long message

PROSE = (
    "The retry loop gives up after five attempts and then reports which request failed.",
    "I would keep the cache, but move it behind an interface so that tests can replace it.",
    "Please look at the login form again: the error message appears before the user has typed anything.",
    "設定画面のレイアウトが崩れているので、先にそこを直してからテストを書きましょう。",
    "この関数は責務が多すぎるように見えます。読み込みと検証を分けたほうがよいと思います。",
    "パスワードを忘れた場合の画面遷移を確認して、トークンの期限も一緒に見てください。",
    "なるほど、原因はタイムゾーンの変換でした。UTC のまま保存して表示のときだけ変えます。",
)
CODE = (
    "def merge(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:\n    return left | right\n",
    'const response = await fetch(`/api/users/${id}`, { headers: { Accept: "application/json" } });\n',
    '  File "/srv/app/views.py", line 118, in get_context\n    user = self.request.user\n',
    "token = get_token(settings.auth.client_id)\nmax_tokens=4096\n",
    "- [x] `src/components/Button.tsx`: replace the inline style\n",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n",
)
SECRETS = (
    "password=hunter2",
    "パスワード：hunter2",
    "postgres://app:hunter2@db.example.com/app",
    "Authorization: Bearer 9f4ce7b02d8a61e59f4ce7b02d8a61e5",
    "export SERVICE_TOKEN=a7Kq2ZxR9mTb4WnE6vYc",
)


def main() -> None:
    """Print the cost of loading the rules, and the speed on text without and with secrets."""
    print(f"loading and compiling the rules: {_milliseconds(load_rules):.1f} ms")
    redact("\n".join(SECRETS))
    print(f"mixed text without secrets: {_megabytes_per_second(_texts(secrets=0)):.0f} MB/s")
    print(f"prose only:                 {_megabytes_per_second(_texts(secrets=0, code=0)):.0f} MB/s")
    print(f"a secret in every text:     {_megabytes_per_second(_texts(secrets=1)):.0f} MB/s")


def _texts(*, secrets: int, code: int = SENTENCES_PER_TEXT // 3) -> list[str]:
    chance = random.Random(7)
    return [
        " ".join(_shuffled(chance, secrets=secrets, code=code, prose=SENTENCES_PER_TEXT - code))
        for _ in range(TEXTS)
    ]


def _shuffled(chance: random.Random, *, secrets: int, code: int, prose: int) -> list[str]:
    parts = chance.choices(SECRETS, k=secrets) + chance.choices(CODE, k=code) + chance.choices(PROSE, k=prose)
    chance.shuffle(parts)
    return parts


def _megabytes_per_second(texts: Sequence[str]) -> float:
    size = sum(len(text.encode()) for text in texts) / 1e6
    times = [_milliseconds(lambda: [redact(text) for text in texts]) for _ in range(ROUNDS)]
    return size / statistics.median(times) * 1000


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    main()
