-- What a channel said of a message is kept with it when it cannot be settled: the settling is tried again,
-- never the sending (docs/decisions/022).

alter table dispatch
  -- The known end of its last try, which waits to be settled. Null: none is known.
  add column outcome     text check (outcome in ('sent', 'failed', 'expired')),
  add column failure     text,
  add column outcome_at  timestamptz,
  add constraint outcome_has_time check ((outcome is null) = (outcome_at is null));

-- Keeps outcomes that could not be settled. Their messages are due again after p_rest_ms, for settling
-- only; until a day has passed nothing else ends them but a receipt. Fenced (LN001).
create function keep_outcomes(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_rest_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
  update dispatch d
    set state = 'unknown', ready_at = clock_timestamp() + p_rest_ms * interval '1 millisecond',
      unsure_until = case when d.outcome is null
        then clock_timestamp() + interval '1 day' else d.unsure_until end,
      outcome = i.outcome, failure = i.failure, outcome_at = i.at
    from unnest(p_id, p_outcome, p_failure, p_at) as i(id, outcome, failure, at)
    where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
      and d.state = 'sending';
end
$$;

revoke all on function keep_outcomes from public;
grant execute on function keep_outcomes to kabari_app;
