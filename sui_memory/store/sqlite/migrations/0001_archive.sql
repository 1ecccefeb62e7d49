-- Where the full-text tables are: `words` needs the analyzer's tokenizer, so fulltext.py makes both.
-- Times are microseconds since 1970 UTC.

-- Facts about the store as a whole, such as the analysis the index was made with.
create table meta (
    name text primary key,
    value text not null
) strict, without rowid;

-- Transcripts and how far they have been read. Sources that share exchanges have one family: the
-- smallest id among them.
create table sources (
    id integer primary key,
    path text not null unique,
    agent text not null,
    position integer not null check (position >= 0),
    head blob not null,
    size integer not null,
    mtime_ns integer not null,
    family integer not null
) strict;
create index sources_by_family on sources (family);

-- Compressed raw records of a source, in order; each segment in parts, because rows of half a page leave
-- a fifth of the pages empty.
create table segments (
    id integer primary key,
    source_id integer not null references sources (id) on delete cascade,
    seq integer not null check (seq >= 0),
    part integer not null check (part >= 0),
    data blob not null,
    unique (source_id, seq, part)
) strict;

-- What a query asks for, so that a filter reads few pages.
create table exchanges (
    id integer primary key,
    name text not null unique,            -- Exchange.id
    key any not null unique,              -- 16 bytes when it is a canonical uuid, else text
    fingerprint any not null,             -- 16 bytes when it is 32 hexadecimal digits, else text
    source_id integer references sources (id) on delete set null,  -- null: imported
    hash blob not null,                   -- content_hash() of the exchange as archived
    pinned integer not null default 0 check (pinned in (0, 1)),
    edited integer not null default 0 check (edited in (0, 1)),
    auto integer not null check (auto in (0, 1)),
    sidechain integer not null check (sidechain in (0, 1)),
    branch text not null,
    border integer not null,              -- characters of the question's side in Exchange.text
    size integer not null,                -- bytes of Exchange.text in UTF-8
    asked_at integer,
    answered_at integer,
    session any not null,                 -- as key
    project text not null,
    git_branch text
) strict;
create index exchanges_by_fingerprint on exchanges (fingerprint);
create index exchanges_by_source on exchanges (source_id);
create index exchanges_by_session on exchanges (session, ifnull(asked_at, 0));
create index exchanges_by_project on exchanges (project, ifnull(asked_at, 0));
create index exchanges_by_time on exchanges (ifnull(asked_at, 0));

-- The rest of an exchange: its text, and what is only ever read together with it.
create table contents (
    exchange_id integer primary key references exchanges (id) on delete cascade,
    uuids any not null,                   -- 16 bytes each when all are canonical, else JSON
    fields any not null                   -- JSON, compressed by zstd unless that is no shorter
) strict;

-- A passage is a slice of Exchange.text, counted in characters; it never changes, and its id, which is
-- the rowid of both full-text tables and of the vectors, is never used again.
create table passages (
    id integer primary key autoincrement,
    exchange_id integer not null references exchanges (id) on delete cascade,
    ordinal integer not null,
    start integer not null,
    stop integer not null
) strict;
create index passages_by_exchange on passages (exchange_id);

-- What was forgotten and must not come back with the next sync.
create table tombstones (
    key any primary key,                  -- as in exchanges
    fingerprint any not null
) strict, without rowid;
create index tombstones_by_fingerprint on tombstones (fingerprint);

-- Vectors of model n are in the vec0 table vectors_n. No passage up to `watermark` lacks one.
-- `added` and `removed` only grow; by them a copy in memory knows what it has missed.
create table models (
    id integer primary key autoincrement,
    name text not null unique,
    dim integer not null check (dim > 0),
    active integer not null check (active in (0, 1)),
    watermark integer not null default 0,
    added integer not null default 0,
    removed integer not null default 0
) strict;
