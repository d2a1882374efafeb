-- How many bytes the files of an account take. Sums them up for the first who asks, and from then on every file
-- is counted as it comes and goes (count_stored_bytes).
-- Called before files are taken in. Locks the account where it sums up.
create or replace function stored_bytes_of(p_account uuid) returns bigint
language plpgsql set search_path = public, pg_temp as $$
declare
  v_bytes bigint;
begin
  select s.bytes into v_bytes from stored_bytes s where s.account_id = p_account;
  if found then
    return v_bytes;
  end if;
  perform lock_stored_bytes(array[p_account]);
  insert into stored_bytes (account_id, bytes)
    select p_account, coalesce(sum(f.size_bytes), 0)
    from (select distinct sha256, size_bytes from files where account_id = p_account) f
    on conflict (account_id) do nothing;
  select s.bytes into strict v_bytes from stored_bytes s where s.account_id = p_account;
  return v_bytes;
end
$$;

revoke all on function stored_bytes_of from public;
grant execute on function stored_bytes_of to kabari_app;
