-- Which of these lanes are still owned under these epochs, each as lane_key(token, epoch): one process may
-- ask under a former epoch of its own, too. Null where there is none. An epoch of null names no lane. Called by the functions that change messages of lanes; only the owner may call it.
-- Holds a key share lock on those lanes, so that nobody claims one until the transaction ends, while
-- accepting may wake them meanwhile.
create or replace function owned_lanes(p_account uuid[], p_token uuid[], p_epoch bigint[])
returns text[]
language sql as $$
  select array_agg(owned.key) from (
    select lane_key(l.token_id, l.epoch) as key
    from (
      select distinct i.account, i.token, i.epoch
      from unnest(p_account, p_token, p_epoch) as i(account, token, epoch) where i.epoch is not null
    ) f
    join lanes l on l.account_id = f.account and l.token_id = f.token and l.epoch = f.epoch
    order by l.account_id, l.token_id for key share of l
  ) owned
$$;

revoke all on function owned_lanes from public;
