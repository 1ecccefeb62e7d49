"""The nine tenths of a transcript that nobody said: tool output, signatures, prompts of the tool, images."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.corpus_records import Fields, Transcript
from benchmarks.corpus_text import Prose, Topic

# Tool results in characters: p50 454, p90 4,900, maximum 84,231 in 24,230 real ones. Log-normal.
_RESULT_MEDIAN, _RESULT_SIGMA, _RESULT_MAX = 454, 1.856, 84_231
# Thinking in characters: p50 200, p90 1,585; its signature p50 488, p90 2,436 (measured on 575 blocks).
_THINKING_MEDIAN, _THINKING_SIGMA, _THINKING_MAX = 200, 1.6, 30_000
_SIGNATURE_MEDIAN, _SIGNATURE_SIGMA = 360, 1.25
# Characters of prefabricated output, from which results are cut. Larger than a session, so that the
# same stretch seldom comes twice in one.
_POOL_SIZE = 3_000_000
# prompt_snapshot has 57 to 64 KB, api-request-shape 40 KB, skill_listing about 8 KB.
_SNAPSHOT_SIZE, _SHAPE_SIZE, _SKILLS_SIZE = (57_000, 64_000), 40_000, 8_000
_IMAGE_BYTES = (60_000, 300_000)


@dataclass(frozen=True, slots=True)
class Mix:
    """How much machinery there is.

    `tools` is the mean number of tool calls in a turn (11.5 in real agentic sessions), `result_max` the
    longest tool result in characters; `bare` leaves out everything but questions and answers.
    """

    tools: float = 11.5
    result_max: int = _RESULT_MAX
    wire_copies: bool = True
    progress: bool = True
    bare: bool = False


FULL = Mix()
LEAN = Mix(tools=2.0, result_max=3_000, wire_copies=False, progress=False)
SHORT = Mix(tools=0.0, wire_copies=False, progress=False, bare=True)


class Machinery:
    """Makes what surrounds a conversation. The same seed gives the same pool of output."""

    def __init__(self, seed: str, mix: Mix) -> None:
        rng = Random(f"{seed}:machinery")
        size = 1_000 if mix.bare else _POOL_SIZE
        self.mix = mix
        self._output = _pool(rng, size, lambda prose, length: prose.output(length))
        self._english = _pool(rng, size // 6, lambda prose, length: prose.thinking(length))

    def result(self, rng: Random) -> str:
        """Return the output of a tool."""
        length = min(self.mix.result_max, rng.lognormvariate(0, _RESULT_SIGMA) * _RESULT_MEDIAN)
        return _cut(rng, self._output, int(length))

    def thinking(self, rng: Random) -> Fields:
        """Return a thinking block with its signature."""
        length = int(min(_THINKING_MAX, rng.lognormvariate(0, _THINKING_SIGMA) * _THINKING_MEDIAN))
        return {"type": "thinking", "thinking": _cut(rng, self._english, length), "signature": signature(rng)}

    def english(self, rng: Random, length: int) -> str:
        """Return `length` characters of English prose."""
        return _cut(rng, self._english, length)

    def start(self, out: Transcript, rng: Random) -> None:
        """Write what Claude Code writes when a session starts or is resumed."""
        if self.mix.bare:
            return
        era = out.header.era
        if era.progress:
            _hook_progress(out, "SessionStart")
        if not era.attachments:
            return
        out.loose("mode", {"type": "mode", "mode": "normal", "sessionId": out.header.session})
        out.loose(
            "permission-mode",
            {"type": "permission-mode", "permissionMode": "default", "sessionId": out.header.session},
        )
        out.attachment(
            "hook_success", hookName="SessionStart:startup", hookEvent="SessionStart", content="ok"
        )
        skills = self._fixed(out, "skills", _SKILLS_SIZE)
        out.attachment("skill_listing", content=skills, skillCount=40, isInitial=True)
        if era.wire_copies and self.mix.wire_copies:
            self._snapshot(out, rng)

    def turn_started(self, out: Transcript) -> None:
        """Write what Claude Code writes beside a question."""
        if self.mix.bare or out.head is None:
            return
        snapshot = {"messageId": out.head, "trackedFileBackups": {}, "timestamp": out.stamp()}
        record = {"type": "file-history-snapshot", "messageId": out.head, "snapshot": snapshot}
        out.loose("file-history-snapshot", record | {"isSnapshotUpdate": False})

    def tool_running(self, out: Transcript, rng: Random, tool_use: str) -> None:
        """Write what appears between a tool's call and its result."""
        if not (out.header.era.progress and self.mix.progress):
            return
        _hook_progress(out, "PreToolUse", tool_use)
        if rng.random() < 0.2:
            for second in range(2, rng.randint(3, 8)):
                text = _cut(rng, self._output, 400)
                out.progress(
                    "bash_progress", tool_use, output=text, fullOutput=text, elapsedTimeSeconds=second
                )

    def turn_over(self, out: Transcript, rng: Random, question: str) -> None:
        """Write what Claude Code writes when the assistant has stopped."""
        if self.mix.bare:
            return
        era, session = out.header.era, out.header.session
        if not out.header.version.startswith("1."):
            out.system(
                "stop_hook_summary",
                hookCount=1,
                hookInfos=[{"command": "notify-send done"}],
                hookErrors=[],
                preventedContinuation=False,
                level="suggestion",
            )
        if out.header.version >= "2.1" and rng.random() < 0.6:
            out.system("turn_duration", durationMs=rng.randint(2_000, 400_000), isMeta=False)
        if era.attachments:
            out.loose(
                "last-prompt", {"type": "last-prompt", "lastPrompt": question[:200], "sessionId": session}
            )
        if era.wire_copies and self.mix.wire_copies:
            self._wire_copy(out, rng, question)

    def _snapshot(self, out: Transcript, rng: Random) -> None:
        size = rng.randint(*_SNAPSHOT_SIZE)
        out.attachment("environment", content=self.english(rng, 700))
        out.attachment("prompt_snapshot", system=self._fixed(out, "system", size), tools=[])
        shape = {"hash": f"{rng.getrandbits(64):016x}", "tools": self._fixed(out, "shape", _SHAPE_SIZE)}
        out.loose("api-request-shape", {"type": "api-request-shape", "sessionId": out.header.session} | shape)

    def _wire_copy(self, out: Transcript, rng: Random, question: str) -> None:
        """Write the wire messages: the prompt and the injected context once more, and nobody's words."""
        name = f"{rng.getrandbits(64):016x}"
        context = f"<system-reminder>\n{self._fixed(out, 'context', 9_000)}\n</system-reminder>"
        content = [{"type": "text", "text": context}, {"type": "text", "text": question}]
        message = {"role": "user", "content": content}
        out.loose("api-request-blob", {"type": "api-request-blob", "hash": name, "message": message})
        out.loose("api-request", {"type": "api-request", "blobs": [name], "sessionId": out.header.session})
        out.loose("cost-state", {"type": "cost-state", "sessionId": out.header.session, "usd": rng.random()})

    def _fixed(self, out: Transcript, what: str, size: int) -> str:
        """Return a text that is the same for every session of one version."""
        return _cut(Random(f"{what}:{out.header.version}"), self._english, size)


def signature(rng: Random) -> str:
    """Return a base64 signature, such as thinking carries."""
    return b64encode(rng.randbytes(int(rng.lognormvariate(0, _SIGNATURE_SIGMA) * _SIGNATURE_MEDIAN))).decode()


def image(rng: Random) -> Fields:
    """Return an image block of some hundred kilobytes."""
    data = b64encode(b"\x89PNG\r\n\x1a\n" + rng.randbytes(rng.randint(*_IMAGE_BYTES))).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _hook_progress(out: Transcript, event: str, tool_use: str = "") -> None:
    out.progress("hook_progress", tool_use, hookEvent=event, hookName=event, command="~/.claude/hooks/log.sh")


def _pool(rng: Random, size: int, write: Callable[[Prose, int], str]) -> str:
    stretches = (Prose(rng, "mixed", Topic.draw(rng, 12), Topic.draw(rng, 40)) for _ in range(20))
    return "\n".join(write(prose, size // 20) for prose in stretches)


def _cut(rng: Random, pool: str, length: int) -> str:
    start = int(rng.random() * max(1, len(pool) - length))
    return pool[start : start + length]
