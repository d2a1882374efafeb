-- Hands the next messages of a lane to its owner, in order, and marks them `sending` under its
-- epoch. At most one message per phone is on its way: later ones to the same phone wait for it,
-- unless it is only scheduled, or they are more urgent. Nothing is handed out once the token no
-- longer sends from p_from. p_urgent: only one-time codes (priority 0).
-- o_unsure_ms is null for what certainly has not left; else how much longer a receipt of an earlier
-- try is to be awaited.
-- Called by a lane's owner. Locks the lane (share), then the rows it takes. Raises LN001 when the
-- lane was lost.
create or replace function claim_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint, p_limit int, p_urgent boolean default false,
  p_from text default null
) returns table (
  o_id uuid, o_peer text, o_type text, o_body jsonb, o_secret text, o_attempt int, o_unknowns int,
  o_expired boolean, o_unsure_ms int
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform fence_lane(p_account, p_token, p_epoch);
  if p_from is not null and not exists (
    select from tokens where account_id = p_account and token_id = p_token and phone = p_from
      and status = 'linked' and deleted_at is null
  ) then
    return;
  end if;
  return query
  with next as (
    select d.message_id from dispatch d
    where d.account_id = p_account and d.token_id = p_token
      and d.state in ('ready', 'unknown') and d.ready_at <= clock_timestamp()
      and d.priority <= case when p_urgent then 0 else 2 end
      and not exists (
        select 1 from dispatch e
        where e.account_id = p_account and e.token_id = p_token and e.peer = d.peer
          and e.message_id < d.message_id and e.priority <= d.priority
          and not (e.state = 'ready' and e.attempt = 0 and e.ready_at > clock_timestamp())
      )
    order by d.priority, d.message_id limit p_limit for update skip locked
  ), taken as (
    update dispatch d
      set state = 'sending', epoch = p_epoch, attempt = d.attempt + 1, tried_at = clock_timestamp()
      from next where d.account_id = p_account and d.message_id = next.message_id
      returning d.message_id, d.secret, d.attempt, d.unknowns, d.priority,
        coalesce(d.expires_at <= clock_timestamp(), false) as expired,
        greatest(0, extract(epoch from d.unsure_until - clock_timestamp()) * 1000)::int as unsure_ms,
        d.unsure_until is null as is_sure
  )
  select t.message_id, m.peer, m.type, m.body, t.secret, t.attempt, t.unknowns, t.expired,
    case when not t.is_sure then t.unsure_ms end
  from taken t
  cross join lateral (
    select * from messages x where x.account_id = p_account and x.message_id = t.message_id limit 1
  ) m
  order by t.priority, t.message_id;
end
$$;

revoke all on function claim_dispatch from public;
grant execute on function claim_dispatch to kabari_app;
