-- Which requests fit whole, counting those before them of the same wallet and token; the saldo
-- after each, and the number of the entry that would hold its price. w_* are the locked wallets.
-- Read by accept_many, within its statement: PostgreSQL inlines it, so it must stay one plain
-- `stable` select. Only the owner may call it.
create or replace function fitting_requests(
  p_account uuid[], p_token uuid[], p_from int[], p_upto int[], p_sum bigint[], p_peer text[],
  p_today date, w_account uuid[], w_available bigint[], w_seq bigint[]
) returns table (ord bigint, fits boolean, saldo bigint, hold_seq bigint)
language sql stable as $$
  select f.ord, f.fits,
    f.available - coalesce(
      sum(f.sum) filter (where f.fits) over (partition by f.account order by f.ord), 0
    )::bigint,
    f.hold_seq
  from (
    select r.ord, r.account, r.sum, w.available, w.seq + 1 as hold_seq, coalesce(
        w.account is not null and sum(r.sum) over mine <= w.available
          and t.status in ('linked', 'disconnected')
          and t.accepted + sum(r.upto - r.start + 1) over theirs <= t.daily_limit
          and not exists (
            select from optouts o
            where o.account_id = r.account and o.token_id = r.token
              and o.peer = any (p_peer[r.start:r.upto])
          ),
        false
      ) as fits
    from unnest(p_account, p_token, p_from, p_upto, p_sum) with ordinality
      as r(account, token, start, upto, sum, ord)
    left join unnest(w_account, w_available, w_seq) as w(account, available, seq)
      on w.account = r.account
    left join lateral (
      select k.status, k.daily_limit,
        case when l.day = p_today then l.accepted else 0 end as accepted
      from tokens k left join lanes l on l.account_id = k.account_id and l.token_id = k.token_id
      where k.account_id = r.account and k.token_id = r.token and k.deleted_at is null limit 1
    ) t on true
    window mine as (partition by r.account order by r.ord),
      theirs as (partition by r.account, r.token order by r.ord)
  ) f
$$;

revoke all on function fitting_requests from public;
