-- What the items of accepted requests cost by the plans of their wallets, and from which round's quota
-- they are taken: nothing while it lasts, the plan's price beyond it. Items of wallets without a plan, and
-- those that cost nothing anyway, or leave by the Cloud API, stay as they are.
-- Called by accept_many, which holds the wallets' locks; only the owner may call it.
create or replace function plan_prices(
  p_account uuid[], p_token uuid[], p_ok boolean[], p_request int[], inout p_price bigint[],
  w_account uuid[], w_left int[], w_price bigint[], w_round int[], out p_round int[]
)
language sql stable as $$
  select array_agg(case
        when not q.counts then q.price when q.nth <= q."left" then 0 else q.plan_price end
      order by q.ord),
    array_agg(case when q.counts and q.nth <= q."left" then q.round end order by q.ord)
  from (
    select i.*, w."left", w.plan_price, w.round,
      coalesce(i.ok and i.price > 0 and not i.by_cloud and w.plan_price is not null, false) as counts,
      sum((i.ok and i.price > 0 and not i.by_cloud)::int)
        over (partition by i.account order by i.ord) as nth
    from (
      select p_account[u.request] as account, p_ok[u.request] as ok, u.price, u.ord, exists (
          select from tokens t
          where t.account_id = p_account[u.request] and t.token_id = p_token[u.request]
            and t.channel = 'cloud'
        ) as by_cloud
      from unnest(p_request, p_price) with ordinality as u(request, price, ord)
    ) i
    left join unnest(w_account, w_left, w_price, w_round) as w(account, "left", plan_price, round)
      on w.account = i.account
  ) q
$$;

revoke all on function plan_prices from public;
