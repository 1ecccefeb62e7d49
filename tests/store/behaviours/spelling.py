"""What a store knows of terms that it does not hold: those that are like them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.store import MemoryStore
from tests.store.samples import change, exchange


class Spelling:
    """What a store knows of terms that it does not hold: those that are like them."""

    @pytest.mark.parametrize(
        ("slip", "meant"),
        [
            ("gralde", "gradl"),  # the index holds stems
            ("bulid", "build"),
            ("authetication", "authent"),
            ("threshhold", "threshold"),
            ("normalize", "normalis"),
            ("hodl", "hold"),  # of four letters two may change places
            ("sevrer", "server"),
            ("srever", "server"),  # within the prefix that is searched
            ("settver", ""),  # two edits are too many for seven letters
            ("postgress", "postgr"),
            ("holt", ""),  # but none may be another one
            ("meant", ""),  # the last letter makes another word
            ("async", ""),  # and so does the first
            ("zyzzyva", ""),
        ],
    )
    def test_a_slip_leads_to_the_term_that_was_meant(self, store: MemoryStore, slip: str, meant: str) -> None:
        words = "gradle build authentication threshold normalise hold server postgres mean sync"
        store.commit([change(exchange("k1", words))])
        assert list(store.similar([slip])[slip]) == [meant] * bool(meant)

    def test_the_nearest_come_first_and_then_the_most_frequent(self, store: MemoryStore) -> None:
        texts = ["throttlab", "throttlab", "throttlob", "throttlaaab"]
        store.commit([change(*(exchange(f"k{number}", text) for number, text in enumerate(texts)))])
        found = store.similar(["throttlaab"])["throttlaab"]
        assert list(found.items()) == [("throttlab", 1), ("throttlaaab", 1), ("throttlob", 2)]

    def test_words_of_one_sound_are_told_with_their_passages(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1", "かいぎ"), exchange("k2", "かいぎ"), exchange("k3", "とけい"))])
        assert store.sounding(["かいぎ", "きかい"]) == {"かいぎ": {"かいぎ": 2}}

    def test_an_empty_store_knows_nothing_alike(self, store: MemoryStore) -> None:
        assert store.similar(["server"]) == {"server": {}}
        assert store.sounding(["かいぎ"]) == {}
        store.commit([change(exchange("k1", "かいぎ"))])
        assert store.sounding(["かいぎ"]) == {"かいぎ": {"かいぎ": 1}}

    @given(term=st.text(max_size=80))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
    def test_any_text_may_be_asked_for(self, store: MemoryStore, term: str) -> None:
        assert set(store.similar([term])) == {term}
        store.sounding([term])
