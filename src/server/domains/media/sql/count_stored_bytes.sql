-- Keeps how many bytes the files of an account take: the same content under several names lies there once, and
-- counts once. An account that nobody has asked about has no row, and is summed up when somebody does.
-- Called by triggers of files. Locks the accounts, in their order, as who sums up does: what others of an account
-- do at the same time is then seen.
create or replace function count_stored_bytes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  perform lock_stored_bytes(array(select c.account_id from changed c));
  if tg_op = 'INSERT' then
    update stored_bytes s set bytes = s.bytes + n.bytes
      from (
        select c.account_id, sum(c.size_bytes) as bytes
        from (select distinct account_id, sha256, size_bytes from changed) c
        where not exists (
          select from files f where f.sha256 = c.sha256 and f.account_id = c.account_id
            and not exists (
              select from changed o where o.account_id = f.account_id and o.file_id = f.file_id))
        group by c.account_id
      ) n where s.account_id = n.account_id;
  else
    update stored_bytes s set bytes = s.bytes - n.bytes
      from (
        select c.account_id, sum(c.size_bytes) as bytes
        from (select distinct account_id, sha256, size_bytes from changed) c
        where not exists (
          select from files f where f.sha256 = c.sha256 and f.account_id = c.account_id)
        group by c.account_id
      ) n where s.account_id = n.account_id;
  end if;
  return null;
end
$$;

revoke all on function count_stored_bytes from public;

create or replace trigger bytes_come after insert on files
  referencing new table as changed for each statement execute function count_stored_bytes();
create or replace trigger bytes_go after delete on files
  referencing old table as changed for each statement execute function count_stored_bytes();
