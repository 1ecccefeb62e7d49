"""The daemon's place in the home folder: its lock, its socket, and whether they are still its own."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import struct
import threading
import time
from pathlib import Path

from sui_memory.config import Settings
from sui_memory.errors import DaemonError

SOCKET_NAME = "daemon.sock"
LOCK_NAME = "daemon.lock"
LOG_NAME = "daemon.log"
_BACKLOG = 128
_PAUSE_SECONDS = 0.02
_ASKING_SECONDS = 0.1  # who only asks whether there is a daemon holds the lock for a moment
_LEAVING_SECONDS = 8.0  # one without a socket is just starting, and will soon have one, or is about to end
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # <sys/un.h> of macOS and the BSDs


_Identity = tuple[int, int] | None
"""Device and inode of a file; None when there is none."""


class Place:
    """One daemon for each home folder: held by a lock that goes with the process.

    The process enters the home folder, because the path of a socket may have only some 100 bytes.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._lock = -1
        self._socket_inode = 0
        self._settling = threading.Lock()
        self._database: tuple[Path, _Identity] | None = None

    def take(self) -> bool:
        """Become the daemon of this home folder; False when another process is."""
        _make_private(self.home)
        os.chdir(self.home)
        self._lock = _open_lock(self.home / LOCK_NAME)
        if not _locked(self._lock):
            os.close(self._lock)
            return False
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
        return True

    def listen(self) -> socket.socket:
        """Return the listening socket, 0600. One that a killed daemon left is replaced, anything else not."""
        _remove_left_behind(Path(SOCKET_NAME))
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(SOCKET_NAME)
        finally:
            os.umask(before)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        self._socket_inode = os.stat(SOCKET_NAME).st_ino
        return listener

    def settle(self, database: Path) -> None:
        """Serve this database file, which was just opened, and no other; raises `DaemonError` for another.

        SQLite keeps one index of the log for all connections of a process to a path. A second file there,
        opened while the first one is held, would share the first one's, and both would be damaged.
        """
        with self._settling:
            found = _identity(database)
            if self._database is None:
                self._database = database, found
        if self._database != (database, found):
            raise DaemonError(f"{database} is another file than before.")

    def is_ours(self) -> bool:
        """Say whether clients that look for a daemon here still find this one, with its database."""
        return self._has_socket() and (
            self._database is None or _identity(self._database[0]) == self._database[1]
        )

    def hide(self) -> None:
        """Take the socket away, so that the next client starts another daemon, which waits for the lock."""
        if self._has_socket():
            os.unlink(self.home / SOCKET_NAME)

    def _has_socket(self) -> bool:
        try:
            return os.stat(self.home / SOCKET_NAME).st_ino == self._socket_inode
        except OSError:
            return False

    def leave(self) -> None:
        """Let the place go, and leave no process id behind that will be another's one day."""
        self.hide()
        os.ftruncate(self._lock, 0)
        os.close(self._lock)


def _identity(path: Path) -> _Identity:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DaemonError(
            f"{path} cannot be opened as a file ({error.strerror}): move it away; it was left as it is."
        ) from error


def _locked(handle: int) -> bool:
    """Take the lock, waiting for a daemon that is about to end; False when there is one that stays."""
    started = time.monotonic()
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            patience = _ASKING_SECONDS if os.path.exists(SOCKET_NAME) else _LEAVING_SECONDS
            if time.monotonic() - started > patience:
                return False
            time.sleep(_PAUSE_SECONDS)
        else:
            return True


def _make_private(home: Path) -> None:
    try:
        if not home.is_dir():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            home.chmod(0o700)
    except OSError as error:
        raise DaemonError(
            f"{home} cannot be made ({error.strerror}): set SUI_MEMORY_HOME to another folder."
        ) from error
    if home.stat().st_uid != os.geteuid():
        raise DaemonError(f"{home} belongs to another user: set SUI_MEMORY_HOME to a folder of your own.")


def _remove_left_behind(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise DaemonError(f"{path.absolute()} is no socket: move it away; it was left as it is.")
    path.unlink()


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end, as the kernel knows it."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    # struct xucred: version, uid, number of groups, groups
    credentials = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
    return int(struct.unpack_from("II", credentials)[1])


def lock_holder(settings: Settings) -> int | None:
    """Return the process id of the daemon of this home, answering or not; None when there is none."""
    try:
        handle = os.open(settings.home / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        written = os.pread(handle, 32, 0).strip()
        return int(written) if written.isdigit() else None
    finally:
        os.close(handle)
    return None
