-- Numbers that people had before: what the installation wrote to them is erased with their account.
-- Called by the trigger when a number leaves user_phones; not while its account is erased.
create or replace function record_former_phone() returns trigger language plpgsql as $$
begin
  -- Where each node has a row, the one that was asked does it.
  if starts_with(current_setting('application_name'), 'citus_internal') then
    return null;
  end if;
  insert into former_phones (account_id, phone)
    select a.account_id, old.phone from accounts a
    where a.account_id = old.account_id and a.closed_at is null
    on conflict (account_id, phone) do nothing;
  return null;
end
$$;

create or replace trigger user_phone_left after delete on user_phones
  for each row execute function record_former_phone();
