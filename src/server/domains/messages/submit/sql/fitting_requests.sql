-- Which requests fit whole, counting those before them of the same wallet and token; the saldo
-- after each, and the number of the entry that would hold its price. w_* are the locked wallets;
-- w_left and w_price, of those with a plan, what is left of its quota and the price beyond it. What a
-- request costs by a plan depends on all before it, so of such a wallet nothing fits behind one that
-- does not. The items of a request all have a price, or none has (p_sum 0). Messages of the Cloud API cost what
-- their categories do, by a plan, too: they are taken from no quota.
-- Read by accept_many, within its statement: PostgreSQL inlines it, so it must stay one plain
-- `stable` select. Only the owner may call it.
create or replace function fitting_requests(
  p_account uuid[], p_token uuid[], p_from int[], p_upto int[], p_sum bigint[], p_peer text[],
  p_today date, w_account uuid[], w_available bigint[], w_seq bigint[], w_left int[],
  w_price bigint[], w_bonus_only boolean[]
) returns table (ord bigint, fits boolean, saldo bigint, hold_seq bigint)
language sql stable as $$
  select f.ord, f.fits,
    f.available - coalesce(
      sum(f.cost) filter (where f.fits) over (partition by f.account order by f.ord), 0
    )::bigint,
    f.hold_seq
  from (
    select c.ord, c.account, c.cost, c.available, c.seq + 1 as hold_seq, c.could and (
        c.price is null or bool_and(c.could) over (partition by c.account order by c.ord)
      ) as fits
    from (
      select r.ord, r.account, r.cost, r.available, r.seq, r.price, coalesce(
          r.available is not null and sum(r.cost) over mine <= r.available
            and r.status in ('linked', 'disconnected') and not r.account_suspended
            and r.accepted + sum(r.upto - r.start + 1) over theirs <= r.daily_limit
            and (not r.bonus_only or r.cost = 0 or r.channel = 'simulator')
            and not exists (
              select from optouts o
              where o.account_id = r.account and o.token_id = r.token
                and o.peer = any (p_peer[r.start:r.upto])
            ),
          false
        ) as could
      from (
        select i.*, w.available, w.seq, w.price, w.bonus_only, case when w.price is null then i.sum
            else (i.sum * (i.paid = 0)::int) + w.price * (
              greatest(0, sum(i.paid) over (partition by i.account order by i.ord) - w.left)
                - greatest(0, sum(i.paid) over (partition by i.account order by i.ord) - i.paid - w.left)
            ) end as cost
        from (
          select p.*, t.*,
            case when p.sum > 0 and t.channel is distinct from 'cloud'
              then p.upto - p.start + 1 else 0 end as paid
          from unnest(p_account, p_token, p_from, p_upto, p_sum) with ordinality
            as p(account, token, start, upto, sum, ord)
          left join lateral (
            select k.status, k.account_suspended, k.daily_limit, k.channel,
              case when l.day = p_today then l.accepted else 0 end as accepted
            from tokens k
            left join lanes l on l.account_id = k.account_id and l.token_id = k.token_id
            where k.account_id = p.account and k.token_id = p.token and k.deleted_at is null limit 1
          ) t on true
        ) i
        left join unnest(w_account, w_available, w_seq, w_left, w_price, w_bonus_only)
          as w(account, available, seq, "left", price, bonus_only) on w.account = i.account
      ) r
      window mine as (partition by r.account order by r.ord),
        theirs as (partition by r.account, r.token order by r.ord)
    ) c
  ) f
$$;

revoke all on function fitting_requests from public;
