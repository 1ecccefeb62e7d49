-- Lessons (if this comes up, then do that) and reminders. Times are microseconds since 1970 UTC.
create table lessons (
    id integer primary key autoincrement,
    action text not null,
    keywords text not null,               -- JSON: [keyword, …]
    pattern text,
    project text,
    tool text,
    priority integer not null check (priority between 1 and 5),
    source_id integer references exchanges (id) on delete set null,
    fired integer not null default 0,
    fired_at integer,
    created_at integer not null
) strict;
create index lessons_by_source on lessons (source_id);

create table reminders (
    id integer primary key autoincrement,
    action text not null,
    trigger text,
    at integer,
    until integer,
    remaining integer check (remaining >= 0),  -- null: without end
    told integer not null default 0,
    created_at integer not null
) strict;
