-- Writes the file that a message's link became, with what is known of it, beside what its sender wrote.
-- Called by a lane's owner before the message leaves, and by message_image_load. Locks the account's statuses, for a receipt that had to wait for
-- the message's row would lose it, then that row.
create or replace function attach_file(p_account uuid, p_message uuid, p_file jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  select lock_statuses(array[p_account]);
  update messages set body = body || p_file
  where account_id = p_account and message_id = p_message
$$;

revoke all on function attach_file from public;
grant execute on function attach_file to kabari_app;
