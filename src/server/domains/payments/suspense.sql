-- How a payment left suspense stays as it is, and so do notes, but for their words while the account is
-- erased.
create or replace trigger suspense_resolutions_append_only before update or delete
  on suspense_resolutions for each row execute function deny();
create or replace trigger suspense_notes_append_only before update on suspense_notes
  for each row execute function deny_unless_erasing();
create or replace trigger suspense_notes_never_deleted before delete on suspense_notes
  for each row execute function deny();

-- Takes a payment out of suspense, once: into its customer's saldo, or back to whom it came from.
-- Answers:
-- applied: booked
-- resolved: somebody was faster
-- unknown: no such payment lies in suspense
-- closed: the account has ended, so nothing can go to its saldo
-- Called by apply_adjustment. Locks the payment, then the wallet (post_entry).
create or replace function resolve_suspense(
  p_account uuid, p_provider text, p_txn text, p_credit boolean, p_adjustment uuid,
  p_actor text, p_memo text, p_at timestamptz
) returns text
language plpgsql as $$
declare
  p provider_payments%rowtype;
begin
  select * into p from provider_payments
    where provider = p_provider and txn_id = p_txn and account_id = p_account
      and outcome = 'second' for update;
  if not found then
    return 'unknown';
  end if;
  if p_credit and exists (select from wallets where account_id = p_account and status = 'closed') then
    return 'closed';
  end if;
  if exists (
    select from refunds where account_id = p_account and provider = p_provider and txn_id = p_txn
  ) then
    return 'resolved';
  end if;
  insert into suspense_resolutions (
    account_id, provider, txn_id, resolution, amount, adjustment_id, at
  ) values (
    p_account, p_provider, p_txn, case when p_credit then 'credited' else 'returned' end, p.amount,
    p_adjustment, p_at
  ) on conflict do nothing;
  if not found then
    return 'resolved';
  end if;
  if p_credit then
    perform post_entry(p_account, 'refund', p.amount, 'suspense', 'adjustment', p_adjustment::text,
      'suspense:' || p_provider || ':' || p_txn, p_actor, p_memo);
  else
    perform post_gl(p_account, gen_random_uuid(), 'return:' || p_provider || ':' || p_txn,
      'suspense_return', array['suspense', 'cash:' || p_provider], array[p.amount, -p.amount]);
  end if;
  return 'applied';
end
$$;

revoke all on function resolve_suspense from public;
