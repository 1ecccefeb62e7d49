"""Wherever a transcript can hold a secret, nothing of it is left in what a real backfill stores."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from sui_memory.archive.rebuilding import rebuild
from sui_memory.archive.scrubbing import Scrubbed, scrub
from sui_memory.archive.segments import unpack
from sui_memory.store import open_store
from sui_memory.types import Scope
from tests.archive.workbench import Workbench, answer, follow, user
from tests.builders import CommandLine, Session, Turn
from tests.store.samples import PlainAnalyzer

Record = dict[str, Any]

TALK = Session("places", (Turn("Where is the buoy?", "In the harbour."),))
QUESTION = "What is the DB password?"
QUESTION_JA = "DB のパスワードは？"


def _labelled(word: str) -> str:
    return f"password={word}"


def _told(answers: Record, annotations: Record | None = None, text: str | None = None) -> Record:
    """Return the fields of a record in which a person answers the assistant's questions."""
    pairs = ", ".join(f'"{question}"="{given}"' for question, given in answers.items())
    said = (
        text
        or f"Your questions have been answered: {pairs}. You can now continue with these answers in mind."
    )
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": said}
    return {
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "toolUseResult": {"questions": [], "answers": answers, "annotations": annotations or {}},
    }


def _uses(name: str, **given: Any) -> Record:
    """Return the fields of a record in which the assistant uses a tool."""
    block = {"type": "tool_use", "id": "toolu_2", "name": name, "input": given}
    return {"type": "assistant", "message": {"id": "msg_u", "role": "assistant", "content": [block]}}


def _unknown(**fields: Any) -> Record:
    return {"type": "novelty", **fields}


PLACES: dict[str, Record] = {
    "a prompt": user(_labelled("zyxq01")),
    "an answer": answer(_labelled("zyxq02"), "two"),
    "the key of an answer": _told({f"Use {_labelled('zyxq03')} ?": "yes"}),
    "an answer to a question about it": _told({QUESTION: "zyxq04"}),
    "an answer to a Japanese question about it": _told({QUESTION_JA: "zyxq05"}),
    "one of several answers": _told({QUESTION: ["zyxq06", "other"]}),
    "a note on an answer": _told({QUESTION: "Other"}, {QUESTION: {"notes": "zyxq07"}}),
    "the key of a note": _told({"Colour?": "red"}, {f"Is {_labelled('zyxq08')} right": {"notes": "no"}}),
    "an answer in the client's sentence only": {
        **_told({QUESTION: "zyxq09"}),
        "toolUseResult": "answered",
    },
    "a working directory": user("In which folder?", cwd=f"/home/mio/{_labelled('zyxq10')}"),
    "a git branch": user("On which branch?", gitBranch=_labelled("zyxq11")),
    "the path of a tool": _uses("Read", file_path=f"/tmp/{_labelled('zyxq12')}"),
    "a notebook": _uses("NotebookEdit", notebook_path=f"/tmp/{_labelled('zyxq13')}"),
    "the name of a tool": _uses(_labelled("zyxq14"), path="/tmp"),
    "a plan": _uses("ExitPlanMode", plan=f"First set {_labelled('zyxq15')} there."),
    "a command": user("<command-name>/login</command-name>\n<command-args>--password zyxq16</command-args>"),
    "a shell line": user(f"<bash-input>export {_labelled('zyxq17')}</bash-input>"),
    "a refusal": {
        "type": "user",
        "message": {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "is_error": True,
                    "content": "The user doesn't want to proceed with this tool use. "
                    f"To tell you how to proceed, the user said:\nuse {_labelled('zyxq18')}",
                }
            ],
        },
    },
    "the queue": {"type": "queue-operation", "operation": "enqueue", "content": _labelled("zyxq19")},
    "a queued command": {
        "type": "attachment",
        "attachment": {
            "type": "queued_command",
            "commandMode": "prompt",
            "prompt": _labelled("zyxq20"),
            _labelled("zyxq21"): 1,
        },
    },
    "an unknown field of a prompt": user("What else?", hint={"password": "zyxq22"}),
    "an unknown record": _unknown(note=_labelled("zyxq23"), uuid="not a uuid password=zyxq24"),
    "a labelled value of an unknown record": _unknown(login={"password": "zyxq25"}),
    "a long labelled value of an unknown record": _unknown(login={"password": "zyxq26" + "a1" * 200}),
    "a number in an unknown record": _unknown(login={"password": 902716354}),
    "a key in an unknown record": _unknown(**{"seen": {f"GET /?{_labelled('zyxq27')}": 1}}),
    "a short key in an unknown record": _unknown(**{"seen": {"パスワードはzyxq28です": {}}}),
    "the name of a model in an unknown record": _unknown(name=_labelled("zyxq29"), version="token=zyxq30"),
    "a list in an unknown record": _unknown(items=[[{"text": _labelled("zyxq31")}]]),
    "a title": {"type": "custom-title", "customTitle": _labelled("zyxq32")},
    "a summary": {"type": "summary", "summary": _labelled("zyxq33")},
    "the summary of a compaction": user(_labelled("zyxq34"), isCompactSummary=True),
}

