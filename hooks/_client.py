"""One event of Claude Code, as bytes, to the daemon's socket; the daemon's answer, as bytes, to stdout.

Whatever goes wrong, the process ends with 0 and says nothing: no memory is better than a broken prompt.
What is imported is what a bare interpreter (`python -I -S`) holds already, and `_socket`: `os` would add
1 ms to its 7, `socket` another 7. Python 3.8 is enough, because a plugin takes the one that it finds.

Arguments of every script, both optional: the interpreter that can run the daemon, and the home folder.
"""

import sys
from time import sleep

try:
    import _signal  # type: ignore[import-not-found]
    import _socket
    import posix
except ImportError:  # Windows: no Unix sockets in Python there
    sys.exit(0)

VERSION = b"0.1.0"
"""Of the package: the daemon is told."""

_ASK_SECONDS = 0.7  # of a person who waits for the prompt to go; enough for a daemon to start in
_TELL_SECONDS = 0.3  # nobody reads an answer: Claude Code ends a SessionEnd hook after 1.5 s
_PRINT_SECONDS = 2.0  # half a line of JSON would be taken for plain text: let the reader have it whole
_POLL_SECONDS = 0.005
_CHUNK_BYTES = 65_536  # what a pipe holds
_BODY_BYTES = 8 * 1_048_576  # the protocol's limit
_REPLY_BYTES = 65_536  # 9,000 UTF-16 units, each escaped to six bytes, and the JSON around them
_WORD_BYTES = 64

# Anything else stays here: the environment of a hook holds a token of Claude Code's, and API keys.
_PASSED = frozenset(
    b"HOME PATH LANG LANGUAGE TZ TMPDIR USER LOGNAME LD_LIBRARY_PATH PYENV_ROOT PYENV_VERSION UV_CACHE_DIR "
    b"CLAUDE_CONFIG_DIR HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE".split()
)
_PASSED_PREFIXES = (b"LC_", b"XDG_", b"SUI_MEMORY_", b"OPENBLAS_", b"OMP_")
_GOODBYES = (_signal.SIGHUP, _signal.SIGINT)  # a terminal that closes: before 2.1.332 hooks get them, too
_SWITCHES_OFF = (b"SUI_MEMORY_DISABLE", b"SUI_MEMORY_CHILD", b"CLAUDE_CODE_SKIP_PROMPT_HISTORY")


def ask(event: bytes, *, wait: bool = False) -> None:
    """Print what the daemon answers and end the process; `wait` for a daemon that has to be started first."""
    try:
        _begin(_ASK_SECONDS)
        _print(_reply(_send(_request(event), wait)))
    finally:  # before any traceback is written
        posix._exit(0)


def tell(event: bytes) -> None:
    """Send the event to the daemon and end the process without an answer."""
    try:
        _begin(_TELL_SECONDS)
        _send(_request(event), wait=False)
    finally:
        posix._exit(0)


def home_folder() -> bytes:
    """Return `$SUI_MEMORY_HOME`, else the second argument, else `~/.sui-memory`, as an absolute path."""
    home = posix.environ.get(b"SUI_MEMORY_HOME") or _argument(2) or b"~/.sui-memory"
    user = posix.environ.get(b"HOME", b"")
    if user and home.startswith(b"~/"):  # without the import below, which takes 1 ms
        home = user.rstrip(b"/") + home[1:]
    elif home.startswith(b"~"):
        from posixpath import expanduser

        home = expanduser(home)
    return home if home.startswith(b"/") else posix.getcwdb() + b"/" + home


def _argument(number: int) -> bytes:
    chosen = sys.argv[number] if number < len(sys.argv) else ""
    return chosen.encode(sys.getfilesystemencoding(), "surrogateescape")


