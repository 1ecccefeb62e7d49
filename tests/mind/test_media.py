from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from io import BytesIO

import pytest

from sui_memory.errors import UsageError
from sui_memory.mind import media
from sui_memory.store.kept import Slept
from tests.builders import SECRET


def png(width=4, height=3, rows=None):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"".join(b"\0" + b"\x20\x80\xff" * width for _ in range(height)) if rows is None else rows
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "view.png"
    path.write_bytes(png())
    return path


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "voice.wav"
    path.write_bytes(WAV)
    return path


def test_a_picture_outlives_its_file(mind, picture):
    kept = mind.save_visual("灯台が見える", picture, (30.0, -5.0), "moved", 4)
    data = picture.read_bytes()
    picture.unlink()
    medium = mind.medium(kept.id)
    assert (medium.kind, medium.mime, medium.name, medium.data) == ("picture", "image/png", "view.png", data)
    assert (kept.note.pan_angle, kept.note.tilt_angle, kept.note.importance) == (30.0, -5.0, 4)
    assert mind.search("灯台")[0].memory.id == kept.id


def test_a_sound_is_found_by_what_is_said_in_it_and_no_secret_is_kept(mind, sound):
    kept = mind.save_audio("ミオの伝言", str(sound), f"明日の灯台見学は九時。鍵は {SECRET}", "happy")
    assert mind.search("灯台見学")[0].memory.id == kept.id
    assert SECRET not in kept.memory.exchange.question
    medium = mind.medium(kept.id)
    assert (medium.kind, medium.mime, medium.data, medium.thumbnail) == ("audio", "audio/wav", WAV, None)
    assert mind.medium(mind.remember("no medium").id) is None


@pytest.mark.parametrize(
    ("data", "name", "mime"),
    [
        (WAV, "a", "audio/wav"),
        (b"ID3\x04" + b"\0" * 20, "a", "audio/mpeg"),
        (b"\xff\xfb\x90\x64" + b"\0" * 20, "a", "audio/mpeg"),
        (b"OggS\0" + b"\0" * 20, "a", "audio/ogg"),
        (b"fLaC\0" + b"\0" * 20, "a", "audio/flac"),
        (b"\0\0\0\x20ftypM4A \0\0", "a", "audio/mp4"),
        (b"\0\0\0\x20ftypmp42\0\0", "memo.M4A", "audio/mp4"),
    ],
)
def test_a_sound_is_known_by_its_first_bytes(mind, tmp_path, data, name, mime):
    path = tmp_path / name
    path.write_bytes(data)
    assert mind.medium(mind.save_audio("x", path).id).mime == mime


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "empty.wav"),
        (b"#!/bin/sh\n", "script.mp3"),
        (b"\0\0\0\x20ftypmp42\0\0", "film.mp4"),
        (b"\xff\xf1\x50\x80", "layerless.mp3"),
        (b"RIFF\0\0\0\0WEBP", "picture.wav"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----", "key.wav"),
    ],
)
def test_what_is_no_sound_is_refused_whatever_its_name(mind, tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match="WAV, MP3, Ogg, FLAC and M4A"):
        mind.save_audio("x", path)
    assert mind.recent() == []


@pytest.mark.parametrize("data", [b"", b"root:x:0:0", b"%PDF-1.7", b"<svg xmlns='x'/>", WAV])
def test_what_is_no_picture_is_refused_whatever_its_name(mind, tmp_path, data):
    path = tmp_path / "view.png"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="PNG, JPEG, GIF and WebP"):
        mind.save_visual("x", path)
    assert mind.recent() == []


def test_a_symbolic_link_is_refused_even_to_a_picture(mind, tmp_path, picture):
    secret = tmp_path / "id_ed25519"
    secret.write_text("secret")
    for number, target in enumerate((secret, picture, tmp_path / "nothing")):
        link = tmp_path / f"{number}.png"
        link.symlink_to(target)
        with pytest.raises(UsageError, match="is a symbolic link: only regular files are kept"):
            mind.save_visual("x", link)


def test_a_link_that_takes_the_place_of_a_file_meanwhile_is_refused(mind, tmp_path, picture, monkeypatch):
    link = tmp_path / "late.png"
    link.symlink_to(picture)
    status = os.lstat(picture)
    monkeypatch.setattr(os, "lstat", lambda path: status)
    with pytest.raises(UsageError, match="cannot be read"):
        mind.save_visual("x", link)


def test_a_huge_file_is_refused_without_being_read(mind, tmp_path):
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.write(png()[:8])
        file.truncate(500_000_000)
    with pytest.raises(UsageError, match="larger than 20 MB"):
        mind.save_visual("x", path)


