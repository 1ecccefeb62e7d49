"""Every tool, through the SDK's own client: what it does, and how it tells of it."""

from __future__ import annotations

import struct
import wave
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from tests.builders import SECRET
from tests.mcp_server.workbench import END_OF_FENCE, FENCE, Talk, ids

QUESTION = "返却期限は会議で何日と決めたんだっけ？"
ANSWER = "返却期限は 14 日"


def picture(path: Path, color: bytes = b"\x40\x80\xc0") -> Path:
    """Write a small PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + color * 32 for _ in range(24))
    head = struct.pack(">IIBBBBB", 32, 24, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
    return path


def sound(path: Path) -> Path:
    """Write a tenth of a second of silence."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(b"\0\0" * 800)
    return path


@pytest.mark.parametrize(
    ("query", "words"), [("返却期限は何日？", ANSWER), ("E1101 after the reconnect", "resetSocket")]
)
def test_a_search_finds_conversations_in_japanese_and_english(talk: Talk, query: str, words: str):
    text, data = talk.call("search_memories", query=query)

    before, _, fenced = text.partition(FENCE)
    assert words in fenced
    assert words not in before
    assert ids(data)[0] in before
    assert text.count(FENCE) == text.count(END_OF_FENCE) == data["recalled"].count(END_OF_FENCE) == 1
    assert words in data["recalled"]


def test_a_search_is_limited_by_project_time_category_and_emotion(talk: Talk):
    glad = talk.remember("潮位計の校正が終わった", emotion="happy", category="technical")

    for project in ("tosho", "/home/mio/src/tidepool"):
        _, data = talk.call("search_memories", query="socket", project=project, since="2026-01-01")
        assert {memory["project"].endswith(project) for memory in data["memories"]} == {True}
    assert talk.call("search_memories", query="socket", until="2020-01-01")[1]["memories"] == []
    found = talk.call(
        "search_memories", query="潮位計の校正", category_filter="technical", emotion_filter="happy"
    )
    assert ids(found[1]) == [glad]
    assert talk.call("search_memories", query="潮位計の校正", emotion_filter="sad")[1]["memories"] == []


def test_a_search_returns_as_many_as_are_asked_for(talk: Talk):
    for number in range(4):
        talk.remember(f"書庫の点検 {number} 回目")

    assert len(talk.call("search_memories", query="書庫の点検", n_results=2)[1]["memories"]) == 2


def test_recall_gives_what_a_prompt_would_be_shown_and_nothing_for_small_talk(talk: Talk):
    assert ANSWER in talk.call("recall", context=QUESTION)[0]
    text, data = talk.call("recall", context="ok, go on")
    assert (data["memories"], FENCE in text) == ([], False)


def test_an_exchange_is_read_whole_amid_its_conversation(talk: Talk):
    wanted = ids(talk.call("search_memories", query="返却期限")[1])[0]
    text, data = talk.call("get_exchange", id=wanted[:8])

    assert data["id"] == wanted
    assert "延長は 1 回、7 日までです。" in data["recalled"]
    assert [memory["kind"] for memory in data["before"]] == ["exchange"]
    assert data["after"] == []
    assert "書庫の鍵" in text
    assert SECRET not in text


def test_code_is_read_with_its_lines_and_indentation(talk: Talk):
    kept = talk.remember("def tide():\n    return 'high'\n")

    assert "\n    return 'high'" in talk.call("get_exchange", id=kept)[0]


def test_a_long_memory_is_an_excerpt_in_a_list_and_whole_by_its_id(talk: Talk):
    kept = talk.remember("\n".join(f"第 {number} 条 蔵書の貸出に関する細則" for number in range(300)))

    assert "第 299 条" not in talk.call("list_recent_memories", limit=1)[0]
    assert "第 299 条" in talk.call("get_exchange", id=kept)[0]
    assert "第 299 条" in talk.ask("read_resource", f"memory://exchange/{kept}").contents[0].text


