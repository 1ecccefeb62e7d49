"""What the hooks are made of, and what has to agree with the rest of the project."""

import json
import subprocess
import sys
import tomllib

import pytest

from tests.hooks.stage import HOOKS, SECONDS, daemon

ROOT = HOOKS.parent
TOOL_SCRIPT = "pre_tool_use"
"""Of an event that the plugin does not hook: only who has a lesson about a tool pays for it."""

BARE = {"_signal", "posix", "time"}
"""Built into the interpreter: they cost nothing."""

EVENTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "Stop": "stop",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
}

LISTING = """
import posix, sys
before = set(sys.modules)
leave = posix._exit

def _exit(status):
    posix.write(1, " ".join(set(sys.modules) - before).encode())
    leave(status)

posix._exit = _exit
sys.argv, __file__ = sys.argv[1:], sys.argv[1]
exec(compile(open(__file__, encoding="utf-8").read(), __file__, "exec"))
"""

HOMES = """
import sys
sys.path[:0] = [{hooks!r}, {root!r}]
import os
import _client
from sui_memory.config import home_folder
print(os.fsencode(home_folder(os.environ)) == os.path.normpath(_client.home_folder()), _client.home_folder())
"""


def printed(program, *arguments, flags=("-I", "-S"), **options):
    options = {"stdin": subprocess.DEVNULL, "env": {}, **options}
    words = [sys.executable, *flags, "-c", program, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, timeout=SECONDS, check=True, **options).stdout.decode()


@pytest.mark.parametrize("listens", [True, False])
@pytest.mark.parametrize("script", [*EVENTS.values(), TOOL_SCRIPT])
def test_a_hook_loads_nothing_but_its_client_and_sockets(tmp_path, script, listens):
    given = {"stdin": None, "input": b"{}\n", "env": {"SUI_MEMORY_HOME": str(tmp_path / "home"), "HOME": "/"}}
    if listens:
        with daemon(tmp_path / "home", lambda *_: None):
            loaded = printed(LISTING, HOOKS / f"{script}.py", **given)
    else:
        loaded = printed(LISTING, HOOKS / f"{script}.py", "/no/python", **given)
    assert set(loaded.split()) - BARE == {"_client", "_socket"}


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"HOME": "/home/mio"}, id="nothing chosen"),
        pytest.param({"HOME": "/home/mio/"}, id="a slash at the end"),
        pytest.param({"HOME": "/"}, id="the root"),
        pytest.param({}, id="no user's folder"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": ""}, id="an empty choice"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": "/code/記憶 の 家"}, id="a folder"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": "~"}, id="the user's folder"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": "~/memory"}, id="below the user's folder"),
        pytest.param({"SUI_MEMORY_HOME": "~/memory"}, id="below a folder that is looked up"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": "~root/memory"}, id="another user's"),
        pytest.param({"HOME": "/home/mio", "SUI_MEMORY_HOME": "memory/~"}, id="below where we are"),
    ],
)
def test_hooks_and_package_agree_where_the_home_is(tmp_path, environment):
    program = HOMES.format(hooks=str(HOOKS), root=str(ROOT))
    same, found = printed(program, flags=(), env=environment, cwd=tmp_path).split(maxsplit=1)
    assert same == "True", found


def test_hooks_package_and_plugin_have_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    program = (
        f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import _client; print(_client.VERSION.decode())"
    )
    assert printed(program).strip() == version
    assert read(".claude-plugin/plugin.json")["version"] == version


def test_the_plugin_hooks_every_event_to_its_script():
    hooks = read("hooks/hooks.json")["hooks"]
    commands = {event: entry["hooks"][0]["command"] for event, (entry,) in hooks.items()}
    assert commands == {
        # 2, with which Python ends when the file is gone, would keep Claude Code from sending the prompt.
        event: f'python3 -I -S "${{CLAUDE_PLUGIN_ROOT}}/hooks/{script}.py" || exit 0'
        for event, script in EVENTS.items()
    }
    assert {path.stem for path in HOOKS.glob("[a-z]*.py")} == {*EVENTS.values(), TOOL_SCRIPT}


def test_old_versions_understand_all_that_the_plugin_says():
    handlers = [entry["hooks"][0] for (entry,) in read("hooks/hooks.json")["hooks"].values()]
    assert {key for handler in handlers for key in handler} == {"type", "command", "timeout"}
    assert "hooks" not in read(".claude-plugin/plugin.json")  # the file is found without; twice is an error


def test_the_marketplace_offers_this_folder():
    (plugin,) = read(".claude-plugin/marketplace.json")["plugins"]
    assert (plugin["name"], plugin["source"]) == (read(".claude-plugin/plugin.json")["name"], "./")


def read(name):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))
