"""Markdown notes: a memory for each section, dated, tagged, once, and the newest words of each place."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sui_memory.app import App
from sui_memory.foreign.markdown import read_markdown
from sui_memory.store.kept import Category, Note
from tests.foreign.elsewhere import notes, take_in, texts


def sections(folder: Path, text: str, name: str = "notes.md") -> list[str]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [found.text for found in read_markdown(path, Note())]


def test_headings_of_two_levels_cut_a_note_into_memories(memo: Path) -> None:
    text = "始めに。\n# 港\n\n潮の話。\n## 灯台 ##\n白い。\n### 細部\n高い。\n# 船\n## 帆\n赤い。\n"
    assert sections(memo, text) == [
        "notes\n\n始めに。",
        "港\n\n潮の話。",
        "港 › 灯台\n\n白い。\n### 細部\n高い。",
        "船 › 帆\n\n赤い。",
    ]


def test_second_level_headings_without_a_first_stand_side_by_side(memo: Path) -> None:
    assert sections(memo, "## 帆\n赤い。\n## 櫂\n短い。\n") == ["帆\n\n赤い。", "櫂\n\n短い。"]


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_number_sign_in_code_is_no_heading(memo: Path, fence: str) -> None:
    text = f"# 手順\n{fence}sh\n# comment\nmake\n{fence}\n## 次\nend\n"
    assert sections(memo, text) == [f"手順\n\n{fence}sh\n# comment\nmake\n{fence}", "手順 › 次\n\nend"]


@pytest.mark.parametrize("text", ["", "   \n\n", "# only a heading\n", "---\ntags: [a]\n---\n"])
def test_what_says_nothing_is_no_memory(memo: Path, text: str) -> None:
    assert sections(memo, text) == []


FRONT = "---\ntitle: x\ndate: 2026-02-03T10:00:00Z\ntags: [港, '船']\n---\n# 潮\n満ちる。\n"
LISTED = "---\ntags:\n  - 港\n  - 船\ncreated: 2026-02-03 10:00:00+00:00\n---\n# 潮\n満ちる。\n"


@pytest.mark.parametrize("text", [FRONT, LISTED])
def test_date_and_tags_come_from_the_front_matter(memo: Path, app: App, text: str) -> None:
    (memo / "2020-01-01.md").write_text(text, encoding="utf-8")
    take_in(app, memo)
    (one,) = notes(app)
    assert one.note.tags == ("港", "船")
    assert one.memory.exchange.asked_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert one.memory.exchange.question == "潮\n\n満ちる。"


def test_a_rule_at_the_beginning_is_no_front_matter(memo: Path) -> None:
    assert sections(memo, "---\n港の話\n") == ["notes\n\n---\n港の話"]


@pytest.mark.parametrize("name", ["2026-11-30.md", "20261130-港.md", "log_2026_11_30.md"])
def test_the_date_may_be_in_the_name(memo: Path, name: str) -> None:
    (memo / name).write_text("凪。")
    (found,) = read_markdown(memo / name, Note())
    assert found.at == datetime(2026, 11, 30).astimezone(UTC)


@pytest.mark.parametrize("name", ["2026-13-40.md", "120261130.md", "v20.md"])
def test_what_is_no_day_in_a_name_leaves_the_day_of_the_last_change(memo: Path, name: str) -> None:
    (memo / name).write_text("凪。")
    os.utime(memo / name, (1_700_000_000, 1_700_000_000))
    (found,) = read_markdown(memo / name, Note())
    assert found.at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_heading_that_is_a_day_dates_its_section(memo: Path) -> None:
    (memo / "log.md").write_text("# 2026-05-01\n晴れ。\n# 2026-05-02\n雨。\n")
    found = read_markdown(memo / "log.md", Note())
    assert [one.at for one in found] == [datetime(2026, 5, day).astimezone(UTC) for day in (1, 2)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932"])
def test_notes_of_any_usual_encoding_are_read(memo: Path, encoding: str) -> None:
    (memo / "a.md").write_bytes("# 潮\r\n満ちる。\r\n".encode(encoding))
    assert [one.text for one in read_markdown(memo / "a.md", Note())] == ["潮\n\n満ちる。"]


def test_importing_twice_adds_nothing(app: App, memo: Path) -> None:
    (memo / "a.md").write_text("# 潮\n満ちる。\n# 潮\n引く。\n")
    assert take_in(app, memo).new == 2
    again = take_in(app, memo)
    assert (again.new, again.changed, again.existing) == (0, 0, 2)
    assert len(notes(app)) == 2


def test_a_changed_section_replaces_the_old_one_and_keeps_its_marks(app: App, memo: Path) -> None:
    note = memo / "a.md"
    note.write_text("# 潮\n満ちる。\n# 船\n三隻。\n")
    take_in(app, note)
    old = next(one for one in notes(app) if "満ちる" in one.memory.exchange.question)
    app.store.pin(old.id, pinned=True)
    app.store.kept.activate([old.id], datetime(2026, 6, 1, tzinfo=UTC))
    note.write_text("# 潮\n引く。\n# 船\n三隻。\n")
    changed = take_in(app, note)
    assert (changed.new, changed.changed, changed.existing) == (0, 1, 1)
    assert texts(app) == ["潮\n\n引く。", "船\n\n三隻。"]
    assert (notes(app)[0].memory.pinned, notes(app)[0].note.accessed) == (True, 1)
    assert app.search("満ちる").hits == []


def test_a_section_that_you_edited_stays_beside_what_its_file_says_today(app: App, memo: Path) -> None:
    def told(text: str) -> tuple[int, int, int]:
        (memo / "a.md").write_text(f"# 潮\n{text}")
        taken = take_in(app, memo)
        return taken.new, taken.changed, taken.existing

    told("満ちる。")
    app.mind.update(notes(app)[0].id, content="潮は私が書いた。")
    assert told("満ちる。") == (0, 0, 1)
    assert told("引く。") == (1, 0, 0)
    assert told("止まる。") == (0, 1, 0)
    assert told("止まる。") == (0, 0, 1)
    assert texts(app) == ["潮\n\n止まる。", "潮は私が書いた。"]


def test_words_that_come_back_are_taken_again(app: App, memo: Path) -> None:
    for text in ("満ちる。", "引く。", "満ちる。"):
        (memo / "a.md").write_text(f"# 潮\n{text}\n")
        take_in(app, memo)
    assert texts(app) == ["潮\n\n満ちる。"]


def test_what_you_forgot_stays_forgotten(app: App, memo: Path) -> None:
    (memo / "a.md").write_text("# 潮\n満ちる。\n")
    take_in(app, memo)
    app.store.forget([notes(app)[0].memory.exchange.key], {})
    again = take_in(app, memo)
    assert (again.new, again.forgotten, texts(app)) == (0, 1, [])


def test_a_dry_run_counts_and_stores_nothing(app: App, memo: Path) -> None:
    (memo / "a.md").write_text("# 潮\n満ちる。\n")
    assert take_in(app, memo, dry_run=True).new == 1
    assert notes(app) == []


def test_secrets_are_masked_before_anything_is_stored(app: App, memo: Path) -> None:
    secret = "hunter2-zyxquark"
    (memo / "a.md").write_text(f"---\ntags: [password={secret}]\n---\n# 鍵\nパスワード：{secret}\n")
    assert take_in(app, memo).values == 2
    app.store.purge()
    assert secret not in texts(app)[0]
    assert secret.encode() not in app.settings.database.read_bytes()


def test_notes_have_the_category_and_project_that_were_named(app: App, memo: Path) -> None:
    (memo / "a.md").write_text("凪。")
    take_in(app, memo, project="/code/app")
    (one,) = notes(app)
    assert (one.note.category, one.memory.exchange.project) == (Category.MEMORY, "/code/app")
    assert one.memory.exchange.files == (str(memo / "a.md"),)
