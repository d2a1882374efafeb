-- Takes the names of payers, their slips, what operators noted, and what gateways told of payers out of a
-- closed account's top-ups. Amounts stay. Called while an account is erased. Locks the rows it changes. Raises 42501 when the account
-- is not closed.
create or replace function erase_payers(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update bank_lines set description = '', reference = '',
      dismiss_reason = case when dismiss_reason is not null then '' end
    where account_id = p_account
      and (description <> '' or reference <> '' or dismiss_reason <> '');
  delete from topup_proofs where account_id = p_account;
  delete from topup_proposals where account_id = p_account;
  update topups set note = null where account_id = p_account and note is not null;
  update topup_decisions set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  update refunds set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  update gateway_orders set settled_reason = ''
    where account_id = p_account and settled_reason <> '';
  update payment_inbox set raw = '', headers = '{}' where raw <> '' and order_ref in (
    select public_id('TU-', topup_id) from topups where account_id = p_account and provider <> 'bank'
  );
  update suspense_notes set note = '' where account_id = p_account and note <> '';
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_payers from public;
grant execute on function erase_payers to kabari_app;
