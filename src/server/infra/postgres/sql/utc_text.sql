-- An instant as programs write it: 2026-11-21T02:05:00Z.
create or replace function utc_text(p_at timestamptz) returns text
language sql stable parallel safe
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
