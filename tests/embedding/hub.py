"""A model hub on loopback that serves one folder, as far as `huggingface_hub` asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """Serves `folder` as the repository `name`; `asked` are the paths that were asked for.

    With `cut_after`, the connection breaks after that many bytes of the weights.
    """

    def __init__(self, folder: Path, name: str, cut_after: int | None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.name, self.cut_after = folder, name, cut_after
        self.asked: list[str] = []
        self.endpoint = f"http://127.0.0.1:{self.server_port}"
        self.files = {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }


@contextmanager
def serving(folder: Path, name: str, *, cut_after: int | None = None) -> Iterator[Hub]:
    hub = Hub(folder, name, cut_after)
    thread = Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body: bool):
        hub = self.server
        path = self.path.partition("?")[0]
        hub.asked.append(path)
        _, resolved, file = path.partition(f"/{hub.name}/resolve/{COMMIT}/")
        if resolved:
            self.send_file(file, body=body)
        elif path.startswith(f"/api/models/{hub.name}/tree/"):
            self.send_json([_tree_entry(name, data) for name, data in hub.files.items()])
        elif path.startswith(f"/api/models/{hub.name}"):
            siblings = [{"rfilename": name, "size": len(data)} for name, data in hub.files.items()]
            self.send_json({"id": hub.name, "sha": COMMIT, "siblings": siblings})
        else:
            self.send_response(404)
            if path.startswith("/api/models/"):
                self.send_header("X-Error-Code", "RepoNotFound")
            self.end_headers()

    def send_json(self, value: object):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_file(self, name: str, *, body: bool):
        data = self.server.files[name]
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        self.send_response(206 if start else 200)
        self.send_header("ETag", f'"{sha1(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(data) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if body:
            cut = self.server.cut_after if name.endswith(".safetensors") else None
            self.wfile.write(data[start:] if cut is None else data[start : start + cut])

    def log_message(self, *args: object):
        pass


def _tree_entry(name: str, data: bytes):
    return {"type": "file", "path": name, "size": len(data), "oid": sha1(data).hexdigest()}
