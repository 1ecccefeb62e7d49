"""A prompt in Latin letters that is Japanese: which words of it are, and the terms that they stand for."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from sui_memory.language.identifiers import STOP_WORDS
from sui_memory.language.romaji import kana_of
from sui_memory.recall.cue import NOWHERE
from sui_memory.recall.routine import CHORES, SMALL_TALK
from sui_memory.store.base import MemoryStore
from sui_memory.types import Analyzer

_WORD = re.compile(r"[^\s,.?!;:()\"]+(?:[.:][^\s,.?!;:()\"]+)*")
_LATIN = re.compile(r"[\x00-\u024f’‘“”…]*")
_FUNCTION_WORDS = """
wa:は ha:は ga:が wo:を o:を no:の ni:に de:で to:と e:へ he:へ mo:も ka:か ne:ね yo:よ na:な ya:や kara:から
made:まで yori:より dake:だけ toka:とか tte:って da:だ datta:だった desu:です masu:ます dakke:だっけ kke:っけ
node:ので kedo:けど
"""
_PARTICLES = dict(pair.split(":") for pair in _FUNCTION_WORDS.split())
_ENGLISH = (STOP_WORDS | CHORES | SMALL_TALK) - _PARTICLES.keys()
_SHORTEST = 3  # letters of a word that shows a prompt to be Japanese; shorter ones are found in any language
_SHARE = 0.5  # of the words must be Japanese: English has some that can be read so (`banana`, `rename`)
_FUNCTION = 2
"""Kana of a word that is none of content to the dictionary, and so is not looked for: する, この."""
_SHORTEST_PIECE = 2  # kana of a part of a compound: one is part of everything
_LONG_END = re.compile(
    r"([アイウエオ])\1\Z|[アカガサザタダナハバパマヤラワャ]ア\Z|[エケゲセゼテデネヘベペメレ]エ\Z"
)
_MOST_WORDS = 24  # of a prompt that is tried: nobody types more without converting it


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt read as Japanese: its text and terms, and those of the terms that were guessed."""

    text: str
    terms: tuple[str, ...]
    guessed: tuple[str, ...]


def read(text: str, *, store: MemoryStore, analyzer: Analyzer) -> Reading | None:
    """Return a prompt in Latin letters read as Japanese; None when it is not or the archive holds none of it.

    Words of other languages that the archive knows stay as they are; particles are no terms.
    """
    words = _WORD.findall(text) if _LATIN.fullmatch(text) else []
    kana = _kana(words)
    if not kana:
        return None
    foreign = _known([word for word in kana if word not in _PARTICLES], store, analyzer)
    japanese = kana.keys() - foreign
    telling = [word for word in japanese if len(word) >= _SHORTEST and word not in _PARTICLES]
    if not telling or sum(word.lower() in japanese for word in words) < _SHARE * len(words):
        return None
    return _reading(words, kana, foreign, store, analyzer)


