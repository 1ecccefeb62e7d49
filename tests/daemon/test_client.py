from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sui_memory.daemon.client import is_kept

HOOKS = Path(__file__).parents[2] / "hooks"
NAMES = (
    "HOME", "PATH", "LANG", "LC_ALL", "TZ", "XDG_CACHE_HOME", "SUI_MEMORY_MODEL", "OMP_NUM_THREADS",
    "HF_HOME", "HF_HUB_OFFLINE", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_MESSAGING_TOKEN", "ANTHROPIC_API_KEY",
    "PYTHONPATH", "LD_PRELOAD", "HTTPS_PROXY", "AWS_SECRET_ACCESS_KEY", "UV_CACHE_DIR", "SHELL",
)  # fmt: skip


def test_hooks_and_command_line_give_the_daemon_the_same_of_the_environment():
    program = f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import _client; " + (
        f"print(*(name for name in {NAMES!r} if _client._is_passed(name.encode())))"
    )
    shown = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == [name for name in NAMES if is_kept(name)]
    assert not any("TOKEN" in name or "KEY" in name for name in shown.stdout.split())
