"""What setting up and taking out change in a settings file: planned first, then carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from sui_memory.setup.failure import SetupError
from sui_memory.setup.handlers import is_ours
from sui_memory.setup.settings_file import SettingsFile, as_text
from sui_memory.setup.splice import Group, has_just, own_groups, with_hooks, without_hooks


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a settings file from `before` to `after`; None stands for no file."""

    file: SettingsFile
    before: bytes | None
    after: bytes | None

    @property
    def is_empty(self) -> bool:
        """Say that the file is already as it should be."""
        return self.before == self.after

    def diff(self) -> str:
        """Return the change as `diff -u` would show it."""
        source, target = (
            "/dev/null" if content is None else str(self.file.path) for content in (self.before, self.after)
        )
        lines = unified_diff(_lines(self.before), _lines(self.after), source, target)
        return "".join(_with_ends(lines))


def installation(file: SettingsFile, groups: Mapping[str, Group], *others: Mapping[str, Group]) -> Edit:
    """Return the change that brings the hooks in, or up to date; `SetupError` if it cannot be made.

    Where one of the `others` is in place, it stays.
    """
    before = file.read()
    text = _text(file, before)
    with _naming(file.path):
        if any(has_just(text, each, is_ours) for each in others):
            return Edit(file, before, before)
        after = with_hooks(text, groups, is_ours)
        return Edit(file, before, _as_bytes(after) if after != text else before)


def adjustment(file: SettingsFile, change: Callable[[str], str]) -> Edit:
    """Return a change of a file that is there; `SetupError` if it cannot be made."""
    before = file.read()
    if before is None:
        return Edit(file, None, None)
    text = _text(file, before)
    with _naming(file.path):
        after = change(text)
    return Edit(file, before, _as_bytes(after) if after != text else before)


def removal(file: SettingsFile) -> Edit:
    """Return the change that takes the hooks out.

    Where nothing else was changed since they came in, this gives back the very bytes, or the absence, of
    before; else only our own entries go.
    """
    before = file.read()
    if before is None:
        return Edit(file, None, None)
    text = _text(file, before)
    with _naming(file.path):
        groups = own_groups(text, is_ours)
        if not groups:
            return Edit(file, before, before)
        kept = file.read_backup()
        if text == _made_of(file, kept, groups):
            return Edit(file, before, kept)
        return Edit(file, before, _as_bytes(without_hooks(text, is_ours)))


def install(edit: Edit) -> None:
    """Carry out an installation: what is there without hooks of ours is kept beside the file first."""
    if edit.is_empty:
        return
    is_first = edit.before is None or not own_groups(_text(edit.file, edit.before), is_ours)
    if is_first:
        edit.file.keep(edit.before)
    try:
        edit.file.replace(edit.before, edit.after)
    except SetupError:
        if is_first:
            edit.file.keep(None)
        raise


def remove(edit: Edit) -> None:
    """Carry out a removal; what was kept beside the file goes, and so does a folder that is empty then."""
    if not edit.is_empty:
        edit.file.replace(edit.before, edit.after)
    edit.file.keep(None)
    if edit.after is None and not edit.is_empty:
        with suppress(OSError):
            edit.file.path.parent.rmdir()


def _made_of(file: SettingsFile, kept: bytes | None, groups: Mapping[str, Group]) -> str:
    """Return what setting up makes of a file that held `kept`."""
    return with_hooks(_text(file, kept), groups, is_ours)


def _text(file: SettingsFile, content: bytes | None) -> str:
    return "" if content is None else as_text(file.path, content)


def _as_bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SetupError("the path of sui-memory is not UTF-8: install it in another folder") from error


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Give an error about the text of a file the file's name."""
    try:
        yield
    except SetupError as error:
        raise SetupError(f"{path} was left alone: {error}.") from error


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)


def _with_ends(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of a diff, the last of a file marked when it has no end."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
