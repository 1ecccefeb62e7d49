-- What was kept on purpose, and what ties memories together. Times are microseconds since 1970 UTC.

-- Why a kept memory is no longer called to mind; null while it is. Scopes leave out what has a reason.
alter table exchanges add column rest text check (rest in ('merged', 'forgotten'));
create index exchanges_at_rest on exchanges (id) where rest is not null;

create table notes (
    exchange_id integer primary key references exchanges (id) on delete cascade,
    emotion text not null,
    importance integer not null check (importance between 1 and 5),
    category text not null,
    tags text not null,                   -- JSON: [tag, …]
    accessed integer not null default 0,
    accessed_at integer,
    pan_angle real,
    tilt_angle real
) strict;

-- What a kept memory sums up.
create table note_sources (
    exchange_id integer not null references exchanges (id) on delete cascade,
    source_id integer not null references exchanges (id) on delete cascade,
    primary key (exchange_id, source_id)
) strict, without rowid;
create index note_sources_by_source on note_sources (source_id);

create table media (
    exchange_id integer primary key references exchanges (id) on delete cascade,
    kind text not null check (kind in ('picture', 'audio')),
    mime text not null,
    name text not null,
    data blob not null,
    thumbnail blob
) strict;

create table links (
    source_id integer not null references exchanges (id) on delete cascade,
    target_id integer not null references exchanges (id) on delete cascade,
    type text not null,
    note text not null,
    strength real not null check (strength > 0 and strength <= 1),
    created_at integer not null,
    primary key (source_id, target_id, type)
) strict, without rowid;
create index links_by_target on links (target_id);

create table episodes (
    id integer primary key autoincrement,
    name text not null unique,
    title text not null,
    summary text not null,
    participants text not null,           -- JSON: [name, …]
    created_at integer not null
) strict;
create table episode_memories (
    episode_id integer not null references episodes (id) on delete cascade,
    exchange_id integer not null references exchanges (id) on delete cascade,
    primary key (episode_id, exchange_id)
) strict, without rowid;
create index episode_memories_by_exchange on episode_memories (exchange_id);

-- A summary may hold the words of any of its memories: it goes when one of them is forgotten, and the whole
-- episode with the last.
create trigger episode_bereft after delete on episode_memories begin
    update episodes set summary = '' where id = old.episode_id;
    delete from episodes where id = old.episode_id
        and not exists (select 1 from episode_memories where episode_id = old.episode_id);
end;

-- What was called to mind, and when; rows of one moment belong together. The oldest rows go.
create table activations (
    id integer primary key autoincrement,
    exchange_id integer not null references exchanges (id) on delete cascade,
    at integer not null
) strict;
create index activations_by_exchange on activations (exchange_id);
create index activations_by_time on activations (at);
