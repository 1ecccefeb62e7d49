"""What every memory store does. A backend's tests subclass this and give it a `store` fixture."""

from __future__ import annotations

from tests.store.behaviours.committing import SourcesAndCommits
from tests.store.behaviours.evidence import Evidence
from tests.store.behaviours.forgetting import Forgetting
from tests.store.behaviours.modelling import Models
from tests.store.behaviours.reading import Reading
from tests.store.behaviours.searching import Searching
from tests.store.behaviours.spelling import Spelling


class StoreBehaviour(SourcesAndCommits, Reading, Searching, Spelling, Evidence, Models, Forgetting):
    """All of it."""
