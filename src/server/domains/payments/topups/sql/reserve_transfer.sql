-- Promises the first free of p_base + code to a top-up; the code, or null when all are taken.
-- Called when a top-up is made. Waits for a transaction that is just taking the same amount.
create or replace function reserve_transfer(
  p_account uuid, p_topup uuid, p_bank text, p_base bigint, p_codes int[], p_until timestamptz
) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_code int;
begin
  foreach v_code in array p_codes loop
    insert into reserved_transfers (bank, amount, account_id, topup_id, reserved_until)
      values (p_bank, p_base + v_code, p_account, p_topup, p_until)
      on conflict do nothing;
    if found then
      return v_code;
    end if;
  end loop;
  return null;
end
$$;

revoke all on function reserve_transfer from public;
grant execute on function reserve_transfer to kabari_app;
