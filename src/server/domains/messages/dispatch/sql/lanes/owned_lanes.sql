-- Which of these lanes are still owned under these epochs, each as lane_key(token, epoch): one process may
-- ask under a former epoch of its own, too. `complete`: all of them are. An epoch of null names no lane.
-- Called by the functions that change messages of lanes; only the owner may call it.
-- Holds a key share lock on those lanes, so that nobody claims one until the transaction ends, while
-- accepting may wake them meanwhile.
create or replace function owned_lanes(
  p_account uuid[], p_token uuid[], p_epoch bigint[], out owned text[], out complete boolean
)
language sql as $$
  with wanted as materialized (
    select distinct i.account, i.token, i.epoch
    from unnest(p_account, p_token, p_epoch) as i(account, token, epoch) where i.epoch is not null
  )
  select array_agg(f.key), count(f.key) = (select count(*) from wanted)
  from (
    select lane_key(l.token_id, l.epoch) as key
    from wanted w
    join lanes l on l.account_id = w.account and l.token_id = w.token and l.epoch = w.epoch
    order by l.account_id, l.token_id for key share of l
  ) f
$$;

revoke all on function owned_lanes from public;
