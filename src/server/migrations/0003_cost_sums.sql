-- The cost of the messages of a day or month. It is null in rows from before this column: only their hours have it.
alter table rollup_sums add column cost bigint;

create or replace view message_count_sums with (security_invoker = true) as
  select account_id, grain, since, token_id, direction, status, type, messages, cost from rollup_sums
  union all
  select p.account_id, g.grain, date_trunc(g.grain, p.hour at time zone 'Asia/Jakarta')::date,
    p.token_id, p.direction, p.status, p.type, p.messages, p.cost
  from pending_counts p cross join (values ('day'), ('month')) as g(grain);
