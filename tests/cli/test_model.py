from __future__ import annotations

import fcntl
import os
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from tests.builders import LIBRARY, CommandLine, Turn

FAKE_ID = "fake-words-v1"


@pytest.fixture
def free(cli: CommandLine) -> CommandLine:
    """A small archive without vectors, whose model is up to its config.toml."""
    cli.archive()
    return CommandLine(cli.root, model=None)


def by_name(found: dict) -> dict[str, dict]:
    return {model["name"]: model for model in found["models"]}


def test_every_model_is_listed_with_what_it_lacks(archive: CommandLine):
    found = archive("model", "--json").json
    models = by_name(found)
    assert {"use", "e5", "ruri", "ruri-130m", "ruri-70m", "ruri-30m"} <= set(models)
    assert models["use"]["at_hand"]
    assert not models["ruri"]["at_hand"]
    assert models["ruri"]["bytes"] > 10**9
    assert models["use"]["dim"] == 512


def test_the_model_of_the_archive_is_listed_with_its_vectors(archive: CommandLine):
    found = archive("model", "--json").json
    fake = by_name(found)["fake"]
    assert found["chosen"] == "fake"
    assert found["resolved"] == fake["model_id"]
    assert (fake["chosen"], fake["active"], fake["pending"]) == (True, True, 0)
    assert fake["vectors"] >= 6


def test_a_person_sees_a_table(archive: CommandLine):
    lines = archive("model").out.splitlines()
    assert lines[0].split()[:4] == ["model", "state", "size", "vectors"]
    assert any(line.startswith("ruri ") and "1.3 GB" in line for line in lines)
    assert lines[-1].startswith("The settings choose fake")


def test_using_a_model_writes_the_setting_and_makes_the_vectors(free: CommandLine):
    done = free("model", "use", "fake")
    assert tomllib.loads((free.home / "config.toml").read_text())["model"] == "fake"
    assert "vectors were made" in done.err
    (model,) = free("stats", "--json").json["models"]
    assert (model["active"], model["pending"]) == (True, 0)
    assert "The archive already had its vectors" in free("model", "use", "fake").err


def test_using_no_model_leaves_words(free: CommandLine):
    free("model", "use", "fake")
    assert "words" in free("model", "use", "none").err
    found = free("search", "返却期限", "--json").json
    assert found["model"] is None
    assert found["hits"]


def test_other_settings_are_kept(free: CommandLine):
    config = free.home / "config.toml"
    config.write_text('# mine\nmodel = "none"\nhalf_life_days = 60\n')
    free("model", "use", "fake")
    assert config.read_text() == '# mine\nmodel = "fake"\nhalf_life_days = 60\n'


def test_an_unknown_model_changes_nothing(free: CommandLine):
    assert "There is no model 'quatsch'" in free("model", "use", "quatsch", code=1).err
    assert not (free.home / "config.toml").exists()


@pytest.mark.parametrize("command", ["use", "export"])
def test_a_model_that_is_not_here_is_refused_with_what_to_do(free: CommandLine, command: str):
    done = free("model", command, "ruri-30m", code=1)
    assert "Error: The model ruri-30m" in done.err
    assert "`" in done.err
    assert free.ids("返却期限")


def test_a_download_without_network_is_one_sentence_and_the_archive_goes_on(free: CommandLine):
    done = free("model", "download", "ruri-30m", code=1)
    assert done.err.count("\n") == 1
    expected = "cannot be downloaded" if find_spec("huggingface_hub") else "needs huggingface_hub"
    assert expected in done.err
    assert free.ids("返却期限")


def test_what_comes_with_its_package_needs_no_download_and_no_export(free: CommandLine):
    assert "nothing to download" in free("model", "download", "use", code=1).err
    assert "cannot be exported" in free("model", "export", "fake", code=1).err


def test_a_model_in_the_environment_is_pointed_out(free: CommandLine):
    done = free("model", "use", "fake", SUI_MEMORY_MODEL="none")
    assert "SUI_MEMORY_MODEL=none in the environment still wins" in done.err


