"""What the documents say is so: their commands run, and their tables leave nothing out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from sui_memory.app import open_app, utc_now
from sui_memory.cli import COMMANDS
from sui_memory.config import Settings, load_settings
from sui_memory.demo import sessions_dir
from sui_memory.recall import Prompt

ROOT = Path(__file__).parents[1]
READMES = ("README.md", "README.ja.md")
DOCUMENTS = (*READMES, "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/dependencies.md")

INSTALLING = ("pip install uv && uv run ", "uv tool install . && ", "uv tool install --force . && ")
"""What stands before a command that is run without it: it needs a network."""

NOT_RUN = {
    "uv tool uninstall sui-memory": "would uninstall",
    "sui-memory uninstall --purge": "asks first",
    "sui-memory forget --session ID": "names no session",
    "uv tool install '.[ruri]'": "installs",
    "sui-memory model download ruri-30m": "needs a network",
    "uv run pytest": "is this very run",
    ".ci/run": "runs this",
}
"""Commands of the READMEs that no test can run, and why."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`(sui-memory [^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def fences(name: str, *languages: str) -> list[str]:
    return [body for language, body in _FENCE.findall(text(name)) if language in languages]


def commands(name: str) -> list[str]:
    """Return every command of a document: the lines of consoles, and what stands between backticks."""
    lines = "".join(fences(name, "console", "sh")).splitlines()
    spans = _SPAN.findall(_FENCE.sub("", text(name)))
    return [*(line.removeprefix("$ ") for line in lines if line.startswith("$ ")), *spans]


def without_installing(command: str) -> str:
    return next((command.removeprefix(part) for part in INSTALLING if command.startswith(part)), command)


ALL_COMMANDS = sorted({without_installing(command) for name in READMES for command in commands(name)})


def environment(home: Path) -> dict[str, str]:
    """Return an environment with a home of its own, and `sui-memory` on the search path."""
    return {
        "PATH": f"{home / 'bin'}:{os.environ.get('PATH', '')}",
        "HOME": str(home),
        "SUI_MEMORY_MODEL": "none",
        "HF_HUB_OFFLINE": "1",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        env=environment(home),
        cwd=home,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="session")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose transcripts, those of the demo, are archived and exported."""
    home = tmp_path_factory.mktemp("lived_in")
    shutil.copytree(sessions_dir(), home / ".claude" / "projects")
    program = home / "bin" / "sui-memory"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sui_memory "$@"\n')
    program.chmod(0o755)
    (home / "memo").mkdir()
    (home / "memo" / "2026-05-01.md").write_text("# 潮位\n\n基準は T.P. にした。\n", encoding="utf-8")
    assert run("sui-memory backfill && sui-memory export memories.jsonl", home).returncode == 0
    _ask(home, "鍵の場所は？")
    return home


def _ask(home: Path, prompt: str) -> None:
    """Answer a prompt, so that there is something to explain."""
    with open_app(Settings(home / ".sui-memory", model="none")) as app:
        answer = app.answer(Prompt(prompt, "a session", utc_now()), "UserPromptSubmit", None, None)
        app.store.ledger.record(answer.injection)


@pytest.mark.parametrize("command", [command for command in ALL_COMMANDS if command not in NOT_RUN])
def test_every_command_of_the_readmes_runs(command: str, lived_in: Path, tmp_path: Path):
    home = shutil.copytree(lived_in, tmp_path / "home")
    try:
        done = run(command, home)
    finally:
        if (home / ".sui-memory" / "daemon.sock").exists():
            run("sui-memory daemon stop", home)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_not_run_is_still_written_somewhere():
    assert set(NOT_RUN) <= set(ALL_COMMANDS)
    assert all(part in text(name) for part in INSTALLING for name in READMES)


def test_both_readmes_name_the_same_commands():
    first, second = (sorted(set(commands(name))) for name in READMES)
    assert first == second


@pytest.mark.parametrize("name", READMES)
def test_every_command_stands_in_the_table_with_an_example(name: str):
    rows = dict(re.findall(r"^\| `([\w-]+)` \|.*\| `(sui-memory [^`]+)` \|$", text(name), re.MULTILINE))
    assert list(rows) == list(COMMANDS)
    assert all(example.split()[1] == command for command, example in rows.items())


@pytest.mark.parametrize("name", READMES)
def test_every_setting_stands_in_the_table_with_its_default(name: str):
    rows = re.findall(r"^\| `(\w+)` \| `(SUI_MEMORY_\w+)` \| `([^`]+)` \|", text(name), re.MULTILINE)
    settings = [field for field in fields(Settings) if field.name != "home"]
    assert [
        (key, variable, tomllib.loads(f"value = {default}")["value"]) for key, variable, default in rows
    ] == [(field.name, f"SUI_MEMORY_{field.name.upper()}", field.default) for field in settings]
    assert "`SUI_MEMORY_HOME`" in text(name)
    assert "`CLAUDE_CONFIG_DIR`" in text(name)


@pytest.mark.parametrize("name", READMES)
def test_every_example_of_settings_can_be_loaded(name: str, tmp_path: Path):
    examples = fences(name, "toml")
    assert examples
    for example in examples:
        (tmp_path / "config.toml").write_text(example, encoding="utf-8")
        load_settings({"SUI_MEMORY_HOME": str(tmp_path)})


def test_the_blocks_of_the_readmes_are_what_the_demo_shows(lived_in: Path):
    shown = run("sui-memory demo", lived_in).stdout
    blocks = [block for name in READMES for fence in fences(name, "text") for block in fence.split("\n\n")]
    assert len(blocks) > len(READMES)
    for block in blocks:
        assert block.strip() in shown


def test_every_dependency_has_its_reason():
    project = tomllib.loads(text("pyproject.toml"))
    extras = project["project"].get("optional-dependencies", {})
    wanted = [
        *project["project"]["dependencies"],
        *(requirement for group in extras.values() for requirement in group),
        *(requirement for group in project["dependency-groups"].values() for requirement in group),
        *project["build-system"]["requires"],
    ]
    names = {re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in wanted} - {"sui-memory"}
    reasons = re.findall(r"^\| `([\w.-]+)` \| \S", text("docs/dependencies.md"), re.MULTILINE)
    assert names <= set(reasons)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_to_a_file(name: str):
    links = {link for link in _LINK.findall(text(name)) if "://" not in link}
    there = {link for link in links if (ROOT / name).parent.joinpath(link).exists()}
    assert links - there == set()
