-- One entry that is not a batch of messages: bonus, plan, refund, adjustment, payout (top-ups: post_entries). Repeating an
-- idem_key with the same facts changes nothing.
-- Called by postEntry and what books refunds and corrections, in the transaction of the cause. Locks the wallet. Raises
-- WA002 when the key was used with other facts, 23503 when there is no such contra account, a violation
-- of saldo_not_negative when the saldo does not reach.
create or replace function post_entry(
  p_account uuid, p_kind text, p_delta bigint, p_contra text,
  p_ref_type text, p_ref_id text, p_idem text, p_actor text, p_memo text default null
) returns table (o_seq bigint, o_applied boolean, o_available bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w wallets%rowtype;
  e wallet_entries%rowtype;
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  select * into e from wallet_entries where account_id = p_account and idem_key = p_idem;
  if found then
    if e.kind <> p_kind or e.d_available <> p_delta or e.contra <> p_contra then
      raise exception 'idempotency key % reused with other facts', p_idem using errcode = 'WA002';
    end if;
    return query select e.seq, false, w.available;
    return;
  end if;
  if not exists (select from gl_accounts where code = p_contra) then
    raise exception 'no general-ledger account %', p_contra using errcode = '23503';
  end if;
  -- Who has paid once may spend the bonus on whatever they like.
  update wallets
    set available = available + p_delta, seq = seq + 1, bonus_only = bonus_only and p_kind <> 'topup'
    where account_id = p_account returning * into w;
  insert into wallet_entries (
    account_id, seq, kind, d_available, d_held, contra, available_after, held_after,
    ref_type, ref_id, idem_key, actor, memo
  ) values (
    p_account, w.seq, p_kind, p_delta, 0, p_contra, w.available, w.held,
    p_ref_type, p_ref_id, p_idem, p_actor, p_memo
  );
  perform enqueue_event(
    p_account, 'saldo.changed',
    jsonb_build_object('available', w.available, 'held', w.held, 'seq', w.seq)
  );
  return query select w.seq, true, w.available;
end
$$;

revoke all on function post_entry from public;
grant execute on function post_entry to kabari_app;
