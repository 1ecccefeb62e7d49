"""Finding one's way without a search."""

from __future__ import annotations

from datetime import timedelta

from sui_memory.store import MemoryStore
from sui_memory.types import Memory, Scope
from tests.store.samples import (
    EVERYTHING,
    START,
    change,
    exchange,
)


class Reading:
    """Finding one's way without a search."""

    def test_get_keeps_the_order_asked_and_leaves_out_the_unknown(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"))])
        ids = [exchange("k2").id, "nothing", exchange("k1").id]
        assert [stored.id for stored in store.get(ids)] == [ids[0], ids[2]]

    def test_find_completes_the_beginning_of_an_id(self, store: MemoryStore) -> None:
        many = [exchange(f"k{number}") for number in range(30)]
        store.commit([change(*many)])
        name = many[3].id
        assert store.find(name[:9]) == [name]
        assert store.find(name.upper()) == [name]
        assert store.find("") == sorted(one.id for one in many)[:10]
        assert store.find("%") == []

    def test_neighbours_stay_in_the_session_and_its_side(self, store: MemoryStore) -> None:
        line = [exchange(f"k{number}") for number in range(5)]
        other = exchange("k12", session="s2", asked_at=START + timedelta(minutes=2))
        aside = exchange("k22", sidechain=True, asked_at=START + timedelta(minutes=2))
        store.commit([change(*reversed(line), other, aside)])
        found = store.neighbours(line[2].id, 1, 2)
        assert [stored.exchange.key for stored in found] == ["k1", "k2", "k3", "k4"]
        assert store.neighbours("nothing", 1, 1) == []

    def test_scan_goes_from_the_oldest_to_the_newest(self, store: MemoryStore) -> None:
        timeless = exchange("k0", asked_at=None)
        store.commit([change(exchange("k2"), exchange("k1"), timeless)])
        assert [stored.exchange.key for stored in store.scan(EVERYTHING)] == ["k0", "k1", "k2"]

    def test_scan_crosses_pages_while_others_write(self, store: MemoryStore) -> None:
        store.commit([change(*(exchange(f"k{number}") for number in range(450)))])
        scan = store.scan(EVERYTHING)
        first = next(scan)
        store.pin(first.id, pinned=True)
        assert [first, *scan] == [Memory(exchange(f"k{number}")) for number in range(450)]

    def test_sessions_are_listed_from_the_most_recent(self, store: MemoryStore) -> None:
        store.commit(
            [
                change(
                    exchange("k1", "最初の質問\nです"),
                    exchange("k2", "次の質問"),
                    exchange("k9", "別の話", session="s2", project="/code/other"),
                    exchange("k5", session="s3", auto=True),
                )
            ]
        )
        rows = store.sessions(Scope(), 10)
        assert [(row.session, row.exchanges, row.title) for row in rows] == [
            ("s2", 1, "別の話"),
            ("s1", 2, "最初の質問 です"),
        ]
        assert rows[1].first_at == START + timedelta(minutes=1)
        assert rows[1].last_at == START + timedelta(minutes=2, seconds=30)
        assert [row.session for row in store.sessions(Scope(), 1, 1)] == ["s1"]
        assert store.projects() == {"/code/app": 3, "/code/other": 1}

    def test_stats_count_what_is_there(self, store: MemoryStore) -> None:
        store.commit([change(exchange("k1"), exchange("k2"), segments=(b"12345",))])
        stats = store.stats()
        assert (stats["exchanges"], stats["sessions"], stats["raw_bytes"]) == (2, 1, 5)
        assert stats["first_at"] == "2026-01-01T09:01:00+00:00"
