"""Settings: defaults, then the file, then the environment; every mistake is named."""

import pytest

from sui_memory.config import load_settings, save_setting
from sui_memory.errors import SettingsError


@pytest.fixture(name="home")
def home_fixture(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def settings_of(home, **environment):
    return load_settings({"SUI_MEMORY_HOME": str(home), **environment})


def test_without_a_file_the_defaults_hold(home):
    settings = settings_of(home)
    assert (settings.model, settings.fusion, settings.half_life_days) == ("auto", "blend", 30.0)
    assert settings.database == home / "memory.db"


def test_the_environment_wins_over_the_file(home):
    (home / "config.toml").write_text('model = "use"\nhalf_life_days = 60\n')
    settings = settings_of(home, SUI_MEMORY_MODEL="none", SUI_MEMORY_THREADS="3")
    assert (settings.model, settings.half_life_days, settings.threads) == ("none", 60.0, 3)


def test_without_a_home_it_is_in_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings({}).home == tmp_path / ".sui-memory"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("modle = 'use'", "'modle'"),  # an unknown key
        ("fusion = 'magic'", "fusion"),  # a choice that does not exist
        ("half_life_days = 0", "half_life_days"),  # a number out of range
        ("half_life_days = 'soon'", "half_life_days"),  # no number
        ("threads = -1", "threads"),
        ("model = ", "config.toml"),  # no TOML
    ],
)
def test_a_mistake_in_the_file_names_the_file_and_the_key(home, text, named):
    (home / "config.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"config\.toml") as caught:
        settings_of(home)
    assert named in str(caught.value)


def test_a_mistake_in_the_environment_is_named_as_such(home):
    with pytest.raises(SettingsError, match="the environment: decay"):
        settings_of(home, SUI_MEMORY_DECAY="sometimes")


@pytest.mark.parametrize("value", ["ruri-30m", r"C:\models\ruri", 'a "quoted" folder', "/モデル/ruri"])
def test_a_saved_setting_is_read_again(home, value):
    save_setting(settings_of(home), "model", value)
    assert settings_of(home).model == value


def test_saving_keeps_every_other_line(home):
    (home / "config.toml").write_text("# mine\nmodel = 'use'\ndecay = 'off'\n")
    save_setting(settings_of(home), "model", "none")
    assert (home / "config.toml").read_text() == "# mine\nmodel = \"none\"\ndecay = 'off'\n"


def test_the_file_is_for_its_owner_only(home):
    save_setting(settings_of(home), "model", "none")
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"cannot be (read|written)"):
        save_setting(settings_of(tmp_path / "file"), "model", "none")
