"""Generate a `~/.claude/projects` tree that looks like a developer's last eighteen months.

    python -m benchmarks.corpus OUT_DIR --sessions 2000 --exchanges 7000 --seed 1

Same arguments, same bytes. Shares and sizes follow counts over 817 published transcript files; where a
module of the corpus names a number, it is from there. All text is invented.
"""

from __future__ import annotations

import json
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from benchmarks.corpus_machinery import FULL, LEAN, SHORT, Machinery, Mix
from benchmarks.corpus_records import Header, Tally, Transcript, era_at, uuid4
from benchmarks.corpus_session import Conversation
from benchmarks.corpus_text import Prose, Topic

_FOLDERS = (
    "/Users/hana/開発/家計簿",
    "/home/ken/src/zaiko-api",
    "/Users/hana/code/予約サイト",
    "/home/ken/src/compiler",
    "/Users/hana/開発/図書館",  # Claude Code's folder name for this one equals the first's
    "/home/ken/infra",
    "/Users/hana/code/karte web",
    "/home/ken/games/迷宮",
    "/srv/batch_reports",
    "/Users/hana/dotfiles",
    "/home/ken/src/search.engine",
    "/Users/hana/code/給与計算/server",
)
_LANGUAGES, _LANGUAGE_WEIGHTS = ("ja", "en", "mixed"), (0.6, 0.2, 0.2)
_FORK_SHARE = 0.04
_AUTOMATED_EVERY = 40  # sessions to one that a program held through the SDK


@dataclass(frozen=True, slots=True)
class Spec:
    """What to generate. `sessions` and `exchanges` count what a person took part in."""

    sessions: int = 2_000
    exchanges: int = 7_000
    seed: int = 1
    mix: Mix = FULL
    days: int = 545
    until: datetime = datetime(2026, 11, 28, tzinfo=UTC)

    def __post_init__(self) -> None:
        """Raise `ValueError` if some session would have no exchange."""
        if not 0 < self.sessions <= self.exchanges:
            raise ValueError(f"{self.exchanges} exchanges cannot fill {self.sessions} sessions.")