def test_what_is_remembered_has_its_note_and_is_listed_first(talk: Talk):
    kept = talk.remember(
        "We chose blue for the tide chart.", emotion="moved", importance=5, category="feeling"
    )
    text, data = talk.call("list_recent_memories", limit=1)

    (memory,) = data["memories"]
    assert (memory["id"], memory["kind"], memory["emotion"], memory["importance"], memory["category"]) == (
        kept, "note", "moved", 5, "feeling",
    )  # fmt: skip
    assert "blue" in text
    assert ids(talk.call("list_recent_memories", category_filter="feeling")[1])[0] == kept


def test_what_is_remembered_is_neutral_daily_and_of_importance_three_unless_told(talk: Talk):
    _, data = talk.call("remember", content="休館日は月曜")

    assert (data["emotion"], data["importance"], data["category"]) == ("neutral", 3, "daily")


def test_a_memory_is_corrected_and_its_old_words_are_gone(talk: Talk):
    kept = talk.remember("開館は九時")
    _, data = talk.call("update_memory", id=kept, content="開館は十時", importance=4)

    assert data["importance"] == 4
    assert "開館は十時" in talk.call("get_exchange", id=data["id"])[0]
    assert "開館は九時" not in talk.call("search_memories", query="開館は九時")[0]


def test_forgetting_asks_for_a_confirmation_and_then_forgets(talk: Talk):
    kept = talk.remember("誰かの誕生日は四月一日")
    assert "confirm=true" in talk.refusal("forget_memory", id=kept)
    assert "誕生日" in talk.call("get_exchange", id=kept)[0]
    assert talk.call("forget_memory", id=kept, confirm=True)[1] == {
        "id": kept,
        "forgotten": True,
        "summaries": [],
    }
    assert kept in talk.refusal("get_exchange", id=kept)


def test_tags_are_kept_and_changed(talk: Talk):
    kept = talk.call("remember", content="棚卸は月末", tags=["在庫", "月次"])[1]["id"]
    assert talk.call("list_recent_memories", limit=1)[1]["memories"][0]["tags"] == ["在庫", "月次"]
    talk.call("update_memory", id=kept, tags=["年次"])
    assert talk.call("list_recent_memories", limit=1)[1]["memories"][0]["tags"] == ["年次"]


def test_the_stats_count_what_is_kept(talk: Talk):
    before = talk.call("get_memory_stats")[1]["notes"]
    talk.remember("one more")
    text, data = talk.call("get_memory_stats")

    assert data["notes"] == before + 1
    assert f"notes: {before + 1}" in text


def test_associations_lead_on_from_what_a_context_finds(talk: Talk):
    first = talk.remember("ポンプ室の水漏れ")
    second = talk.remember("A gasket was replaced in March")
    talk.call("link_memories", source_id=first, target_id=second, link_type="leads_to", note="修理")

    _, tied = talk.call("recall_with_associations", context="ポンプ室の水漏れ")
    assert second in tied["associations"][first]
    _, wandered = talk.call("recall_divergent", context="ポンプ室の水漏れ", temperature=0.1)
    assert wandered["memories"]
    _, again = talk.call("recall_divergent", context="ポンプ室の水漏れ", temperature=0.1)
    assert ids(again) == ids(wandered)


def test_a_causal_chain_is_followed_both_ways(talk: Talk):
    cause, effect = talk.remember("大雨が降った"), talk.remember("書庫が浸水した")
    text, data = talk.call("link_memories", source_id=effect, target_id=cause, link_type="caused_by")

    assert data == {"source_id": effect, "target_id": cause, "link_type": "caused_by"}
    assert f"{effect} caused_by {cause}" in text
    assert ids(talk.call("get_causal_chain", memory_id=effect, direction="backward")[1]) == [cause]
    assert ids(talk.call("get_causal_chain", memory_id=cause, direction="forward")[1]) == [effect]


def test_an_episode_holds_its_memories_in_order_of_time(talk: Talk):
    old = ids(talk.call("search_memories", query="返却期限")[1])[0]
    new = talk.remember("返却期限の掲示を貼り替えた")
    text, data = talk.call(
        "create_episode", title="返却期限の見直し", memory_ids=[new, old], participants=["Mio", "Ken"]
    )
    (episode,) = data["episodes"]

    assert "返却期限の見直し (with Mio, Ken)" in text.partition(FENCE)[2]
    assert data["episodes"][0]["id"] in text.partition(FENCE)[0]
    found = talk.call("search_episodes", query="返却期限の見直し")[1]["episodes"]
    assert [each["id"] for each in found] == [episode["id"]]
    _, memories = talk.call("get_episode_memories", episode_id=episode["id"])
    assert ids(memories) == [old, new]


