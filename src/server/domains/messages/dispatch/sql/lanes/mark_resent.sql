-- Notes of a message, before it is sent again by a channel that gives it a new id each time, that it may
-- arrive twice. Before, because a receipt may end it before the worker that sent it can say so.
-- Called by a lane's owner. Locks the account's statuses, for a receipt that had to wait for the message's row would
-- lose it, the lane (share), then that row. Raises LN001 when the lane was lost: it must not be sent then.
create or replace function mark_resent(
  p_account uuid, p_token uuid, p_epoch bigint, p_message uuid
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  perform fence_lane(p_account, p_token, p_epoch);
  update messages set possible_duplicate = true
    where account_id = p_account and message_id = p_message and not possible_duplicate;
end
$$;

revoke all on function mark_resent from public;
grant execute on function mark_resent to kabari_app;