@dataclass(frozen=True, slots=True)
class Summary:
    """What was generated. Conversation is questions, follow-ups and answers of the main exchanges, once each.

    `records` has count and bytes for each kind of record; `seconds` is the time it took.
    """

    files: int
    bytes: int
    exchanges: int
    sidechain_exchanges: int
    automated_exchanges: int
    conversation_chars: int
    conversation_bytes: int
    seconds: float
    records: dict[str, tuple[int, int]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Project:
    cwd: str
    topic: Topic


def generate(out: Path, spec: Spec) -> Summary:
    """Write the tree below `out` (the stand-in for `~/.claude/projects`), one session in memory at a time."""
    began = time.perf_counter()
    writer = _Writer(out, spec)
    for number, (turns, start) in enumerate(_plan(spec)):
        writer.session(number, turns, start)
        if (
            number % _AUTOMATED_EVERY == _AUTOMATED_EVERY - 1
            and not spec.mix.bare
            and era_at(start).attachments
        ):
            writer.automated(number, start)
    return _summary(writer.tally, time.perf_counter() - began)


def _plan(spec: Spec) -> Iterator[tuple[int, datetime]]:
    """Yield the number of exchanges and the start of each session: many short ones, few long ones."""
    rng = Random(f"{spec.seed}:plan")
    spread = 0.0 if spec.mix.bare else 1.0
    weights = [rng.lognormvariate(0, spread) for _ in range(spec.sessions)]
    # The more recent the denser, as the use of such a tool grows.
    ages = sorted((rng.random() ** 1.4 for _ in range(spec.sessions)), reverse=True)
    extra, total = spec.exchanges - spec.sessions, sum(weights)
    passed = 0.0
    for weight, age in zip(weights, ages, strict=True):
        before, passed = passed, passed + weight
        turns = 1 + round(extra * passed / total) - round(extra * before / total)
        yield turns, spec.until - timedelta(days=1 + age * spec.days)


class _Writer:
    """Writes sessions of the projects below `out`."""

    def __init__(self, out: Path, spec: Spec) -> None:
        rng = Random(f"{spec.seed}:projects")
        self.tally = Tally()
        self._out, self._spec = out, spec
        self._projects = [_Project(cwd, Topic.draw(rng, 40)) for cwd in _FOLDERS]
        self._machinery = Machinery(str(spec.seed), spec.mix)

    def session(self, number: int, turns: int, start: datetime) -> None:
        """Write a session of `turns` exchanges; in some the last one is in a fork."""
        rng = Random(f"{self._spec.seed}:{number}")
        project = rng.choices(self._projects, weights=range(len(self._projects), 0, -1))[0]
        out = self._transcript(project.cwd, start, rng)
        speaker = self._speaker(out, project, rng)
        self._machinery.start(out, rng)
        fork = turns > 2 and not self._spec.mix.bare and rng.random() < _FORK_SHARE
        for _ in range(turns - fork):
            speaker.turn()
        out.close()
        if fork:
            self._fork(out, speaker)

    def automated(self, number: int, start: datetime) -> None:
        """Write a session that a program held: nobody's conversation."""
        rng = Random(f"{self._spec.seed}:{number}:automated")
        out = self._transcript("/home/ken/.observer", start, rng)
        out.header = replace(out.header, entrypoint="sdk-py")
        Conversation(out, self._prose(self._projects[0], rng), self._machinery, rng, Tally()).automated()
        out.close()
        self.tally.automated_exchanges += 1

    def _fork(self, out: Transcript, speaker: Conversation) -> None:
        session = out.uuid()
        path = out.path.with_name(f"{session}.jsonl")
        twin = out.fork(path, session, fresh_uuids=out.header.version.startswith("1."))
        speaker.move_to(twin)
        speaker.turn()
        twin.close()

    def _transcript(self, cwd: str, start: datetime, rng: Random) -> Transcript:
        era, session = era_at(start), uuid4(rng)
        branch = rng.choice(("main", "main", "develop", "fix/login"))
        header = Header(session, cwd, branch, rng.choice(era.versions), "quiet-amber-lake", era)
        folder = self._out / re.sub(r"[^A-Za-z0-9]", "-", cwd)
        return Transcript(folder / f"{session}.jsonl", header, start, rng, self.tally)

    def _speaker(self, out: Transcript, project: _Project, rng: Random) -> Conversation:
        return Conversation(out, self._prose(project, rng), self._machinery, rng, self.tally)

    def _prose(self, project: _Project, rng: Random) -> Prose:
        language = rng.choices(_LANGUAGES, weights=_LANGUAGE_WEIGHTS)[0]
        return Prose(rng, language, Topic.draw(rng, 10), project.topic, brief=self._spec.mix.bare)


def _summary(tally: Tally, seconds: float) -> Summary:
    return Summary(
        files=tally.files,
        bytes=sum(tally.sizes.values()),
        exchanges=tally.exchanges,
        sidechain_exchanges=tally.sidechain_exchanges,
        automated_exchanges=tally.automated_exchanges,
        conversation_chars=tally.conversation_chars,
        conversation_bytes=tally.conversation_bytes,
        seconds=round(seconds, 1),
        records={kind: (count, tally.sizes[kind]) for kind, count in tally.records.most_common()},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Generate as the command line says, and print the summary as JSON."""
    options = _options(arguments)
    mix = SHORT if options.short else LEAN if options.lean else FULL
    spec = Spec(options.sessions, options.exchanges, options.seed, mix)
    print(json.dumps(asdict(generate(options.out, spec)), indent=1))


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.corpus", description="Generate a tree of transcripts.")
    parser.add_argument("out", type=Path, help="folder to write to, the stand-in for ~/.claude/projects")
    parser.add_argument("--sessions", type=int, default=2_000)
    parser.add_argument("--exchanges", type=int, default=7_000)
    parser.add_argument("--seed", type=int, default=1)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--lean", action="store_true", help="little machinery, about 20 KB an exchange")
    size.add_argument("--short", action="store_true", help="questions and answers only")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
