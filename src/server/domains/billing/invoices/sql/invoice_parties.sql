-- What an invoice copies when it is issued, so that it never changes with the account or the seller.
-- Called by issue_invoice and settle_topup_invoices, with their rights. Locks nothing.

-- The seller as the start wrote it last.
create or replace function seller_of_invoice() returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_seller jsonb;
begin
  select to_jsonb(s) - 'valid_from' into v_seller from sellers s order by valid_from desc limit 1;
  return coalesce(v_seller, jsonb_build_object('name', 'Kabari', 'npwp', null, 'address', null,
    'email', null, 'phone', null, 'adds_ppn', false));
end
$$;

-- True when a seller has what an invoice with PPN must name: its NPWP and its address.
create or replace function is_seller_complete(p_seller jsonb) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(btrim(p_seller ->> 'npwp') <> '' and btrim(p_seller ->> 'address') <> '', false)
$$;

-- The seller that an invoice names: its copy, or the newest where the invoice has PPN and the copy is incomplete.
create or replace function seller_for_ppn(p_seller jsonb, p_ppn bigint) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select case when p_ppn > 0 and not is_seller_complete(p_seller) then seller_of_invoice()
    else p_seller end
$$;

-- The buyer: the billing profile, and where it says nothing the account and its first person.
create or replace function buyer_of_invoice(p_account uuid) returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_buyer jsonb;
begin
  select jsonb_build_object(
    'name', coalesce(p.name, a.name), 'npwp', p.npwp, 'address', p.address,
    'email', coalesce(p.email, u.email), 'phone', u.phone
  ) into v_buyer
  from accounts a
  left join billing_profiles p on p.account_id = a.account_id
  left join lateral (
    select email, phone from users where account_id = a.account_id order by user_id limit 1
  ) u on true
  where a.account_id = p_account;
  return v_buyer;
end
$$;

-- The rate of PPN that had begun by an instant.
create or replace function tax_of_invoice(p_at timestamptz) returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_tax jsonb;
begin
  select jsonb_build_object('num', num, 'den', den, 'dpp_num', dpp_num, 'dpp_den', dpp_den) into v_tax
    from tax_rates where code = 'ppn' and valid_from <= p_at order by valid_from desc limit 1;
  return v_tax;
end
$$;

revoke all on function seller_of_invoice from public;
revoke all on function is_seller_complete from public;
revoke all on function seller_for_ppn from public;
revoke all on function buyer_of_invoice from public;
revoke all on function tax_of_invoice from public;
