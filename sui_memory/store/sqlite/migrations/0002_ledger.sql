-- What was put before which session. Times are microseconds since 1970 UTC, as everywhere.

-- Never to be injected again: the user's mark, as `pinned` is.
alter table exchanges add column muted integer not null default 0 check (muted in (0, 1));
create index exchanges_muted on exchanges (id) where muted = 1;

-- How a hook was answered, with memories or with silence. The ids only grow; the oldest rows go.
create table injections (
    id integer primary key autoincrement,
    at integer not null,
    session any not null,                 -- as in exchanges
    event text not null,
    prompt_hash text not null,
    silence text,                         -- the reason, when nothing was shown
    memories integer not null check (memories >= 0),  -- how many were shown
    characters integer not null,
    milliseconds real not null,
    model text,
    late integer not null check (late in (0, 1))
) strict;
create index injections_by_session on injections (session);

-- The memories of an injection, in order. When a memory is forgotten nothing of it stays here either: that
-- it was there is told by `injections.memories` alone.
create table shown (
    injection_id integer not null references injections (id) on delete cascade,
    place integer not null,
    exchange_id integer not null references exchanges (id) on delete cascade,
    score real not null,
    trace text not null,                  -- JSON: [[stage, value], …]
    primary key (injection_id, place)
) strict, without rowid;
create index shown_by_exchange on shown (exchange_id);

-- When the context of a session was last compacted. Of its injections those up to `after` were made before.
create table compactions (
    session any primary key,              -- as in exchanges
    at integer not null,
    after integer not null
) strict, without rowid;
