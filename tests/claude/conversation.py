"""A talk with the client on its terminal: what a person types, and when it is time to go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.claude.terminal import CTRL_U, ENTER, LIMIT, Terminal, wait_until

if TYPE_CHECKING:
    from tests.claude.laboratory import Laboratory

_ECHO_LIMIT = 3.0
"""Seconds in which a key that was taken shows: one that was pressed too early is lost, and pressed again."""


class Conversation:
    """A client on its terminal."""

    def __init__(self, lab: Laboratory, terminal: Terminal) -> None:
        self.terminal = terminal
        self._lab = lab

    def ask(self, prompt: str) -> None:
        """Type a prompt and return when its answer is finished, and so are the hooks behind it."""
        answered = len(self._lab.events("Stop"))
        self.begin(prompt)
        wait_until(
            lambda: len(self._lab.events("Stop")) > answered and self._is_idle(),
            lambda: f"the end of the answer; {self.terminal}",
        )

    def begin(self, prompt: str) -> None:
        """Type a prompt and return when the client has taken it."""
        self.command(prompt, done="UserPromptSubmit")

    def exit(self) -> None:
        """Leave by the slash command, and see the client end."""
        self._type("/exit")
        self._enter(lambda: self.terminal.process.poll() is not None)

    def command(self, words: str, done: str) -> None:
        """Type something and return when the hooks of the event `done` have been called once more."""
        before = len(self._lab.events(done))
        self._type(words)
        self._enter(lambda: len(self._lab.events(done)) > before)

    def _is_idle(self) -> bool:
        at_work = any("hooks/stop.py" in process.command for process in self._lab.processes())
        return self.terminal.is_still() and not at_work

    def _type(self, text: str) -> None:
        """Type until it shows: keys are lost before the client listens."""
        for _ in range(int(LIMIT / _ECHO_LIMIT)):
            before = len(self.terminal.shown)
            self.terminal.send(text)
            if _holds(lambda at=before: self.terminal.shows(text[:20], at)):
                return
            self.terminal.send(CTRL_U)
        self.terminal.wait_for(text[:20], before)

    def _enter(self, seen: Callable[[], bool]) -> None:
        """Press Enter until it has an effect; right behind a text it would be taken for a part of it."""
        wait_until(self.terminal.is_still, lambda: f"stillness; {self.terminal}")
        for _ in range(int(LIMIT / _ECHO_LIMIT)):
            self.terminal.send(ENTER)
            if _holds(seen):
                return
        raise AssertionError(f"Enter has no effect; {self.terminal}")


def _holds(condition: Callable[[], bool]) -> bool:
    """Say whether a condition comes to hold soon."""
    try:
        wait_until(condition, "", _ECHO_LIMIT)
    except AssertionError:
        return False
    return True
