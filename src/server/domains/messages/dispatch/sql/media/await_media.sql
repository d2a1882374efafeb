-- Puts messages back whose links are being fetched, or (p_fetch null) whose files cannot be read now: they have not
-- left, and hold up later ones to the same phone. They are due again when their fetch ends (wake_awaiting), or after
-- p_after_ms, should nobody say so.
-- That was no try: it is not counted. Called by a lane's owner. Locks the lane (share), then the rows. Raises
-- LN001 when the lane was lost.
create or replace function await_media(
  p_account uuid, p_token uuid, p_epoch bigint, p_id uuid[], p_fetch uuid[], p_after_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set state = 'ready', ready_at = clock_timestamp() + p_after_ms * interval '1 millisecond',
      awaits = i.awaited, attempt = greatest(1, d.attempt - 1)
    from unnest(p_id, p_fetch) as i(id, awaited)
    where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
      and d.state = 'sending';
end
$$;

revoke all on function await_media from public;
grant execute on function await_media to kabari_app;