def test_a_missing_folder_is_named(free: CommandLine):
    assert "There is no model folder /nowhere" in free("model", "use", "/nowhere", code=1).err


def test_a_model_that_is_gone_leaves_words(free: CommandLine):
    (free.home / "config.toml").write_text('model = "/gone"\n')
    assert free.ids("返却期限")
    done = free("model", "--json")
    assert done.json["resolved"] is None
    assert "/gone" in done.err


MANY = replace(LIBRARY, turns=tuple(Turn(f"質問 {n} は？", f"答え {n} です。") for n in range(150)))
"""More passages than two batches hold."""


@contextmanager
def embedding_elsewhere(cli: CommandLine) -> Iterator[None]:
    """Hold the lock of a process that makes vectors."""
    folder = os.open(cli.home, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(folder)


def start(cli: CommandLine, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        cli.command(*arguments),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=cli.environment(),
        cwd=cli.root,
    )


def read_until(process: subprocess.Popen[str], words: str) -> None:
    """Read stderr up to a line with these words."""
    assert process.stderr
    assert any(words in line for line in process.stderr)


@pytest.mark.parametrize(
    "command",
    [("model", "use", "fake", "--wait"), ("backfill", "--wait"), ("model", "embed", "--background")],
)
def test_vectors_are_made_when_the_other_process_has_ended(free: CommandLine, command: tuple[str, ...]):
    (free.home / "config.toml").write_text('model = "fake"\n')
    with embedding_elsewhere(free):
        process = start(free, *command)
        read_until(process, "Waiting for another process")
        assert free("stats", "--json").json["models"] == []
    process.communicate(timeout=60)
    assert process.returncode == 0
    (model,) = free("stats", "--json").json["models"]
    assert (model["model_id"], model["active"], model["pending"]) == ("fake", True, 0)


def test_what_was_chosen_while_a_process_waited_is_what_it_makes(free: CommandLine):
    (free.home / "config.toml").write_text('model = "use"\n')
    with embedding_elsewhere(free):
        process = start(free, "model", "embed", "--background")
        read_until(process, "Waiting for another process")
        (free.home / "config.toml").write_text('model = "fake"\n')
    process.communicate(timeout=60)
    assert [model["model_id"] for model in free("stats", "--json").json["models"]] == ["fake"]


def test_a_change_of_the_model_stops_the_process_that_fills_the_old_one(cli: CommandLine):
    """Whatever moment the change comes at, the new model is the one that is complete and answers."""
    cli.archive(MANY)
    free = CommandLine(cli.root, model=None)
    (free.home / "config.toml").write_text('model = "use"\n')
    old = start(free, "model", "embed")
    with open_app(Settings(cli.home)) as app:
        while not app.store.models() and old.poll() is None:
            time.sleep(0.01)
    free("model", "use", "fake", "--wait")
    old.communicate(timeout=60)
    assert old.returncode == 0
    (model,) = free("stats", "--json").json["models"]
    assert (model["model_id"], model["active"], model["pending"]) == ("fake", True, 0)


def changing(before: Settings, after: Settings, reads: int) -> Callable[[], Settings]:
    """Return what reads `before` so many times, and `after` from then on."""
    times = iter([before] * reads)
    return lambda: next(times, after)


def test_no_batch_of_a_model_that_is_no_longer_chosen_is_kept(cli: CommandLine):
    cli.archive(MANY)
    fake = Settings(cli.home, model="fake")
    with open_app(fake) as app:
        assert app.embed(latest=changing(fake, Settings(cli.home, model="none"), reads=2)) == 64
        (row,) = app.store.models()
        assert (row.vectors, row.pending) == (64, 86)
        assert not app.is_embedding()
        app.settings = fake
        assert app.embed() == 86


def test_the_lock_is_given_back_whatever_happens_under_it(cli: CommandLine):
    cli.archive()
    with open_app(Settings(cli.home, model="fake")) as app:

        def fail(done: int, total: int) -> None:
            assert app.is_embedding()
            raise BlockingIOError

        with pytest.raises(BlockingIOError):
            app.embed(fail)
        assert not app.is_embedding()
