"""Everything that can be done with memories on purpose, by the names of the tools that offer it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sui_memory.mind import (
    chains,
    consolidation,
    diagnostics,
    divergence,
    episodes,
    finding,
    keeping,
    media,
    perspective,
    working,
)
from sui_memory.mind.allowed import count
from sui_memory.mind.association import Ties
from sui_memory.mind.ports import (
    Active,
    Associated,
    Association,
    Consolidation,
    Diagnostics,
    Perspective,
    Ports,
    Refreshed,
)
from sui_memory.mind.similarity import Similarity
from sui_memory.store.kept import Episode, KeptMemory, Link, Medium, Note
from sui_memory.types import Hit, Memory


class Mind:
    """Keeps memories on purpose, ties them together, and calls them to mind.

    Every text that is given is redacted before it is stored. An id may be any prefix that names one memory.
    A value that is not allowed is a `UsageError`, an unknown id a `NotFoundError`; both are one sentence.
    What is returned is stored text, written by whomever: data, to be fenced before a model sees it.
    """

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._similarity = Similarity(ports.store)
        self._ties = Ties(ports.store, self._similarity)

    def remember(
        self,
        content: str,
        emotion: str = "neutral",
        importance: int = 3,
        category: str = "daily",
        tags: Sequence[str] = (),
        project: str | None = None,
    ) -> KeptMemory:
        """Keep a text of at most 20,000 characters, and tie it to the memories most like it.

        The ties are made at once when the model is loaded already, else by the next `consolidate`.
        """
        note = keeping.new_note(emotion, importance, category, tags, redact=self._ports.redact)
        return keeping.keep(content, note, project, ports=self._ports, similarity=self._similarity)

    def update(
        self,
        memory_id: str,
        content: str | None = None,
        emotion: str | None = None,
        importance: int | None = None,
        category: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> KeptMemory:
        """Change what is given of a kept memory. Old words are gone for good; an archived one is refused."""
        change = keeping.Change(content, emotion, importance, category, tags)
        return keeping.update(memory_id, change, ports=self._ports, similarity=self._similarity)

    def forget(self, memory_id: str) -> Memory:
        """Delete a memory for good, kept or archived, with all that hangs on it, and return what it was."""
        return keeping.forget(memory_id, ports=self._ports)

    def get(self, memory_id: str) -> Memory:
        """Return a memory by its id."""
        return finding.known(memory_id, self._ports.store)

    def recent(self, limit: int = 10, category: str | None = None) -> list[KeptMemory]:
        """Return kept memories, the newest first."""
        return keeping.recent(limit, category, store=self._ports.store)

    def notes(self, ids: Sequence[str]) -> dict[str, Note]:
        """Return full id → note, of those that were kept on purpose."""
        return self._ports.store.kept.notes(ids)

    def stats(self) -> dict[str, int | str | None]:
        """Return the archive's counts, and those of notes, links, episodes, activations and media."""
        return {**self._ports.store.stats(), **self._ports.store.kept.counts()}

    def search(
        self,
        query: str,
        n: int = 5,
        category: str | None = None,
        emotion: str | None = None,
        project: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Hit]:
        """Find memories, best first; with a category or an emotion, kept ones only. Notes the access.

        Times are aware; `until` is exclusive. `project` is the folder as it is stored.
        """
        wanted = finding.wanted(category, emotion, project, since, until)
        return working.noted(finding.search(query, n, wanted, ports=self._ports), ports=self._ports)

    def recall(self, context: str, n: int = 3, project: str | None = None) -> list[Hit]:
        """Return what a prompt of these words would be shown, on evidence; notes the access."""
        return working.noted(finding.recall(context, n, project, ports=self._ports), ports=self._ports)

    def recall_divergent(
        self,
        context: str,
        n_results: int = 5,
        max_branches: int = 3,
        max_depth: int = 3,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> list[Association]:
        """Return memories that a random walk over associations reaches from what the context finds.

        A low temperature follows the strongest ties, a high one any. The same seed, by default a hash of
        the context, walks the same way. What was found itself follows when the walk reaches too few.
        """
        walk = divergence.Walk(max_branches, max_depth, temperature, divergence.seed_of(context, seed))
        found = divergence.recall(context, n_results, walk, ports=self._ports, ties=self._ties)
        return working.noted(found, ports=self._ports)

    def recall_with_associations(
        self, context: str, n_results: int = 3, chain_depth: int = 2
    ) -> list[Associated]:
        """Return what the context finds, each with the memories tied to it over at most so many steps."""
        found = divergence.with_associations(
            context, n_results, chain_depth, ports=self._ports, ties=self._ties
        )
        working.noted([associated.hit for associated in found], ports=self._ports)
        return found

    def exchange(self, memory_id: str, before: int = 1, after: int = 1) -> list[Memory]:
        """Return a memory amid the conversation around it, in order; a kept one of no conversation alone."""
        return finding.around(memory_id, before, after, store=self._ports.store)

    def working(self, n_results: int = 10) -> list[Active]:
        """Return what was called to mind of late, the most active first (see `working.activations`)."""
        return list(working.refreshed(ports=self._ports).active[: count(n_results)])

    def refresh_working(self) -> Refreshed:
        """Compute working memory anew, and tell what has decayed out of it; nothing stored changes."""
        return working.refreshed(ports=self._ports)

    def consolidate(
        self, window_hours: float = 24, max_replay_events: int = 200, link_update_strength: float = 0.2
    ) -> Consolidation:
        """Replay what was called to mind of late, strengthen links of what was so together, and tie likes.

        To consolidate the same window again is to rehearse it again: links grow stronger, to 1 at most.
        """
        replay = consolidation.Replay(window_hours, max_replay_events, link_update_strength)
        return consolidation.consolidate(replay, ports=self._ports, similarity=self._similarity)

    def tie_likes(self) -> int:
        """Tie kept memories that have vectors by now to what is like them; return how many links were made.

        For whoever has just made vectors: each memory is looked at once by one `Mind`.
        """
        return consolidation.tie_likes(ports=self._ports, similarity=self._similarity)

    def chance(self) -> float:
        """Return the cosine that one pair in 200 of this archive exceeds by chance; 0 where none is known."""
        return self._similarity.threshold() or 0.0

    def link(self, source_id: str, target_id: str, type: str, note: str = "") -> Link:
        """Tie one memory to another; source, type, target read as a sentence. Replaces one of that type."""
        return chains.link(source_id, target_id, type, note, ports=self._ports)

    def links(self, memory_id: str) -> list[Link]:
        """Return the links from or to a memory, the strongest first."""
        return self._ports.store.kept.links([self.get(memory_id).id])

    def causal_chain(
        self, memory_id: str, direction: str = "backward", max_depth: int = 3
    ) -> list[Association]:
        """Return what led to a memory (`backward`) or what it led to (`forward`), the nearest first."""
        return chains.causal_chain(memory_id, direction, max_depth, store=self._ports.store)

    def create_episode(
        self,
        title: str,
        memory_ids: Sequence[str],
        participants: Sequence[str] = (),
        auto_summarize: bool = True,
    ) -> Episode:
        """Put memories together under a title, summed up by rule: dated first sentences of the weightiest."""
        draft = episodes.Draft(title, memory_ids, participants, auto_summarize)
        return episodes.create(draft, ports=self._ports)

    def search_episodes(self, query: str, n: int = 5) -> list[Episode]:
        """Return episodes whose words or memories answer the query, best first."""
        return episodes.search(query, n, ports=self._ports)

    def episode(self, episode_id: str) -> Episode:
        """Return an episode by its id."""
        return episodes.known(episode_id, self._ports.store)

    def episode_memories(self, episode_id: str) -> list[Memory]:
        """Return the memories of an episode in order of time."""
        return episodes.memories(episode_id, self._ports.store)

    def tom(self, situation: str, person: str) -> Perspective:
        """Return a frame to see a situation with a person's eyes, with the memories that bear on it."""
        return perspective.perspective(situation, person, ports=self._ports)

    def diagnostics(self, context: str, sample_size: int = 20) -> Diagnostics:
        """Tell how what a context finds hangs together, without any trace of having asked."""
        return diagnostics.diagnose(
            context, sample_size, ports=self._ports, ties=self._ties, similarity=self._similarity
        )

    def save_visual(
        self,
        content: str,
        image_path: str | Path,
        camera_position: tuple[float, float] | None = None,
        emotion: str = "neutral",
        importance: int = 3,
        category: str = "observation",
        project: str | None = None,
    ) -> KeptMemory:
        """Keep a picture (PNG, JPEG, GIF or WebP, at most 20 MB) with what it shows.

        The camera's position is (pan, tilt) in degrees. The file is copied; symbolic links are refused.
        """
        medium = media.picture(image_path, redact=self._ports.redact)
        note = keeping.new_note(emotion, importance, category, redact=self._ports.redact)
        return keeping.keep(
            content,
            media.positioned(note, camera_position),
            project,
            ports=self._ports,
            similarity=self._similarity,
            medium=medium,
        )

    def save_audio(
        self,
        content: str,
        audio_path: str | Path,
        transcript: str = "",
        emotion: str = "neutral",
        importance: int = 3,
        category: str = "observation",
        project: str | None = None,
    ) -> KeptMemory:
        """Keep a sound (WAV, MP3, Ogg, FLAC or M4A, at most 20 MB) with what it is and what is said in it."""
        medium = media.sound(audio_path, redact=self._ports.redact)
        note = keeping.new_note(emotion, importance, category, redact=self._ports.redact)
        return keeping.keep(
            media.with_transcript(content, transcript),
            note,
            project,
            ports=self._ports,
            similarity=self._similarity,
            medium=medium,
        )

    def medium(self, memory_id: str) -> Medium | None:
        """Return the picture or sound of a memory, if it has one."""
        return self._ports.store.kept.medium(self.get(memory_id).id)

    def recall_by_camera_position(self, pan: float, tilt: float, tolerance: float = 15) -> list[KeptMemory]:
        """Return the pictures taken within `tolerance` degrees of both angles, the nearest first."""
        return media.seen_from(pan, tilt, tolerance, ports=self._ports)
