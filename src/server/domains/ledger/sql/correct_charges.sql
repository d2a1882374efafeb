-- Charges again what had been given back by mistake, wallet by wallet, after what was captured and
-- released beside it: whole while the saldo lasts, the oldest message first; the installation bears
-- the rest, whose charge becomes `waived`, booked as revenue and as our own expense. w_* are the wallets
-- with their entries so far; they are answered with those of the corrections, by wallet.
-- Called by settle_charges, which is called under the wallets' locks; only the owner may call it. Raises
-- a unique violation when a message would be waived twice.
create or replace function correct_charges(
  p_account uuid[], p_id uuid[], p_charge text[], p_price bigint[],
  inout w_account uuid[], inout w_captured bigint[], inout w_released bigint[],
  out w_corrected bigint[], out m_charge text[]
)
language plpgsql as $$
declare
  v_account uuid;
  v_amount bigint;
  n int;
  w wallets%rowtype;
begin
  m_charge := p_charge;
  w_corrected := array_fill(null::bigint, array[coalesce(cardinality(w_account), 0)]);
  for v_account in
    select distinct i.account from unnest(p_account, p_charge) as i(account, charge)
    where i.charge = 'corrected' order by 1
  loop
    select * into strict w from wallets where account_id = v_account;
    select array_agg(case
        when i.account = v_account and i.charge = 'corrected' and i.price > 0 and i.run > w.available
          then 'waived'
        else i.charge end order by i.ord)
      into m_charge
      from (
        select u.*, sum(u.price) filter (where u.account = v_account and u.charge = 'corrected')
          over (order by u.id) as run
        from unnest(p_account, p_id, m_charge, p_price) with ordinality
          as u(account, id, charge, price, ord)
      ) i;
    perform post_gl(
      v_account, gen_random_uuid(), 'waived:' || i.id, 'waived',
      array['exp:waived', 'rev:message'], array[i.price, -i.price]
    )
      from unnest(p_account, p_id, m_charge, p_price) as i(account, id, charge, price)
      where i.account = v_account and i.charge = 'waived';
    select coalesce(sum(i.price), 0), count(*) filter (where i.price > 0) into v_amount, n
      from unnest(p_account, m_charge, p_price) as i(account, charge, price)
      where i.account = v_account and i.charge = 'corrected';
    if v_amount > 0 then
      w := post_batch_entry(
        v_account, 'correction', -v_amount, 0, 'rev:message', n, 'settle',
        'Ternyata terkirim setelah biayanya dikembalikan'
      );
      n := coalesce(array_position(w_account, v_account), coalesce(cardinality(w_account), 0) + 1);
      w_account[n] := v_account;
      w_captured[n] := w_captured[n];
      w_released[n] := w_released[n];
      w_corrected[n] := w.seq;
    end if;
  end loop;
end
$$;

revoke all on function correct_charges from public;
