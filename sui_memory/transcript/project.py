"""Which project a conversation belongs to: its repository, or the folder it was held in."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

UNKNOWN = "unknown"

_AGENT_WORKTREE = re.compile(r"/\.claude/worktrees/[^/]+.*\Z")
"""Where Claude Code puts its own worktrees; tells the repository even after the worktree is gone."""


@lru_cache(maxsize=4096)
def project_of(cwd: str | None) -> str:
    """Return the path that names the project of a working directory.

    That is the folder of the repository's common git directory, so that all worktrees are one
    project; without a repository, or when the folder is gone, the working directory itself.
    """
    if not cwd:
        return UNKNOWN
    cwd = _AGENT_WORKTREE.sub("", cwd)
    try:
        root = _repository(Path(cwd))
    except OSError:
        root = None
    return str(root) if root else cwd.rstrip("/") or "/"


def _repository(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return place
        if git.is_file():
            return _of_worktree(git) or place
    return None


def _of_worktree(pointer: Path) -> Path | None:
    """Follow the `.git` file of a worktree to the main folder; a submodule is a project of its own."""
    text = pointer.read_text(errors="replace").strip()
    if not text.startswith("gitdir:"):
        return None
    private = (pointer.parent / text.removeprefix("gitdir:").strip()).resolve()
    common = private / "commondir"
    if not common.is_file():
        return None
    shared = (private / common.read_text(errors="replace").strip()).resolve()
    return shared.parent if shared.name == ".git" else shared
