-- One entry for what happened to a batch of messages; answers the wallet after it.
-- Called by correct_charges, under the wallet's lock; only the owner may call it. Raises a violation
-- of saldo_not_negative or held_not_negative when the saldo does not reach.
create or replace function post_batch_entry(
  p_account uuid, p_kind text, p_d_available bigint, p_d_held bigint, p_contra text, p_items int,
  p_actor text, p_memo text default null
) returns wallets
language plpgsql as $$
declare
  w wallets%rowtype;
begin
  update wallets
    set available = available + p_d_available, held = held + p_d_held, seq = seq + 1
    where account_id = p_account returning * into w;
  insert into wallet_entries (
    account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
    ref_type, ref_id, actor, memo
  ) values (
    p_account, w.seq, p_kind, p_d_available, p_d_held, p_contra, w.available, w.held, p_items,
    'batch', w.seq::text, p_actor, p_memo
  );
  return w;
end
$$;

revoke all on function post_batch_entry from public;
