-- Claims due links in order, at most four of one account at once, including those in progress: a slow host of one
-- account does not delay the files of others. `tries` is counted before the work, so that a link that kills its worker
-- also ends. Of each account it reads no more rows than it may claim and has in progress. Called by the fetcher. Locks
-- the claimed rows, and skips those that another worker is claiming.
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

-- Blocks other changes of some accounts' files until the transaction ends. Called before files are added or removed.
-- Locks the accounts, in their order.
create or replace function lock_storage_usage(p_accounts uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('stored ' || a.id, 0))
    from (select distinct id from unnest(p_accounts) as u(id) order by id) a;
end
$$;

revoke all on function lock_storage_usage from public;
grant execute on function lock_storage_usage to kabari_app;

-- Maintains the total bytes of an account's files: the same content under several names is stored, and counts, once. An
-- account without a row is summed up when its total is first read. Called by triggers of files. Locks the accounts, in
-- their order, as the summing does, so that concurrent changes of an account are seen.
create or replace function count_storage_usage() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  perform lock_storage_usage(array(select c.account_id from changed c));
  if tg_op = 'INSERT' then
    update storage_usage s set bytes = s.bytes + n.bytes
      from (
        select c.account_id, sum(c.size_bytes) as bytes
        from (select distinct account_id, sha256, size_bytes from changed) c
        where not exists (
          select from files f where f.sha256 = c.sha256 and f.account_id = c.account_id
            and not exists (
              select from changed o where o.account_id = f.account_id and o.file_id = f.file_id))
        group by c.account_id
      ) n where s.account_id = n.account_id;
  else
    update storage_usage s set bytes = s.bytes - n.bytes
      from (
        select c.account_id, sum(c.size_bytes) as bytes
        from (select distinct account_id, sha256, size_bytes from changed) c
        where not exists (
          select from files f where f.sha256 = c.sha256 and f.account_id = c.account_id)
        group by c.account_id
      ) n where s.account_id = n.account_id;
  end if;
  return null;
end
$$;

revoke all on function count_storage_usage from public;

create or replace trigger bytes_come after insert on files
  referencing new table as changed for each statement execute function count_storage_usage();
create or replace trigger bytes_go after delete on files
  referencing old table as changed for each statement execute function count_storage_usage();
