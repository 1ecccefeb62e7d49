from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from sui_memory.setup.edit import install, installation, removal, remove
from sui_memory.setup.failure import SetupError
from sui_memory.setup.handlers import Launcher
from sui_memory.setup.settings_file import SettingsFile

GROUPS = Launcher("/opt/app/bin/python", "/opt/app/sui_memory/hooks").groups()
MOVED = Launcher("/code/app/.venv/bin/python", "/code/app/hooks", without_shell=True).groups()
THEIRS = b"""{
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command",  "command": "say"}]}]
  }
}"""
LAYOUTS = {
    "two spaces": b'{\n  "model": "opus"\n}\n',
    "no newline at the end": b'{\n  "model": "opus"\n}',
    "tabs": b'{\n\t"a": [1, 2],\n\t"model": "opus"\n}\n',
    "windows line ends": b'{\r\n    "model": "opus"\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{\r\n  "model": "opus"\r\n}',
    "one line": b'{"model":"opus","permissions":{"allow":["Bash(ls:*)"]}}',
    "an empty object": b"{}",
    "spaces in an empty object": b"{ }\n",
    "nothing at all": b"",
    "empty hooks": b'{\n  "hooks": {}\n}\n',
    "hooks of another tool": THEIRS,
    "all of Unicode": '{\n  "motd": "日本語 🎉 \\ud83c\\udf89 \\u2028 é"\n}\n'.encode(),
}


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    (tmp_path / "claude").mkdir()
    return SettingsFile(tmp_path / "claude" / "settings.json")


def put_in(file: SettingsFile) -> None:
    install(installation(file, GROUPS))


def hooks_in(file: SettingsFile) -> list[str]:
    return list(json.loads(file.path.read_text(encoding="utf-8-sig"))["hooks"])


