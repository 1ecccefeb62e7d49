"""A plan in words and as JSON: what was done or would be, by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from sui_memory.sleep.planning import Fade, LetGo, Merge, Plan


def ids_of(plan: Plan) -> list[str]:
    """Return the ids of the memories that a plan changes."""
    sources = [source for merge in plan.merged for source in merge.note.sources]
    faded = [fade.memory_id for fade in plan.faded]
    return [*sources, *faded, *(gone.memory_id for gone in plan.forgotten)]


def lines(plan: Plan, texts: Mapping[str, str], *, is_done: bool) -> list[str]:
    """Return the report of a sleep, a line for each memory; `texts` are id → a few of its words."""
    head = f"Looked at {plan.seen:,} kept {_plural(plan.seen, 'memory', 'memories')}: {_sum(plan)}."
    notes = []
    if plan.wordwise:
        notes.append(
            f"{plan.wordwise:,} old enough had no vector: of those only near-identical words are alike."
        )
    if plan.rested:
        notes.append("Memories have faded this night already: nothing fades twice.")
    if not is_done and not plan.is_empty:
        notes.append("Nothing is changed yet: --apply does it.")
    return [head, *_details(plan, texts, is_done=is_done), *notes]


def as_json(plan: Plan, *, is_done: bool) -> dict[str, Any]:
    """Return a plan as `sleep --json` prints it."""
    return {
        "applied": is_done,
        "at": plan.now.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "seen": plan.seen,
        "without_vector": plan.wordwise,
        "faded_already": plan.rested,
        "merged": [_merge_json(merge, is_done=is_done) for merge in plan.merged],
        "faded": [_fade_json(fade) for fade in plan.faded],
        "forgotten": [_let_go_json(gone) for gone in plan.forgotten],
    }


def _sum(plan: Plan) -> str:
    merged = sum(len(merge.note.sources) for merge in plan.merged)
    counts = {
        f"{merged:,} merged into {len(plan.merged):,}": merged,
        f"{len(plan.faded):,} faded": len(plan.faded),
        f"{len(plan.forgotten):,} let go": len(plan.forgotten),
    }
    return ", ".join(words for words, count in counts.items() if count) or "nothing to do"


def _plural(number: int, one: str, many: str) -> str:
    return one if number == 1 else many


def _details(plan: Plan, texts: Mapping[str, str], *, is_done: bool) -> Iterator[str]:
    for merge in plan.merged:
        likeness = f"alike by {merge.by} from {merge.likeness:.2f}"
        yield _line(
            "merged", merge.summary.id if is_done else "into one", f"{merge.note.category}, {likeness}"
        )
        yield from (_line("  of", source, texts.get(source, "")) for source in merge.note.sources)
    for fade in plan.faded:
        held = f"importance {fade.before} → {fade.after}, retention {fade.retention:.2f}"
        yield _line("faded", fade.memory_id, f"{held}: {texts.get(fade.memory_id, '')}")
    for gone in plan.forgotten:
        times = f"called to mind {gone.accessed} {_plural(gone.accessed, 'time', 'times')}"
        yield _line(
            "let go", gone.memory_id, f"{gone.days} days old, {times}: {texts.get(gone.memory_id, '')}"
        )


def _line(what: str, memory_id: str, words: str) -> str:
    return f"  {what:<6}  {memory_id}  {words}".rstrip(": ")


def _merge_json(merge: Merge, *, is_done: bool) -> dict[str, Any]:
    return {
        "id": merge.summary.id if is_done else None,  # the next run would give it another
        "sources": list(merge.note.sources),
        "text": merge.summary.question,
        "category": merge.note.category.value,
        "emotion": merge.note.emotion.value,
        "importance": merge.note.importance,
        "tags": list(merge.note.tags),
        "likeness": round(merge.likeness, 4),
        "by": merge.by,
    }


def _fade_json(fade: Fade) -> dict[str, Any]:
    return {
        "id": fade.memory_id,
        "before": fade.before,
        "after": fade.after,
        "retention": round(fade.retention, 4),
    }


def _let_go_json(gone: LetGo) -> dict[str, Any]:
    return {"id": gone.memory_id, "days": gone.days, "accessed": gone.accessed}
