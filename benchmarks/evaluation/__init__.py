"""How well recall works: sets of queries with known answers, run through the real pipeline and counted."""