def _begin(seconds: float) -> None:
    """End at once where memory is not wanted, else after some seconds, whatever may hang until then."""
    if any(posix.environ.get(name, b"0") not in (b"", b"0") for name in _SWITCHES_OFF):
        posix._exit(0)
    for number in _GOODBYES:
        _signal.signal(number, _signal.SIG_IGN)
    _signal.signal(_signal.SIGALRM, lambda *_: posix._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _request(event: bytes) -> bytes:
    lines = [b"sui-memory 1 hook", b"event " + event, b"client " + VERSION]
    pid = posix.environ.get(b"CLAUDE_PID", b"")[:_WORD_BYTES]
    entry = posix.environ.get(b"CLAUDE_CODE_ENTRYPOINT", b"")[:_WORD_BYTES]
    if pid.isdigit():
        lines.append(b"pid " + pid)
    if entry.replace(b"-", b"").isalnum():
        lines.append(b"entry " + entry)
    return b"\n".join([*lines, b"", _stdin()])


def _stdin() -> bytearray:
    """Return one line: its end has to be seen, because the end of the file may never come."""
    line = bytearray()
    while len(line) <= _BODY_BYTES:
        chunk = posix.read(0, _CHUNK_BYTES)
        line += chunk
        if not chunk or chunk.endswith(b"\n"):  # inside JSON a newline is written \n
            break
    if not 0 < len(line) <= _BODY_BYTES:
        raise ValueError
    return line


def _send(request: bytes, wait: bool) -> "_socket.socket":
    daemon = _daemon(wait)
    daemon.sendall(request)
    daemon.shutdown(_socket.SHUT_WR)
    return daemon


def _daemon(wait: bool) -> "_socket.socket":
    """Return a connection; where nobody listens, start the daemon."""
    home = home_folder()
    try:
        return _connect(home)
    except (FileNotFoundError, ConnectionRefusedError):
        if _argument(1):
            posix.stat(home)  # setup made it: whoever deleted it since does not want it made anew
        child = _start(home)
    while wait and not _failed(child):
        sleep(_POLL_SECONDS)
        try:
            return _connect(home)
        except (FileNotFoundError, ConnectionRefusedError):
            continue
    raise ConnectionRefusedError


def _connect(home: bytes) -> "_socket.socket":
    posix.chdir(home)  # a socket's path may have some 100 bytes only
    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.connect("daemon.sock")
    return daemon


def _failed(child: int) -> bool:
    try:
        return posix.waitpid(child, posix.WNOHANG)[1] != 0
    except ChildProcessError:  # it ended well, and was seen to: another daemon was quicker
        return False


def _start(home: bytes) -> int:
    """Start the daemon by the first command there is, and return its process id."""
    environment = {name: value for name, value in posix.environ.items() if _is_passed(name)}
    environment.update({b"SUI_MEMORY_CHILD": b"1", b"SUI_MEMORY_HOME": home})
    posix.chdir("/")
    posix.closerange(3, 256)  # Python's own are not inherited, but others' may be
    for command in _commands():
        try:
            return _spawn(command, environment)
        except OSError:  # not installed
            continue
    raise FileNotFoundError


def _is_passed(name: bytes) -> bool:
    return name in _PASSED or name.startswith(_PASSED_PREFIXES)


def _commands() -> "list[list[bytes]]":
    interpreter = _argument(1)
    if interpreter:
        return [[interpreter, b"-P", b"-m", b"sui_memory", b"daemon", b"run"]]
    root = (
        __file__.rpartition("/")[0].rpartition("/")[0].encode(sys.getfilesystemencoding(), "surrogateescape")
    )
    command = [b"sui-memory", b"daemon", b"run"]
    return [command, [b"uv", b"run", b"--project", root, b"--no-dev", b"--quiet", *command]]


def _spawn(command: "list[bytes]", environment: "dict[bytes, bytes]") -> int:
    """Start a process that has nothing to do with this one; `OSError` if there is no such command."""
    name = command[0]
    ignored = [_signal.SIGPIPE, _signal.SIGXFSZ, *_GOODBYES]  # the first two by Python; children would, too
    null = [(posix.POSIX_SPAWN_OPEN, number, "/dev/null", posix.O_RDWR, 0) for number in range(3)]
    try:
        return posix.posix_spawnp(
            name, command, environment, file_actions=null, setsigdef=ignored, setsid=True
        )
    except NotImplementedError:  # macOS before 10.15
        return posix.posix_spawnp(
            name, command, environment, file_actions=null, setsigdef=ignored, setpgroup=0
        )


def _reply(daemon: "_socket.socket") -> bytes:
    """Return a whole answer, or nothing: one without a newline at its end was cut off."""
    reply = b""
    while len(reply) <= _REPLY_BYTES:
        chunk = daemon.recv(_CHUNK_BYTES)
        if not chunk:
            return reply if reply.endswith(b"\n") else b""
        reply += chunk
    return b""


def _print(reply: bytes) -> None:
    _signal.setitimer(_signal.ITIMER_REAL, _PRINT_SECONDS)
    while reply:
        reply = reply[posix.write(1, reply) :]
