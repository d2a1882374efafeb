-- Takes the buyer out of a closed account's invoices: name, address, NPWP, e-mail and telephone number, what
-- was noted, and the documents, which show them. Numbers, amounts, lines and days stay, for the tax
-- office. Called while an account is erased. Locks the rows it changes. Raises 42501 when the account is
-- not closed.
create or replace function erase_buyer(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  delete from invoice_documents where account_id = p_account;
  update invoices set note = null, buyer = jsonb_build_object('name', 'Akun terhapus',
      'npwp', null, 'address', null, 'email', null, 'phone', null)
    where account_id = p_account;
  delete from billing_profiles where account_id = p_account;
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_buyer from public;
grant execute on function erase_buyer to kabari_app;