@pytest.mark.parametrize("name", ["nothing.png", "no/such/folder.png", "\0", "x" * 5000, "\ud800"])
def test_a_file_that_is_not_there_is_refused(mind, tmp_path, name):
    with pytest.raises(UsageError, match="cannot be read") as error:
        mind.save_visual("x", f"{tmp_path}/{name}")
    assert str(error.value).isprintable()
    str(error.value).encode()


def test_a_folder_and_a_pipe_are_refused_at_once(mind, tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    for path in (tmp_path, tmp_path / "pipe.png", "/dev/zero"):
        with pytest.raises(UsageError, match="no regular file"):
            mind.save_visual("x", path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(mind, picture):
    picture.chmod(0)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        mind.save_visual("x", picture)


def test_a_bad_value_is_refused_beside_a_good_picture(mind, picture):
    for bad in ({"importance": 9}, {"emotion": "grumpy"}, {"content": ""}, {"camera_position": (400, 0)}):
        with pytest.raises(UsageError):
            mind.save_visual(**{"content": "x", "image_path": picture, **bad})
    assert mind.stats()["media"] == 0


def test_pictures_are_recalled_by_where_the_camera_looked_the_nearest_first(world, picture):
    near, far, other = (
        world.mind.save_visual(f"view {pan}", picture, (pan, 0)).id for pan in (12.0, 20.0, 90.0)
    )
    world.mind.save_visual("no position", picture)
    assert [kept.id for kept in world.mind.recall_by_camera_position(10, 0)] == [near, far]
    assert [kept.id for kept in world.mind.recall_by_camera_position(10, 0, 5)] == [near]
    assert [kept.id for kept in world.mind.recall_by_camera_position(10, 0, 10)] == [near, far]
    assert world.mind.recall_by_camera_position(10, 60) == []
    assert world.mind.recall_by_camera_position(90, 0)[0].id == other
    world.kept.sleep(Slept(forgotten=(near,)))
    assert [kept.id for kept in world.mind.recall_by_camera_position(10, 0)] == [far]
    with pytest.raises(UsageError):
        world.mind.recall_by_camera_position(float("nan"), 0)


def test_the_name_of_a_file_is_redacted(mind, tmp_path):
    path = tmp_path / f"{SECRET}.png"
    path.write_bytes(png())
    assert SECRET not in mind.medium(mind.save_visual("x", path).id).name


def test_a_thumbnail_is_a_small_png_without_what_the_file_said_of_itself(mind, tmp_path):
    image_module = pytest.importorskip("PIL.Image")
    path = tmp_path / "photo.jpg"
    exif = image_module.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    exif[0x010E] = "taken at home"
    image_module.new("RGB", (1200, 600), "teal").save(path, exif=exif)
    medium = mind.medium(mind.save_visual("x", path).id)
    with image_module.open(BytesIO(medium.thumbnail)) as small:
        assert (small.format, small.size) == ("PNG", (128, 256))
    assert b"taken at home" not in medium.thumbnail
    assert medium.mime == "image/jpeg"


@pytest.mark.parametrize(("name", "mime"), [("a.gif", "image/gif"), ("a.webp", "image/webp")])
def test_pictures_of_other_kinds_get_a_thumbnail_too(mind, tmp_path, name, mime):
    image_module = pytest.importorskip("PIL.Image")
    image_module.new("RGBA", (300, 10), (1, 2, 3, 100)).save(tmp_path / name)
    medium = mind.medium(mind.save_visual("x", tmp_path / name).id)
    assert medium.mime == mime
    assert medium.thumbnail.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "data",
    [
        png(30_000, 30_000, rows=b""),  # 900 million pixels in 60 bytes
        png(9_000, 9_000, rows=b""),  # more than ours, fewer than Pillow's limit
        png()[:30],
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 100,
        b"\xff\xd8\xff" + b"\0" * 50,
        b"RIFF\xff\xff\xff\xffWEBPVP8 ",
    ],
    ids=["bomb", "large", "cut", "noise", "jpeg", "webp"],
)
def test_a_decompression_bomb_and_a_broken_picture_are_refused(mind, tmp_path, data):
    pytest.importorskip("PIL")
    path = tmp_path / "view.png"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"cannot be read as a picture|too many to look at"):
        mind.save_visual("x", path)
    assert mind.stats()["media"] == 0


def test_without_pillow_a_picture_has_no_thumbnail(picture):
    program = (
        "import sys; sys.modules['PIL'] = None\n"
        "from sui_memory.mind.media import picture\n"
        "print(picture(sys.argv[1], redact=lambda text: (text, 0)).thumbnail)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, picture], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "None"


def test_no_picture_library_is_loaded_by_the_mind_itself():
    program = "import sys, sui_memory.mind; print([n for n in ('PIL', 'numpy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_limits_are_as_documented():
    assert (media.MOST_BYTES, media.THUMBNAIL) == (20_000_000, 256)
