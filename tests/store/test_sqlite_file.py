"""The database file: private, recognised, upgraded, and refused in one sentence when it is not sound."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path

import apsw
import pytest

from sui_memory.errors import StoreBusyError, StoreError
from sui_memory.store import SqliteStore, open_store
from sui_memory.store.sqlite import fulltext, passages, rows
from sui_memory.store.sqlite.connection import connect, pragma, value, writing
from sui_memory.store.sqlite.migrating import Migration, migrate, ordered, shipped
from sui_memory.types import Memory, Scope, content_hash
from tests.store.samples import PlainAnalyzer, change, exchange, indexed, source, trigrams, words


def opened(path: Path, *, read_only: bool = False, analyzer: PlainAnalyzer | None = None) -> SqliteStore:
    """Open the store at `path`."""
    return open_store(path, analyzer=analyzer or PlainAnalyzer(), read_only=read_only)


def filled(path: Path, count: int = 300) -> None:
    """Make a store with exchanges, closed so that all of it is in the one file."""
    store = opened(path)
    store.commit([change(*(exchange(f"k{number}", answer="長い答え" * 50) for number in range(count)))])
    store.close()


def noise(seed: int, characters: int) -> str:
    """Return text that does not compress to much less than half."""
    return random.Random(seed).randbytes(characters // 2).hex()


def mode(path: Path) -> int:
    """Return the permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory.db"


