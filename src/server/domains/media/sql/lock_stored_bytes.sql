-- Lets nobody else change the files of some accounts until the transaction ends.
-- Called before files come and go. Locks the accounts, in their order.
create or replace function lock_stored_bytes(p_accounts uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('stored ' || a.id, 0))
    from (select distinct id from unnest(p_accounts) as u(id) order by id) a;
end
$$;

revoke all on function lock_stored_bytes from public;
grant execute on function lock_stored_bytes to kabari_app;
