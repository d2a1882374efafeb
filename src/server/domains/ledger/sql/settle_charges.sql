-- Moves the money of settled messages: what is captured and what is released, by one entry each,
-- and what is charged again after it had been given back (`corrected`).
-- A correction is charged whole while the saldo lasts, the oldest message first; the installation
-- bears the rest: o_charge says `waived` for it, booked as revenue and as our own expense. Answers
-- the charges as they are after that, the numbers of the entries (null where nothing moved), and
-- the saldo.
-- Called by settle_batch, which holds the wallet's lock; only the owner may call it. Raises a
-- unique violation when a message would be waived twice.
create or replace function settle_charges(
  w wallets, p_id uuid[], p_charge text[], p_price bigint[],
  out o_charge text[], out o_captured bigint, out o_released bigint, out o_corrected bigint,
  out o_available bigint, out o_held bigint
)
language plpgsql as $$
declare
  v_amount bigint;
  v_back bigint;
  n int;
  n_back int;
begin
  o_charge := p_charge;
  select coalesce(sum(i.price) filter (where i.charge = 'captured'), 0),
      coalesce(sum(i.price) filter (where i.charge = 'released'), 0),
      count(*) filter (where i.charge = 'captured' and i.price > 0),
      count(*) filter (where i.charge = 'released' and i.price > 0)
    into v_amount, v_back, n, n_back
    from unnest(p_charge, p_price) as i(charge, price);
  if v_amount > 0 then
    w := post_batch_entry(w.account_id, 'capture', 0, -v_amount, 'rev:message', n, 'settle');
    o_captured := w.seq;
  end if;
  if v_back > 0 then
    w := post_batch_entry(w.account_id, 'release', v_back, -v_back, 'none', n_back, 'settle');
    o_released := w.seq;
  end if;
  o_available := w.available;
  o_held := w.held;
  if ('corrected' = any (p_charge)) is not true then
    return;
  end if;

  select array_agg(case
      when i.charge = 'corrected' and i.price > 0 and i.run > w.available then 'waived'
      else i.charge end order by i.ord)
    into o_charge
    from (
      select u.charge, u.ord, u.price,
        sum(u.price) filter (where u.charge = 'corrected') over (order by u.id) as run
      from unnest(p_id, p_charge, p_price) with ordinality as u(id, charge, price, ord)
    ) i;
  perform post_gl(
    w.account_id, gen_random_uuid(), 'waived:' || i.id, 'waived',
    array['exp:waived', 'rev:message'], array[i.price, -i.price]
  )
    from unnest(p_id, o_charge, p_price) as i(id, charge, price) where i.charge = 'waived';
  select coalesce(sum(i.price), 0), count(*) filter (where i.price > 0) into v_amount, n
    from unnest(o_charge, p_price) as i(charge, price) where i.charge = 'corrected';
  if v_amount > 0 then
    w := post_batch_entry(
      w.account_id, 'correction', -v_amount, 0, 'rev:message', n, 'settle',
      'Ternyata terkirim setelah biayanya dikembalikan'
    );
    o_corrected := w.seq;
    o_available := w.available;
  end if;
end
$$;

revoke all on function settle_charges from public;
