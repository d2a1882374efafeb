-- A lane under an epoch, as owned_lanes and renew_lanes name it.
create or replace function lane_key(p_token uuid, p_epoch bigint) returns text
language sql immutable parallel safe as $$ select p_token || '.' || p_epoch $$;
