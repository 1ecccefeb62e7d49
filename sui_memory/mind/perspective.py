"""Perspective taking: what is known of a person and of like situations, in a frame to be filled."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sui_memory.mind.allowed import asked
from sui_memory.mind.ports import Aspect, Perspective, Ports
from sui_memory.store.kept import Category, Emotion, Note
from sui_memory.types import Hit, Scope

_POOL = 50  # hits among which those that name the person are looked for
_OF_PERSON, _OF_SITUATION = 8, 5
_NAME_CHARACTERS = 100

# Words by which a memory bears on one part of the frame; whoever reads it judges what they mean.
_WANTS = re.compile(
    r"たい(?:と|です|。|$)|ほしい|欲しい|希望|お願い|目標|\b(?:want|wish|hope|prefer|need|goal|ask)", re.I
)
_FEELS = re.compile(
    r"嬉し|うれし|楽し|悲し|怒|不安|心配|困|好き|嫌|疲れ|怖"
    r"|\b(?:happy|glad|sad|angry|upset|worr|afraid|anxious|tired|love|like|hate|enjoy|frustrat)",
    re.I,
)
_MISREADS = re.compile(
    r"誤解|勘違い|思い込|違う|伝わら|知らな|\b(?:misunderst|misread|mistak|assum|thought that|wrong|unaware)",
    re.I,
)
_ASKS = re.compile(r"[?？]|かどうか|未定|わから|分から|\b(?:unclear|undecided|open question|not sure)", re.I)

_Bears = Callable[[Hit, Note | None], bool]


def perspective(situation: str, person: str, *, ports: Ports) -> Perspective:
    """Return a frame of five aspects, each with the memories that bear on it by their words, or none.

    A theory of mind takes another's knowledge, wishes and feelings for different from one's own (Premack
    and Woodruff 1978): the frame asks for each by itself.
    """
    situation = asked(situation, "The situation")
    person = asked(person, "The person", limit=_NAME_CHARACTERS)
    of_person = _naming(person, [*ports.search(person, Scope(), _POOL)], ports)[:_OF_PERSON]
    there = {hit.memory.id for hit in of_person}
    like = ports.search(situation, Scope(), _OF_SITUATION + len(there))
    of_situation = [hit for hit in like if hit.memory.id not in there][:_OF_SITUATION]
    aspects = _aspects(person, [*of_person, *of_situation], ports, known=there)
    return Perspective(situation, person, tuple(of_person), tuple(of_situation), aspects)


def _naming(person: str, hits: Sequence[Hit], ports: Ports) -> list[Hit]:
    """Return the hits that name the person as it is written, whatever the case and width."""
    name = ports.analyzer.fold(person)
    return [hit for hit in hits if name in ports.analyzer.fold(hit.memory.exchange.text)]


def _aspects(person: str, hits: Sequence[Hit], ports: Ports, *, known: set[str]) -> tuple[Aspect, ...]:
    notes = ports.store.kept.notes([hit.memory.id for hit in hits])

    def bearing(bears: _Bears) -> tuple[str, ...]:
        return tuple(hit.memory.id for hit in hits if bears(hit, notes.get(hit.memory.id)))

    return (
        Aspect(
            "knows",
            f"What does {person} know of this, and what not?",
            bearing(lambda hit, note: hit.memory.id in known),
        ),
        Aspect("wants", f"What does {person} want to come of it?", bearing(_saying(_WANTS))),
        Aspect("feels", f"How does {person} feel about it?", bearing(_felt)),
        Aspect(
            "misreads",
            f"What could {person} take in another way than it is meant?",
            bearing(_saying(_MISREADS)),
        ),
        Aspect("open", f"What would have to be asked of {person}?", bearing(_saying(_ASKS))),
    )


def _saying(pattern: re.Pattern[str]) -> _Bears:
    return lambda hit, note: pattern.search(hit.memory.exchange.human) is not None


def _felt(hit: Hit, note: Note | None) -> bool:
    """Say whether a memory was kept with a feeling, or speaks of one."""
    if note is not None and (note.emotion is not Emotion.NEUTRAL or note.category is Category.FEELING):
        return True
    return _FEELS.search(hit.memory.exchange.human) is not None
