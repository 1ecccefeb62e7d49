"""Brings the schema up to date from numbered `.sql` files, each in one transaction, each with a checksum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import apsw

from sui_memory.errors import StoreError
from sui_memory.store.sqlite.connection import APPLICATION_ID, fetch, pragma, value, writing

_LEDGER = """
    create table if not exists migrations (
        number integer primary key,
        name text not null,
        checksum text not null
    ) strict
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the SQL, by which a changed file is noticed."""
        return sha256(self.sql.encode()).hexdigest()


def shipped() -> list[Migration]:
    """Return the migrations of this version, in order."""
    folder = files("sui_memory.store.sqlite.migrations")
    texts = {item.name: item.read_text("utf-8") for item in folder.iterdir() if item.name.endswith(".sql")}
    return ordered(texts)


def ordered(texts: dict[str, str]) -> list[Migration]:
    """Return file name → SQL as migrations in order; two of one number are an error."""
    migrations: dict[int, Migration] = {}
    for name in sorted(texts):
        number = int(name.partition("_")[0])
        if number in migrations:
            raise StoreError(
                f"Two migrations have the number {number}: {migrations[number].name} and {name}."
            )
        migrations[number] = Migration(number, name, texts[name])
    return [migrations[number] for number in sorted(migrations)]


def migrate(connection: apsw.Connection, migrations: Sequence[Migration], path: Path) -> None:
    """Apply what is missing; refuse a database of a newer version or of other migrations."""
    for migration in _missing(connection, migrations, path):
        with writing(connection):
            # Another process may have applied it while this one waited for the lock.
            if migration in _missing(connection, migrations, path):
                _apply(connection, migration)


def require_current(connection: apsw.Connection, migrations: Sequence[Migration], path: Path) -> None:
    """Raise unless the schema is that of `migrations`: what a read-only connection needs."""
    if _missing(connection, migrations, path):
        raise StoreError(
            f"{path} was made by an older sui-memory: run any command that writes, to bring it up to date."
        )


def _missing(connection: apsw.Connection, migrations: Sequence[Migration], path: Path) -> list[Migration]:
    applied = _applied(connection)
    known = {migration.number: migration.checksum for migration in migrations}
    newest = max(known, default=0)
    for number, checksum in applied.items():
        if number > newest:
            raise StoreError(
                f"{path} was made by a newer sui-memory (schema {number}, this one knows {newest}): "
                "upgrade sui-memory."
            )
        if known.get(number) != checksum:
            raise StoreError(
                f"{path} was made with another migration {number} than this sui-memory has: "
                "install the version that made it."
            )
    return [migration for migration in migrations if migration.number not in applied]


def _applied(connection: apsw.Connection) -> dict[int, str]:
    if not value(connection, "select 1 from sqlite_schema where type = 'table' and name = 'migrations'"):
        return {}
    return {
        number: checksum for number, checksum in fetch(connection, "select number, checksum from migrations")
    }


def _apply(connection: apsw.Connection, migration: Migration) -> None:
    connection.execute(_LEDGER)
    connection.execute(migration.sql)
    connection.execute(
        "insert into migrations (number, name, checksum) values (?, ?, ?)",
        (migration.number, migration.name, migration.checksum),
    )
    pragma(connection, f"application_id = {APPLICATION_ID}")
    pragma(connection, f"user_version = {migration.number}")
