"""Pictures and sounds: copied from a file into the archive, so that they outlive it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from sui_memory.errors import UsageError
from sui_memory.mind.allowed import Redact, number
from sui_memory.mind.ports import Ports
from sui_memory.store.kept import KeptMemory, Medium, Note
from sui_memory.text import clean

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 20_000_000
"""Of one file: a photograph or a quarter of an hour of speech; the archive is one file that is backed up."""

MOST_PIXELS = 64_000_000
"""Of a picture that a thumbnail is made of: decoded it takes 256 MB. Pillow itself warns from 89 million."""

THUMBNAIL = 256
"""Pixels of a thumbnail's longer side."""

_NAME = 200
_M4A = (b"M4A ", b"M4B ")  # brands that are nothing but sound
_MP4 = (b"mp42", b"isom", b"iso2", b"mp41", b"dash")  # brands of films, too


def picture(path: str | Path, *, redact: Redact) -> Medium:
    """Return a picture read from a file, with a thumbnail if Pillow is installed."""
    data, name = _read(Path(path).expanduser())
    mime = _picture_type(data)
    if mime is None:
        raise UsageError(f"{clean(str(path))} is no picture that is kept: PNG, JPEG, GIF and WebP are.")
    return Medium("picture", mime, _stored_name(name, redact), data, thumbnail(data, clean(str(path))))


def sound(path: str | Path, *, redact: Redact) -> Medium:
    """Return a sound read from a file."""
    data, name = _read(Path(path).expanduser())
    mime = _sound_type(data, name)
    if mime is None:
        raise UsageError(f"{clean(str(path))} is no sound that is kept: WAV, MP3, Ogg, FLAC and M4A are.")
    return Medium("audio", mime, _stored_name(name, redact), data)


def with_transcript(content: str, transcript: str) -> str:
    """Return the text of a sound: what it is, and what is said in it."""
    return f"{content}\n\n{transcript}" if content.strip() and transcript.strip() else content


def positioned(note: Note, position: tuple[float, float] | None) -> Note:
    """Return the note of a picture with the position of its camera, (pan, tilt) in degrees."""
    if position is None:
        return note
    pan, tilt = position
    return replace(note, pan_angle=_angle(pan, "The pan angle"), tilt_angle=_angle(tilt, "The tilt angle"))


def seen_from(pan: float, tilt: float, tolerance: float, *, ports: Ports) -> list[KeptMemory]:
    """Return the pictures taken from about there, the nearest first; none that is at rest."""
    return ports.store.kept.seen_from(
        _angle(pan, "The pan angle"),
        _angle(tilt, "The tilt angle"),
        number(tolerance, 0, 360, "The tolerance"),
    )


def _angle(degrees: float, name: str) -> float:
    return number(degrees, -360, 360, name)


def _stored_name(name: str, redact: Redact) -> str:
    return redact(clean(name))[0][:_NAME]


def _read(path: Path) -> tuple[bytes, str]:
    """Return the bytes of a regular file and its name. A link is refused, be it put there meanwhile."""
    try:
        _require_regular(os.lstat(path), path)
        # Should it have become a pipe, opening must not wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            _require_regular(os.fstat(descriptor), path)
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{clean(str(path))} cannot be read: {reason}.") from error
    if len(data) > MOST_BYTES:
        raise UsageError(_too_large(path))
    return data, path.name


def _require_regular(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
        raise UsageError(f"{clean(str(path))} is {kind}: only regular files are kept.")
    if status.st_size > MOST_BYTES:
        raise UsageError(_too_large(path))


def _too_large(path: Path) -> str:
    return (
        f"{path} is larger than {MOST_BYTES // 1_000_000} MB: make it smaller, or keep where it is as text."
    )


def _picture_type(data: bytes) -> str | None:
    """Return the type of a picture by its first bytes."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _sound_type(data: bytes, name: str) -> str | None:
    """Return the type of a sound by its first bytes; a film's container must be named as a sound."""
    rules: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("audio/wav", lambda: data[:4] == b"RIFF" and data[8:12] == b"WAVE"),
        ("audio/ogg", lambda: data.startswith(b"OggS")),
        ("audio/flac", lambda: data.startswith(b"fLaC")),
        ("audio/mpeg", lambda: data.startswith(b"ID3") or _is_mpeg_frame(data)),
        ("audio/mp4", lambda: data[4:8] == b"ftyp" and _is_sound_brand(data[8:12], name)),
    )
    return next((mime for mime, holds in rules if holds()), None)


def _is_mpeg_frame(data: bytes) -> bool:
    """Say whether it begins with a frame of layer III: 11 bits of sync, the layer 01 (ISO/IEC 11172-3)."""
    return len(data) > 1 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2


def _is_sound_brand(brand: bytes, name: str) -> bool:
    return brand in _M4A or (brand in _MP4 and name.lower().endswith((".m4a", ".m4b")))


def thumbnail(data: bytes, path: str) -> bytes | None:
    """Return a PNG of at most 256 pixels a side; None without Pillow. What is no sound picture is refused."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        return None
    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if image.width * image.height > MOST_PIXELS:
                raise UsageError(f"{path} has {image.width} × {image.height} pixels: too many to look at.")
            image.draft("RGB", (THUMBNAIL, THUMBNAIL))
            small = ImageOps.exif_transpose(image)
            small.thumbnail((THUMBNAIL, THUMBNAIL))
            return _png(small)
    except UsageError:
        raise
    # Decoders of broken files raise what they like, from SyntaxError to struct.error.
    except Exception as error:
        raise UsageError(f"{path} cannot be read as a picture: {error}.") from error


def _png(image: Image.Image) -> bytes:
    """Return a picture as PNG, without anything that its file said of it."""
    out = BytesIO()
    image.convert("RGBA" if image.has_transparency_data else "RGB").save(out, "PNG")
    return out.getvalue()