_PLANTED = re.compile(rb"zyxq\d\d|902716354")
_EVERYTHING = Scope(auto=True, sidechains=True)


class OldRules:
    """Knows no secret at all."""

    def redact(self, text: str) -> tuple[str, int]:
        return text, 0


def records() -> list[Record]:
    """Return a conversation with a secret in every place."""
    made = TALK.records()
    envelope = {key: value for key, value in made[-1].items() if key != "message"}
    for number, (place, fields) in enumerate(PLACES.items()):
        before = {**envelope, "uuid": made[-1]["uuid"]}
        made.append({**follow(before, place, seconds=5 * number), **fields})
    return made


def planted(database: Path) -> set[str]:
    """Return the secrets that are left in the bytes of the archive, its raw records, texts and indexes."""
    data = [file.read_bytes() for file in database.parent.glob(f"{database.name}*")]
    store = open_store(database, analyzer=PlainAnalyzer(), read_only=True)
    try:
        data += [line for path in store.sources() for line in unpack(store.segments(path))]
        data += [repr(memory).encode() for memory in store.scan(_EVERYTHING)]
        terms = store._connection.execute("select term from words_vocabulary")
        data += [term.encode() for (term,) in terms]
    finally:
        store.close()
    return {found.decode() for part in data for found in _PLANTED.findall(part)}


def test_a_backfill_leaves_no_secret_wherever_it_was_planted(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    (path,) = cli.write(TALK)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records()]
    path.write_text("".join(lines), "utf-8")
    cli("backfill", "--workers", "0")
    assert planted(cli.database) == set()
    assert "buoy" in cli("show", cli.ids("buoy")[0]).out


def test_a_scrub_takes_them_out_of_an_archive_of_older_rules(bench: Workbench) -> None:
    new_rules = bench.app.tools
    bench.app.tools = replace(new_rules, new_redactor=OldRules)
    bench.archive(records())
    assert len(planted(bench.app.settings.database)) > 25
    bench.app.tools = new_rules
    assert scrub(store=bench.app.store, tools=new_rules).values
    assert planted(bench.app.settings.database) == set()
    assert scrub(store=bench.app.store, tools=new_rules) == Scrubbed()
    assert rebuild(store=bench.app.store, tools=new_rules).updated == 0


def test_notes_find_their_question_and_no_answer_is_lost_when_only_secrets_told_them_apart(
    bench: Workbench,
) -> None:
    one, two = (f"Use {_labelled(word)} ?" for word in ("zyxq01", "zyxq02"))
    told = _told({one: "yes", two: "no"}, {two: {"notes": "never"}})
    last = TALK.records()[-1]
    bench.archive([*TALK.records(), follow(last, "told", **told)])
    (memory,) = bench.all()
    masked = "Use password=[REDACTED:password] ?"
    assert memory.exchange.followups == (f"{masked}\n→ yes", f"{masked} (2)\n→ no (never)")
    assert scrub(store=bench.app.store, tools=bench.app.tools) == Scrubbed()


def test_an_answer_is_masked_with_its_question_as_the_label(bench: Workbench) -> None:
    last = TALK.records()[-1]
    told = _told({QUESTION: "zyxq01", QUESTION_JA: "zyxq02", "Colour of the buoy?": "zyxq03"})
    bench.archive([*TALK.records(), follow(last, "told", **told)])
    assert bench.all()[0].exchange.followups == (
        f"{QUESTION}\n→ [REDACTED:password]",
        f"{QUESTION_JA}\n→ [REDACTED:password]",
        "Colour of the buoy?\n→ zyxq03",
    )
