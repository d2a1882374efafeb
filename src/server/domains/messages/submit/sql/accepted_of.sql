-- After a lost connection: which of a batch's messages stand. Called before the batch is sent
-- again. Waits for the wallet's lock, so that a call still running on the lost connection has ended
-- one way or the other.
create or replace function accepted_of(p_account uuid, p_id uuid[]) returns table (
  o_id uuid, o_available bigint, o_price bigint
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_available bigint;
begin
  select available into strict v_available from wallets where account_id = p_account for no key update;
  return query select m.message_id, v_available, m.price from messages m
    where m.account_id = p_account and m.message_id = any (p_id);
end
$$;

revoke all on function accepted_of from public;
grant execute on function accepted_of to kabari_app;
