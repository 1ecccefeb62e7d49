from __future__ import annotations

import tomllib
from importlib.util import find_spec

import pytest

from tests.builders import CommandLine

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
    assert "needs no export" in free("model", "export", "fake", code=1).err


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
