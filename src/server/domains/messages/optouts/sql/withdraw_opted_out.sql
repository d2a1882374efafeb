-- Cancels what waits for a phone that wants nothing more of a token, planned messages too; their price is
-- released. What is just leaving leaves. Of the installation's own token codes go on, for they were asked for.
-- Called by what stores an opt-out, under lock_optouts. Locks what withdraw_messages locks.
create or replace function withdraw_opted_out(p_account uuid, p_token uuid, p_peer text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform withdraw_messages(p_account, coalesce(array_agg(d.message_id), '{}'), 'cancelled')
    from dispatch d
    join tokens t on t.account_id = d.account_id and t.token_id = d.token_id
    where d.account_id = p_account and d.token_id = p_token and d.peer = p_peer
      and not (t.is_system and d.priority = 0);
end
$$;

revoke all on function withdraw_opted_out from public;
grant execute on function withdraw_opted_out to kabari_app;
