-- What came of a memory that was shown: whether the answer that followed drew on it. Null until that answer
-- is archived; 'unclear' when the memory tells too little beyond the prompt. It goes with the row.
alter table shown add column verdict text check (verdict in ('used', 'ignored', 'unclear'));