def _kana(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the words that may be Japanese, in small letters → their kana; none in an English sentence."""
    if not 0 < len(words) <= _MOST_WORDS:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for word in map(str.lower, words):
        if word in _PARTICLES:
            found[word] = (_PARTICLES[word],)
        elif kana := kana_of(word):
            if word not in _ENGLISH:
                found[word] = kana
        elif word in STOP_WORDS:
            return {}
    return found


def _known(words: Sequence[str], store: MemoryStore, analyzer: Analyzer) -> set[str]:
    """Return those of the words that the archive holds as they are."""
    terms = {word: analyzer.query_terms(word) for word in words}
    rarity = store.rarity([*(each[0] for each in terms.values() if each), NOWHERE])
    return {word for word, each in terms.items() if each and rarity[each[0]] < rarity[NOWHERE]}


def _reading(
    words: Sequence[str],
    kana: Mapping[str, Sequence[str]],
    foreign: Set[str],
    store: MemoryStore,
    analyzer: Analyzer,
) -> Reading | None:
    ear = _Ear({**kana, **_pairs(words, kana.keys() - foreign - _PARTICLES.keys(), kana)}, store, analyzer)
    text: list[str] = []
    terms: list[str] = []
    guessed: list[str] = []
    waiting = deque(words)
    while waiting:
        word = waiting.popleft()
        spelled = word.lower()
        pair = spelled + waiting[0].lower() if waiting else ""
        if spelled in _PARTICLES:
            text.append(_PARTICLES[spelled])
            continue
        if is_pair := bool(ear.whole(pair)):
            waiting.popleft()
        meant = ear.whole(pair) if is_pair else ear.meant(spelled)
        if spelled in kana and spelled not in foreign:
            text.append("".join(meant) or kana[spelled][0])
            terms += meant or ear.unread(spelled)
        else:  # a name that the archive knows, which may be Japanese all the same
            text.append(f" {word} ")
            terms += [*analyzer.query_terms(word), *meant]
        guessed += meant
    if not guessed:
        return None
    return Reading(
        " ".join("".join(text).split()), tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(guessed))
    )


def _pairs(words: Sequence[str], among: Set[str], kana: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return two words in a row → their kana as one word: where Japanese ends a word is anybody's guess."""
    rows = zip(map(str.lower, words), map(str.lower, words[1:]), strict=False)
    return {one + two: [kana[one][0] + kana[two][0]] for one, two in rows if one in among and two in among}


class _Ear:
    """Tells what words in kana mean by what the archive holds of their sound; it is asked once for all."""

    def __init__(self, japanese: Mapping[str, Sequence[str]], store: MemoryStore, analyzer: Analyzer) -> None:
        self._kana = japanese
        self._sounds = {word: _endings(analyzer.sounds(kana)) for word, kana in japanese.items()}
        # What the dictionary makes of the likeliest kana alone: it knows inflection, but few nouns in kana.
        self._lemmas = {word: analyzer.terms(kana[0]).split() for word, kana in japanese.items()}
        lemmas = list(dict.fromkeys(lemma for each in self._lemmas.values() for lemma in each))
        self._spoken = dict(zip(lemmas, analyzer.sounds(lemmas), strict=True))
        pieces = {piece for sounds in self._sounds.values() for each in sounds for piece in _pieces(each)}
        self._alike = store.sounding([*pieces, *self._spoken.values()])

    def whole(self, word: str) -> list[str]:
        """Return the term of the archive that sounds like a word, as a list; empty when none does."""
        return [self._best(sound) for sound in self._sounds.get(word, ()) if sound in self._alike][:1]

    def meant(self, word: str) -> list[str]:
        """Return the terms of the archive that a word stands for, or is put together from; else none."""
        if word not in self._sounds:
            return []
        sounds = self._sounds[word]
        if everyday := _everyday([self._kana[word][0]]) or _everyday(self._lemmas[word]):
            return everyday
        if not self._lemmas[word] and len(self._kana[word][0]) <= _FUNCTION:
            return []
        return self.whole(word) or self._compound(sounds) or self._inflected(word)

    def unread(self, word: str) -> list[str]:
        """Return a word that the archive does not hold as a term: its kana, or nothing for function words."""
        return [self._kana[word][0]] if self._lemmas[word] else []

    def _best(self, sound: str) -> str:
        return next(iter(self._alike[sound]))

    def _compound(self, sounds: Sequence[str]) -> list[str]:
        for sound in sounds:
            for at in range(_SHORTEST_PIECE, len(sound) - _SHORTEST_PIECE + 1):
                if sound[:at] in self._alike and sound[at:] in self._alike:
                    return [self._best(sound[:at]), self._best(sound[at:])]
        return []

    def _inflected(self, word: str) -> list[str]:
        heard = [(lemma, self._spoken[lemma]) for lemma in self._lemmas[word]]
        if not all(sound in self._alike for _, sound in heard):
            return []
        return [lemma if lemma in self._alike[sound] else self._best(sound) for lemma, sound in heard]


def _everyday(terms: list[str]) -> list[str]:
    """Return terms that are all words of every day, which mean nothing else; none when one is not."""
    return terms if all(term in SMALL_TALK for term in terms) else []


def _endings(sounds: Sequence[str]) -> list[str]:
    """Return the sounds, and those with a long end without it: the index has サーバ for サーバー."""
    return list(dict.fromkeys([*sounds, *(each[:-1] for each in sounds if _LONG_END.search(each))]))


def _pieces(sound: str) -> Iterator[str]:
    """Yield a sound and every part of a compound that it may be."""
    yield sound
    for at in range(_SHORTEST_PIECE, len(sound) - _SHORTEST_PIECE + 1):
        yield sound[:at]
        yield sound[at:]
