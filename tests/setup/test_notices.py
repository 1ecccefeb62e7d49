from __future__ import annotations

from pathlib import Path

import pytest

from sui_memory.setup.handlers import Launcher
from sui_memory.setup.notices import notices

ROOT = Path(__file__).parents[2]
INSTALLED = "/opt/app/lib/sui_memory/hooks"


@pytest.fixture(autouse=True)
def _content_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of Claude Code that nothing has to be said about."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "settings.json").write_text('{"cleanupPeriodDays": 3650}')


def test_of_an_installation_nothing_is_said():
    assert list(notices(Launcher("/opt/app/bin/python", INSTALLED))) == []


def test_hooks_that_run_from_a_checkout_are_told_as_such():
    (said,) = notices(Launcher("/code/app/.venv/bin/python", str(ROOT / "hooks")))
    assert said.startswith(f"The hooks run from the checkout at {ROOT}: after moving or deleting it")
    assert "`uv tool install .`" in said


def test_an_interpreter_that_will_be_cleaned_up_is_told_with_the_way_to_stay():
    (said,) = notices(Launcher("/tmp/try/bin/python", str(ROOT / "hooks")))
    assert "is cleaned up" in said
    assert "`uv tool install .` in a checkout" in said


def test_what_the_plugin_runs_is_not_judged():
    assert list(notices(None)) == []