class TestPermissions:
    @pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
    def test_no_umask_opens_the_files_to_others_or_shuts_out_the_owner(self, path: Path, umask: int) -> None:
        before = os.umask(umask)
        try:
            store = opened(path)
            store.commit([change(exchange())])
        finally:
            os.umask(before)
        assert mode(path.parent) == 0o700
        assert {item.name: mode(item) for item in path.parent.iterdir()} == dict.fromkeys(
            ("memory.db", "memory.db-wal", "memory.db-shm"), 0o600
        )
        store.close()

    @pytest.mark.parametrize(
        ("names", "wanted"),
        [
            ([], 0o700),
            (["memory.db", "config.toml", "models"], 0o700),
            (["memory.db", "thesis.txt"], 0o755),  # somebody's folder, not ours alone
        ],
    )
    def test_a_home_that_is_open_to_others_is_closed_if_nothing_else_is_in_it(
        self, path: Path, names: list[str], wanted: int
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for name in names:
            (path.parent / name).touch()
        path.parent.chmod(0o755)
        opened(path).close()
        assert mode(path.parent) == wanted

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
    def test_a_read_only_home_is_one_sentence(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        with pytest.raises(StoreError, match="cannot be created"):
            opened(tmp_path / "memory.db")
        tmp_path.chmod(0o700)

    def test_a_home_below_a_file_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StoreError, match="cannot be created"):
            opened(tmp_path / "file" / "home" / "memory.db")


class TestForeignFiles:
    def test_the_file_says_whose_it_is(self, path: Path) -> None:
        filled(path, 1)
        assert path.read_bytes()[68:72] == b"SuiM"

    def test_an_empty_file_is_a_new_store(self, tmp_path: Path) -> None:
        (tmp_path / "memory.db").touch()
        store = opened(tmp_path / "memory.db")
        assert store.check() == []
        store.close()

    @pytest.mark.parametrize("content", [b"x", b"not a database\n" * 1000, b"SQLite format 3\0"])
    def test_what_is_not_a_database_is_refused_and_left_alone(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "memory.db"
        file.write_bytes(content)
        with pytest.raises(StoreError, match=r"memory\.db"):
            opened(file)
        assert file.read_bytes() == content

    def test_the_database_of_another_program_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "memory.db"
        other = apsw.Connection(str(file))
        other.execute("create table theirs (x)")
        other.close()
        before = file.read_bytes()
        with pytest.raises(StoreError, match="another program"):
            opened(file)
        assert file.read_bytes() == before

    def test_a_folder_in_its_place_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError):
            opened(tmp_path)

    @pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
    def test_a_file_cut_off_is_refused_and_left_alone(self, path: Path, share: float) -> None:
        filled(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(StoreError, match="cut off"):
            opened(path)
        assert path.read_bytes() == whole[: int(len(whole) * share)]

    def test_damage_in_the_middle_is_reported(self, path: Path) -> None:
        filled(path)
        content = bytearray(path.read_bytes())
        middle = slice(len(content) // 4, len(content) * 3 // 4)
        content[middle] = b"\xff" * len(content[middle])
        path.write_bytes(content)
        with pytest.raises(StoreError, match="damaged"):
            list(opened(path).scan(Scope()))
        store = opened(path)
        assert store.check()
        store.close()

    def test_reading_needs_a_store_that_is_there(self, path: Path) -> None:
        with pytest.raises(StoreError, match="no archive"):
            opened(path, read_only=True)
        assert not path.exists()


class TestReadOnly:
    def test_a_read_only_store_reads_and_does_not_write(self, path: Path) -> None:
        filled(path, 3)
        store = opened(path, read_only=True)
        assert len(list(store.scan(Scope()))) == 3
        assert len(store.search_substring("答", Scope(), 5)) == 3
        with pytest.raises(StoreError, match="cannot be written"):
            store.commit([change(exchange("k9"), path="/t/b.jsonl")])
        store.close()

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
    def test_it_reads_in_a_folder_that_cannot_be_written(self, path: Path) -> None:
        filled(path, 3)
        path.parent.chmod(0o500)
        store = opened(path, read_only=True)
        assert len(store.search_substring("答", Scope(), 5)) == 3
        store.close()
        path.parent.chmod(0o700)

    def test_it_sees_what_another_commits_meanwhile(self, path: Path) -> None:
        writer = opened(path)
        reader = opened(path, read_only=True)
        writer.commit([change(exchange())])
        assert len(list(reader.scan(Scope()))) == 1
        reader.close()
        writer.close()


class TestMigrations:
    def test_files_of_one_number_are_refused(self) -> None:
        with pytest.raises(StoreError, match="number 1"):
            ordered({"0001_a.sql": "", "0001_b.sql": ""})

    def test_they_are_numbered_from_one_without_a_gap(self) -> None:
        assert [migration.number for migration in shipped()] == list(range(1, len(shipped()) + 1))

    def test_a_later_one_is_applied_to_an_older_store(self, path: Path) -> None:
        filled(path, 1)
        later = Migration(99, "0099_more.sql", "create table more (x text) strict;")
        connection = connect(path)
        migrate(connection, [*shipped(), later], path)
        migrate(connection, [*shipped(), later], path)
        assert pragma(connection, "user_version") == 99
        connection.close()

    def test_an_archive_of_version_1_keeps_everything(self, path: Path) -> None:
        analyzer, old = PlainAnalyzer(), [exchange("k1", "古い鍵", files=("a.py",)), exchange("k2")]
        connection = connect(path)
        migrate(connection, shipped()[:1], path)
        with writing(connection):
            fulltext.create(connection, analyzer)
            for number, one in enumerate(old, 1):
                columns = ("id", "hash", "pinned", "edited", *rows.COLUMNS)
                connection.execute(
                    f"insert into exchanges ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
                    (number, content_hash(one), number == 1, False, *rows.values(one)),
                )
                connection.execute("insert into contents values (?, ?, ?)", (number, *rows.contents(one)))
            passages.add(connection, list(enumerate(map(indexed, old), 1)), analyzer)
        connection.close()
        store = opened(path)
        assert list(store.scan(Scope())) == [Memory(old[0], pinned=True), Memory(old[1])]
        assert words(store, "古い鍵") == trigrams(store, "古い鍵") == {old[0].id}
        store.mute(old[0].id, muted=True)
        assert store.muted() == [Memory(old[0], pinned=True, muted=True)]
        assert store.ledger.injections(10) == []
        assert store.check() == []
        store.close()

    def test_one_that_fails_leaves_nothing_behind(self, path: Path) -> None:
        filled(path, 1)
        broken = Migration(99, "0099_broken.sql", "create table more (x text) strict; nonsense;")
        connection = connect(path)
        with pytest.raises(apsw.SQLError):
            migrate(connection, [*shipped(), broken], path)
        connection.close()
        store = opened(path)
        assert store.check() == []
        store.close()

    def test_a_store_of_a_newer_version_is_refused(self, path: Path) -> None:
        filled(path, 1)
        connection = connect(path)
        migrate(connection, [*shipped(), Migration(99, "0099_more.sql", "select 1;")], path)
        connection.close()
        for read_only in (False, True):
            with pytest.raises(StoreError, match="newer sui-memory"):
                opened(path, read_only=read_only)

    def test_a_migration_that_was_changed_after_it_was_applied_is_refused(self, path: Path) -> None:
        filled(path, 1)
        connection = connect(path)
        first, *rest = shipped()
        with pytest.raises(StoreError, match="another migration 1"):
            migrate(connection, [Migration(1, first.name, first.sql + " "), *rest], path)
        connection.close()

    def test_an_older_store_cannot_be_opened_for_reading_alone(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled(path, 1)
        later = [*shipped(), Migration(99, "0099_more.sql", "select 1;")]
        monkeypatch.setattr("sui_memory.store.sqlite.store.shipped", lambda: later)
        with pytest.raises(StoreError, match="older sui-memory"):
            opened(path, read_only=True)


class TestTrouble:
    def test_a_full_disk_is_one_sentence_and_loses_nothing(self, path: Path) -> None:
        filled(path, 5)
        store = opened(path)
        pragma(store._connection, f"max_page_count = {pragma(store._connection, 'page_count')}")
        many = [exchange(f"k{number}", answer=noise(number, 4000)) for number in range(100, 200)]
        with pytest.raises(StoreError, match="disk is full"):
            store.commit([change(*many, path="/t/b.jsonl")])
        assert len(list(store.scan(Scope()))) == 5
        pragma(store._connection, "max_page_count = 4294967294")
        assert store.commit([change(*many, path="/t/b.jsonl")]).new == 100
        assert store.check() == []
        store.close()

    def test_waiting_too_long_for_another_writer_is_one_sentence(self, path: Path) -> None:
        store, other = opened(path), connect(path)
        store._connection.set_busy_timeout(1)
        other.execute("begin immediate")
        with pytest.raises(StoreBusyError, match="another process"):
            store.commit([change(exchange())])
        assert list(store.scan(Scope())) == []
        other.execute("rollback")
        other.close()
        assert store.commit([change(exchange())]).new == 1
        store.close()

    def test_an_error_in_the_middle_undoes_the_whole_commit(self, path: Path) -> None:
        store = opened(path)
        bad = exchange("k2", answer="\ud800")
        with pytest.raises(UnicodeEncodeError):
            store.commit([change(exchange("k1")), change(bad, path="/t/b.jsonl")])
        assert store.sources() == {}
        assert store.commit([change(exchange("k1"))]).new == 1
        assert store.check() == []
        store.close()


class TestClosing:
    @pytest.fixture
    def store(self, path: Path) -> SqliteStore:
        """A store to which much was added in several commits."""
        store = opened(path)
        for part in range(3):
            many = [exchange(f"k{part}-{number}", noise(number, 60)) for number in range(part, 1200, 3)]
            store.commit([change(*many, path=f"/t/{part}.jsonl")])
        return store

    def test_closing_after_many_commits_leaves_the_file_compact(self, store: SqliteStore) -> None:
        store.close()
        connection = connect(store.path)
        for table in ("words", "trigrams"):
            assert value(connection, f"select count(distinct segid) from {table}_idx") == 1
        assert pragma(connection, "freelist_count") == 0
        connection.close()
        again = opened(store.path)
        assert again.check() == []
        assert len(again.search_trigrams(noise(7, 60), Scope(), 50)) > 1
        again.close()

    def test_another_writer_does_not_keep_it_from_closing(self, store: SqliteStore) -> None:
        other = connect(store.path)
        other.execute("begin immediate")
        store._connection.set_busy_timeout(1)
        store.close()
        other.execute("rollback")
        other.close()
        again = opened(store.path)
        assert again.check() == []
        again.close()


class TestAnalysis:
    def test_an_index_of_another_analysis_is_read_but_not_written(self, path: Path) -> None:
        filled(path, 3)
        store = opened(path, analyzer=PlainAnalyzer(version="plain-2"))
        assert not store.index_is_current()
        assert len(store.search_substring("答", Scope(), 5)) == 3
        with pytest.raises(StoreError, match="sui-memory rebuild"):
            store.commit([change(exchange("k1", answer="別"), before=source(), offset=20)])
        assert [finding for finding in store.check() if "plain-1" in finding]
        assert list(store.rebuild_index())[-1] == (3, 3)
        assert store.index_is_current()
        assert store.check() == []
        assert store.commit([change(exchange("k1", answer="別"), before=source(), offset=20)]).updated == 1
        assert store.check() == []
        store.close()

    def test_an_empty_store_takes_the_new_analysis_by_itself(self, path: Path) -> None:
        opened(path).close()
        store = opened(path, analyzer=PlainAnalyzer(fts_tokenizer="unicode61"))
        assert store.check() == []
        assert store.commit([change(exchange())]).new == 1
        store.close()

    def test_a_rebuild_cut_short_is_noticed_and_can_be_repeated(self, path: Path) -> None:
        filled(path, 150)
        store = opened(path)
        steps = store.rebuild_index()
        next(steps)
        del steps
        store.close()
        store = opened(path)
        assert [finding for finding in store.check() if "unfinished" in finding]
        with pytest.raises(StoreError, match="sui-memory rebuild"):
            store.forget(["k1"], {})
        assert list(store.rebuild_index())[-1] == (150, 150)
        assert store.check() == []
        store.close()

    def test_check_notices_an_index_that_is_damaged(self, path: Path) -> None:
        filled(path, 3)
        store = opened(path)
        store._connection.execute("update words_data set block = zeroblob(length(block)) where id > 10")
        assert [finding for finding in store.check() if "words" in finding]
        store.close()
        reader = opened(path, read_only=True)
        assert [finding for finding in reader.check() if "words" in finding]
        reader.close()

    def test_check_notices_an_index_that_has_lost_rows(self, path: Path) -> None:
        filled(path, 3)
        store = opened(path)
        store._connection.execute("insert into words (words) values ('delete-all')")
        assert store.check() == ["The index words holds 0 of 3 passages: run `sui-memory rebuild`."]
        store.close()