@pytest.mark.parametrize("content", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_taking_out_gives_back_the_very_bytes(file: SettingsFile, content: bytes):
    file.path.write_bytes(content)
    put_in(file)
    assert set(hooks_in(file)) == set(GROUPS)
    remove(removal(file))
    assert file.path.read_bytes() == content
    assert list(file.path.parent.iterdir()) == [file.path]


def test_a_file_and_a_folder_that_were_not_there_are_gone_again(tmp_path: Path):
    file = SettingsFile(tmp_path / "made" / "settings.json")
    put_in(file)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    remove(removal(file))
    assert list(tmp_path.iterdir()) == []


def test_what_was_changed_since_stays_and_only_the_hooks_go(file: SettingsFile):
    file.path.write_bytes(THEIRS)
    put_in(file)
    file.path.write_bytes(file.path.read_bytes().replace(b'"opus"', b'"haiku"'))
    remove(removal(file))
    assert file.path.read_bytes() == THEIRS.replace(b'"opus"', b'"haiku"')
    assert not file.backup.exists()


def test_a_second_installation_changes_nothing(file: SettingsFile):
    file.path.write_bytes(THEIRS)
    put_in(file)
    before = file.path.stat()
    again = installation(file, GROUPS)
    assert again.is_empty
    assert again.diff() == ""
    install(again)
    assert file.path.stat() == before
    assert file.backup.read_bytes() == THEIRS


def test_a_moved_installation_replaces_its_hooks_and_still_gives_the_bytes_back(file: SettingsFile):
    file.path.write_bytes(THEIRS)
    put_in(file)
    install(installation(file, MOVED))
    assert "/opt/app" not in file.path.read_text()
    assert file.backup.read_bytes() == THEIRS
    remove(removal(file))
    assert file.path.read_bytes() == THEIRS


def test_what_was_kept_is_renewed_when_the_hooks_were_taken_out_by_hand(file: SettingsFile):
    file.path.write_bytes(b"{}")
    put_in(file)
    file.path.write_bytes(THEIRS)
    put_in(file)
    remove(removal(file))
    assert file.path.read_bytes() == THEIRS


def test_taking_out_twice_or_what_is_not_there_is_no_error(file: SettingsFile):
    remove(removal(file))
    assert not file.path.exists()
    file.path.write_bytes(THEIRS)
    remove(removal(file))
    assert file.path.read_bytes() == THEIRS


def test_the_difference_is_shown_as_diff_shows_it(file: SettingsFile):
    file.path.write_bytes(b'{"model": "opus"}')
    shown = installation(file, GROUPS).diff()
    assert shown.startswith(f"--- {file.path}\n+++ {file.path}\n")
    assert '-{"model": "opus"}\n\\ No newline at end of file\n+{"model": "opus", "hooks"' in shown
    assert file.path.read_bytes() == b'{"model": "opus"}'
    file.path.unlink()
    assert installation(file, GROUPS).diff().startswith("--- /dev/null\n")


def test_a_link_into_a_folder_of_dotfiles_stays_a_link(file: SettingsFile, tmp_path: Path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    target = dotfiles / "claude.json"
    target.write_bytes(THEIRS)
    file.path.symlink_to(target)
    put_in(file)
    assert file.path.is_symlink()
    assert b"session_end.py" in target.read_bytes()
    assert list(dotfiles.iterdir()) == [target]
    remove(removal(file))
    assert file.path.is_symlink()
    assert target.read_bytes() == THEIRS


def test_a_link_to_nothing_yet_stays_a_link(file: SettingsFile, tmp_path: Path):
    target = tmp_path / "dotfiles" / "claude.json"
    file.path.symlink_to(target)
    put_in(file)
    assert target.is_file()
    remove(removal(file))
    assert file.path.is_symlink()
    assert not target.exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_permissions_stay_as_they_are(file: SettingsFile, mode: int):
    file.path.write_bytes(THEIRS)
    file.path.chmod(mode)
    put_in(file)
    assert stat.S_IMODE(file.path.stat().st_mode) == mode
    assert stat.S_IMODE(file.backup.stat().st_mode) == mode


def test_a_change_by_another_program_meanwhile_is_not_overwritten(file: SettingsFile):
    file.path.write_bytes(THEIRS)
    planned = installation(file, GROUPS)
    file.path.write_bytes(b'{"model": "haiku"}')
    with pytest.raises(SetupError, match="just been changed"):
        install(planned)
    assert file.path.read_bytes() == b'{"model": "haiku"}'
    assert list(file.path.parent.iterdir()) == [file.path]


def test_a_file_that_appeared_meanwhile_is_not_overwritten(file: SettingsFile):
    planned = installation(file, GROUPS)
    file.path.write_bytes(THEIRS)
    with pytest.raises(SetupError, match="just been changed"):
        install(planned)
    assert file.path.read_bytes() == THEIRS


def make_a_folder(path: Path) -> None:
    path.mkdir()


def make_a_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_a_circle(path: Path) -> None:
    path.symlink_to(path)


def make_latin_1(path: Path) -> None:
    path.write_bytes('{\n"motd": "café"}'.encode("latin-1"))


def make_a_comment(path: Path) -> None:
    path.write_bytes(b'{\n  // why\n  "a": 1\n}')


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_a_folder, "not a regular file"),
        (make_a_pipe, "not a regular file"),
        (make_a_circle, "cannot be read"),
        (make_latin_1, r"not UTF-8 \(line 2\)"),
        (make_a_comment, "was left alone: it has a comment on line 2"),
    ],
)
def test_what_cannot_be_changed_is_refused_by_name_and_left_alone(file: SettingsFile, make, reason: str):
    make(file.path)
    before = file.path.lstat()
    for plan in (lambda: installation(file, GROUPS), lambda: removal(file)):
        with pytest.raises(SetupError, match=reason) as refused:
            plan()
        assert str(file.path) in str(refused.value)
        assert str(refused.value).count("\n") == 0
    assert file.path.lstat() == before
    assert list(file.path.parent.iterdir()) == [file.path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("is_folder", [True, False], ids=["folder", "file"])
def test_what_may_not_be_written_is_refused_and_left_alone(file: SettingsFile, is_folder: bool):
    file.path.write_bytes(THEIRS)
    locked = file.path.parent if is_folder else file.path
    locked.chmod(0o500 if is_folder else 0o400)
    try:
        with pytest.raises(SetupError, match="written"):
            put_in(file)
        assert file.path.read_bytes() == THEIRS
        assert list(file.path.parent.iterdir()) == [file.path]
    finally:
        locked.chmod(0o700)
