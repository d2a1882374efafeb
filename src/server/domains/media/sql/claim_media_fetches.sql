-- Takes links that are due, in order, at most four of one account at once, those under way among them: a slow host
-- of one delays no other's files. `tries` is counted before the work, so that what kills a worker ends, too. Of an
-- account no more is read than what may be taken and what is under way.
-- Called by the fetcher. Locks what it takes, and leaves out what another worker is taking.
create or replace function claim_media_fetches(p_max int, p_lease interval)
returns table (o_account uuid, o_fetch uuid, o_link text, o_kind text, o_tries int)
language plpgsql set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  with recursive account as (
    (select m.account_id from media_fetches m where m.state = 'waiting' order by m.account_id limit 1)
    union all
    select next.account_id from account a cross join lateral (
      select m.account_id from media_fetches m
      where m.state = 'waiting' and m.account_id > a.account_id order by m.account_id limit 1
    ) next
  ), candidate as (
    select w.place
    from account a
    cross join lateral (
      select count(*) as n from media_fetches m
      where m.account_id = a.account_id and m.state = 'waiting' and m.lease_until >= v_now
    ) held
    cross join lateral (
      select first.place, row_number() over (order by first.due_at) as nth from (
        select m.ctid as place, m.due_at from media_fetches m
        where m.account_id = a.account_id and m.state = 'waiting' and m.due_at <= v_now
          and (m.lease_until is null or m.lease_until < v_now)
        order by m.due_at limit 4
      ) first
    ) w
    where w.nth + held.n <= 4
  ), taken as (
    select d.ctid as place from media_fetches d
    where d.ctid = any(array(select c.place from candidate c)) and d.state = 'waiting'
      and (d.lease_until is null or d.lease_until < v_now)
    order by d.due_at limit p_max for update skip locked
  )
  update media_fetches f set tries = f.tries + 1, lease_until = v_now + p_lease
    where f.ctid = any(array(select t.place from taken t))
    returning f.account_id, f.fetch_id, f.link, f.kind, f.tries;
end
$$;

revoke all on function claim_media_fetches from public;
grant execute on function claim_media_fetches to kabari_app;
