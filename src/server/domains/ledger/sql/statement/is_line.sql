-- The statement shows what became of a batch of messages as one line: its hold, and what captures
-- and releases did to it. Those two kinds of entries are steps of lines, every other kind is a
-- line.
create or replace function is_line(p_kind text) returns boolean
language sql immutable parallel safe
return p_kind not in ('capture', 'release');
