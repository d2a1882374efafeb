-- How many entries a wallet had before an instant. Entries are numbered without gaps and in the
-- order of time, so a search by halves over the primary key finds it: 24 look-ups among 10 million.
-- Called by the statement's filter of dates.
create or replace function entries_before(p_account uuid, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_made timestamptz;
begin
  select seq into v_high from wallets where account_id = p_account;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    select created_at into v_made from wallet_entries
      where account_id = p_account and seq = v_middle;
    if v_made < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;
