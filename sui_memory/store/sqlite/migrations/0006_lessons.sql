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

-- How often what fires was changed: whoever holds lessons in memory asks for it. Counting changes nothing.
create table lesson_changes (number integer not null) strict;
insert into lesson_changes values (0);
create trigger lessons_added after insert on lessons begin update lesson_changes set number = number + 1; end;
create trigger lessons_removed after delete on lessons begin update lesson_changes set number = number + 1; end;
create trigger lessons_changed
after update of action, keywords, pattern, project, tool, priority, source_id on lessons begin
    update lesson_changes set number = number + 1;
end;
create trigger reminders_added after insert on reminders begin
    update lesson_changes set number = number + 1;
end;
create trigger reminders_removed after delete on reminders begin
    update lesson_changes set number = number + 1;
end;
create trigger reminders_changed after update of action, trigger, at, until, remaining on reminders begin
    update lesson_changes set number = number + 1;
end;
