-- The best of what an injection was silent about: memories that were found, and turned away for too little
-- evidence. They are no part of `shown`, so that nothing counts them as seen; they go with their memories.
create table refused (
    injection_id integer not null references injections (id) on delete cascade,
    place integer not null,
    exchange_id integer not null references exchanges (id) on delete cascade,
    score real not null,
    trace text not null,                  -- as in shown
    primary key (injection_id, place)
) strict, without rowid;
create index refused_by_exchange on refused (exchange_id);
