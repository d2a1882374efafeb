-- What each message becomes by outcomes told of it, by the row as it stands now. `next` is its
-- status afterwards, the present one where nothing changes. A status only rises (status_rank): of
-- several outcomes the highest counts. One exception: an end that we only assumed, and whose price
-- was given back, is proved wrong by `sent` too.
-- Read by settle_batch, within its statement: PostgreSQL inlines it, so it must stay one plain
-- `stable` select. Only the owner may call it.
create or replace function settled_statuses(p_account uuid, p_id uuid[], p_outcome text[])
returns table (
  message_id uuid, token_id uuid, peer text, type text, status text, price bigint,
  charge_state text, next text
)
language sql stable as $$
  select m.message_id, m.token_id, m.peer, m.type, m.status, m.price, m.charge_state,
    case
      when g.rank > status_rank(m.status) then
        case g.rank when 7 then 'read' when 6 then 'delivered' when 5 then g.bad else 'sent' end
      when g.sent and m.charge_state = 'released' and is_assumed(m.status, m.failure) then 'sent'
      else m.status
    end as next
  from (
    select i.id, max(status_rank(i.outcome)) as rank, bool_or(i.outcome = 'sent') as sent,
      max(i.outcome) filter (where i.outcome in ('failed', 'cancelled', 'expired')) as bad
    from unnest(p_id, p_outcome) as i(id, outcome) group by i.id
  ) g
  cross join lateral (
    select * from messages x where x.account_id = p_account and x.message_id = g.id limit 1
  ) m
$$;

revoke all on function settled_statuses from public;
