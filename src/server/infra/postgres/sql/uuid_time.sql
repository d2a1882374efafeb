-- The instant inside a UUIDv7 (PostgreSQL 18 has its own; 15 does not). Its opposite, uuid_floor,
-- is in the migrations: the bounds of partitions rest on it.
create or replace function uuid_time(p_id uuid) returns timestamptz
language sql immutable parallel safe
return to_timestamp(
  ('x0000' || substr(p_id::text, 1, 8) || substr(p_id::text, 10, 4))::bit(64)::bigint / 1000.0
);