def test_working_memory_holds_what_was_called_to_mind(talk: Talk):
    kept = talk.remember("点字図書の棚は二階")
    for _ in range(9):
        talk.call("search_memories", query="点字図書の棚", n_results=1)

    assert kept in ids(talk.call("get_working_memory")[1])
    _, refreshed = talk.call("refresh_working_memory")
    assert kept in ids(refreshed)
    assert isinstance(refreshed["decayed"], list)


def test_consolidation_ties_what_was_in_mind_together(talk: Talk):
    talk.remember("製本機の説明書"), talk.remember("製本機の糊")
    talk.call("search_memories", query="製本機")
    text, data = talk.call("consolidate_memories")

    assert data["replayed"] > 0
    assert f"Replayed {data['replayed']} activation" in text


def test_a_frame_to_see_with_another_is_built_from_memories_of_them(talk: Talk):
    kept = talk.remember("Kaede dislikes surprises at work")
    text, data = talk.call("tom", situation="the release is moved to Friday", person="Kaede")

    assert kept in data["of_person"]
    assert data["aspects"]
    assert all(aspect["question"] in text for aspect in data["aspects"])


def test_diagnostics_leave_no_trace(talk: Talk):
    before = talk.call("get_memory_stats")[1]["activations"]
    text, data = talk.call("get_association_diagnostics", context=QUESTION, sample_size=5)

    assert data["sample"]
    assert "reachable pairs" in text
    assert talk.call("get_memory_stats")[1]["activations"] == before


def test_sleep_tells_first_and_changes_nothing(talk: Talk):
    before = talk.call("get_memory_stats")[1]["notes"]
    _, data = talk.call("sleep", min_age_days=0)

    assert data["dry_run"] is True
    assert talk.call("get_memory_stats")[1]["notes"] == before


def test_a_lesson_is_added_and_listed(talk: Talk):
    _, data = talk.call(
        "add_lesson", action="README があるか確かめる", keywords=["git push"], tool="Bash", priority=5
    )
    text, listed = talk.call("list_lessons")

    assert data["id"] in [lesson["id"] for lesson in listed["lessons"]]
    assert "README があるか確かめる" in text.partition(FENCE)[2]


def test_a_picture_outlives_its_file_and_is_found_by_where_the_camera_looked(talk: Talk, tmp_path: Path):
    path = picture(tmp_path / "window.png")
    _, data = talk.call(
        "save_visual_memory",
        content="窓の外に虹が見えた",
        image_path=str(path),
        camera_position={"pan_angle": 30, "tilt_angle": -10.5},
        emotion="surprised",
    )
    bytes_before = path.read_bytes()
    path.unlink()

    text, seen = talk.call("recall_by_camera_position", pan_angle=35, tilt_angle=-12)
    assert ids(seen) == [data["id"]]
    assert "虹" in text
    assert talk.call("recall_by_camera_position", pan_angle=90, tilt_angle=0)[1]["memories"] == []
    shown = talk.ask("call_tool", "get_exchange", {"id": data["id"]})
    assert b64decode(shown.content[1].data).startswith(b"\x89PNG")
    (whole,) = talk.ask("read_resource", shown.structured_content["medium_uri"]).contents
    assert (b64decode(whole.blob), whole.mime_type) == (bytes_before, "image/png")


def test_a_sound_is_kept_with_what_is_said_in_it(talk: Talk, tmp_path: Path):
    path = sound(tmp_path / "hello.wav")
    _, data = talk.call(
        "save_audio_memory", content="朝の挨拶", audio_path=str(path), transcript="おはよう、みんな"
    )

    text, shown = talk.call("get_exchange", id=data["id"])
    assert "おはよう、みんな" in text
    assert shown["medium"].startswith("audio, audio/")
