"""Places every exchange in a session of its project, on a day, with the talk of every day around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

from benchmarks.authoring.frames import near_miss, opening, padded, reported, small_talk
from benchmarks.authoring.sources import Project, Written, exchanges, pick, projects

NOW = datetime(2026, 10, 30, 18, 30, tzinfo=timezone(timedelta(hours=9)))
"""When every query is asked: a Friday evening, eighteen months after the first exchange."""

_FIRST, _DAYS = date(2025, 5, 1), 520
_SLOTS = 8  # sessions of a project that share the exchanges without a day of their own
_FRESH, _FRESH_DAYS = date(2026, 10, 5), 24  # when vague talk comes back to what was settled a year ago
_AROUND = 5  # exchanges of every day in a session: up to one less than this, and an opening in half of them
_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Turn:
    """An exchange in its place; `origin` is "written", "near" (by hand, too) or "frame"."""

    id: str
    session: str
    project: str
    at: datetime
    question: str
    answer: str
    origin: str


@dataclass(frozen=True, slots=True)
class _Said:
    question: str
    answer: str
    origin: str
    id: str | None = None


_Place = tuple[str, date]


def turns() -> Iterator[Turn]:
    """Give every exchange in order of time, session by session."""
    places = _places()
    for number, place in enumerate(sorted(places, key=lambda place: (_start(place), place)), 1):
        session = f"s{number:04}"
        at = _start(place)
        for count, said in enumerate(_surrounded(places[place], place), 1):
            name = said.id or f"{session}-{count}"
            yield Turn(name, session, place[0], at, said.question, said.answer, said.origin)
            at += timedelta(
                minutes=2 + pick(f"{place}/{count}/gap", 16), seconds=pick(f"{place}/{count}/s", 60)
            )


def _places() -> dict[_Place, list[_Said]]:
    """Return (project, day) → what is said there of the hand-written exchanges and near them."""
    places: dict[_Place, list[_Said]] = defaultdict(list)
    days = {written.id: _day_of(written) for written in exchanges()}
    for written in sorted(exchanges(), key=lambda written: written.after is not None):
        _put(places[written.project, days[written.after or written.id]], written)
    for written in exchanges():
        for near in written.near:
            day = near.day or _slot(written.project, f"{written.id}/{near.question}")
            answer = reported(near.answer, projects()[written.project], f"{written.id}/{near.question}")
            places[written.project, day].append(_Said(near.question, answer, "near"))
        for day in _vague_days(written):
            said = near_miss(projects()[written.project], written.about, f"{written.id}/{day}")
            places[written.project, day].append(_Said(*said, "frame"))
    return places


def _put(said: list[_Said], written: Written) -> None:
    """Append an exchange or, when it follows another, put it right behind that."""
    answer = padded(written.answer, projects()[written.project], written.id)
    places = [place for place, one in enumerate(said, 1) if one.id == written.after and one.id]
    said.insert(places[0] if places else len(said), _Said(written.question, answer, "written", written.id))


def _vague_days(written: Written) -> list[date]:
    """Return the days on which the words of an exchange come up again to no effect."""
    if any(ask.kind == "old" for ask in written.asks):
        days = [_FRESH + timedelta(days=pick(f"{written.id}/fresh/{n}", _FRESH_DAYS)) for n in range(2)]
        return sorted({_worked(projects()[written.project], day) for day in days})
    return [_slot(written.project, f"{written.id}/vague")]


def _day_of(written: Written) -> date:
    return written.day or _slot(written.project, written.id)


def _slot(project: str, key: str) -> date:
    """Return the day of one of a project's own sessions, chosen by a key."""
    place = f"{project}/{pick(key, _SLOTS)}"
    return _worked(projects()[project], _FIRST + timedelta(days=pick(place, _DAYS)))


def _worked(project: Project, day: date) -> date:
    """Return a day on which people work on a project: no weekend, unless it is a private one."""
    if project.evenings or day.weekday() < _SATURDAY:
        return day
    return day + timedelta(days=-1 if day.weekday() == _SATURDAY else 1)


def _start(place: _Place) -> datetime:
    """Return when a session begins: office hours, or the evenings and weekends of a private project."""
    name, day = place
    if not projects()[name].evenings:
        minute = 9 * 60 + 20 + pick(f"{place}/start", 360)
    elif day.weekday() < _SATURDAY:
        minute = 20 * 60 + pick(f"{place}/start", 80)
    else:
        minute = 10 * 60 + pick(f"{place}/start", 600)
    return datetime(day.year, day.month, day.day, tzinfo=NOW.tzinfo) + timedelta(minutes=minute)


def _surrounded(said: Sequence[_Said], place: _Place) -> Iterator[_Said]:
    """Give what is said in a session with an opening, and the talk of every day between."""
    project = projects()[place[0]]
    if pick(f"{place}/opened", 2):
        yield _Said(*opening(project, f"{place}/opening"), "frame")
    spread = [pick(f"{place}/{n}/where", len(said)) for n in range(pick(f"{place}/around", _AROUND))]
    for number, one in enumerate(said):
        yield one
        followed = number + 1 < len(said) and said[number + 1].origin == "written"
        for n in (n for n, where in enumerate(spread) if where == number and not followed):
            yield _Said(*small_talk(project, f"{place}/{n}/small"), "frame")
