-- Stores a proposal to change a customer's money, as p_proposal names its columns; nothing moves yet.
-- Called by propose. Locks nothing. Raises 42501 when called for one account only, 23505 for a second one of the same
-- request. A function of the owner, as what decides on it is: where the database is distributed, one role alone may
-- write it within a transaction.
create or replace function propose_adjustment(p_account uuid, p_adjustment uuid, p_proposal jsonb)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not sees_all() then
    raise exception 'adjustments are proposed by work over all accounts only' using errcode = '42501';
  end if;
  insert into adjustments (
    account_id, adjustment_id, request_key, kind, amount, gl_account, message_id, topup_id,
    provider, txn_id, reference, payee, reason, needs_second, proposed_by, proposed_at, expires_at
  ) values (
    p_account, p_adjustment, (p_proposal ->> 'request_key')::uuid, p_proposal ->> 'kind',
    (p_proposal ->> 'amount')::bigint, p_proposal ->> 'gl_account',
    (p_proposal ->> 'message_id')::uuid, (p_proposal ->> 'topup_id')::uuid,
    p_proposal ->> 'provider', p_proposal ->> 'txn_id', p_proposal ->> 'reference',
    p_proposal ->> 'payee', p_proposal ->> 'reason', (p_proposal ->> 'needs_second')::boolean,
    (p_proposal ->> 'proposed_by')::uuid, (p_proposal ->> 'proposed_at')::timestamptz,
    (p_proposal ->> 'expires_at')::timestamptz
  );
end
$$;

revoke all on function propose_adjustment from public;
grant execute on function propose_adjustment to kabari_app;
