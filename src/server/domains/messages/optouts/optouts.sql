-- Whoever stores an opt-out holds these until COMMIT: what is accepted at the same moment is committed before, and
-- withdraw_opted_out sees it, or is judged after, and sees the opt-out.
-- Called first in a transaction that may store one. Locks the account's statuses, then its wallet, as settling does.
create or replace function lock_optouts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  perform from wallets where account_id = p_account for no key update;
end
$$;

revoke all on function lock_optouts from public;
grant execute on function lock_optouts to kabari_app;

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
