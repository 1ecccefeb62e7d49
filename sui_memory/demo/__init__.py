"""A small made-up archive for the newcomer's first minute: seven sessions in three projects."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask the demo, and a text that the recalled memory must contain; `None`: recall nothing."""

    prompt: str
    expects: str | None


QUESTIONS = (
    Question("認証トークンの期限はどう決めたっけ？", "リフレッシュトークンの期限は 7 日"),
    Question("貸出データに SQLite を選んで PostgreSQL をやめた理由は？", "面倒を見る人がいない"),
    Question("鍵の場所は？", "/etc/pan/jwt.key"),
    Question("database is locked を直した方法", "BEGIN IMMEDIATE"),
    Question("What did we call the group of readings between two low tides?", "TideWindow"),
    Question("週末に観る映画のおすすめは？", None),
)


def sessions_dir() -> Path:
    """Return the folder of the demo's sessions, laid out like `~/.claude/projects`."""
    return Path(str(files(__name__) / "sessions"))
