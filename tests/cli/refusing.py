"""A daemon whose program was taken away: it listens, and can do nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.builders import CommandLine


@contextmanager
def refusing_daemon(user: CommandLine) -> Iterator[None]:
    """Have a process in the daemon's place that answers every request with an error, until it is ended."""
    user.home.mkdir(mode=0o700, exist_ok=True)
    program = (
        "import fcntl, os, socket\n"
        "lock = open('daemon.lock', 'w'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "lock.write(f'{os.getpid()}\\n'); lock.flush()\n"
        "server = socket.socket(socket.AF_UNIX); server.bind('daemon.sock'); server.listen()\n"
        "os.chmod('daemon.sock', 0o600); print(flush=True)\n"
        "while True:\n"
        "    peer, _ = server.accept(); peer.recv(1 << 16)\n"
        '    peer.sendall(b\'{"error": "That could not be done."}\\n\'); peer.close()\n'
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=user.home, stdout=subprocess.PIPE, env=user.environment()
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()
