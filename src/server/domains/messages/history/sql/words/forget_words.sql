-- Takes some messages out of the words of their batches. Called where single messages are erased, before they are.
-- Locks the account's mark.
create or replace function forget_words(p_account uuid, p_messages uuid[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_batch record;
begin
  perform 1 from word_marks where account_id = p_account for update;
  if not found then
    return;
  end if;
  for v_batch in
    select b.upto, array_agg(i.nth::int - 1) as places
    from word_batches b cross join lateral unnest(b.ids) with ordinality as i(id, nth)
    where b.account_id = p_account and i.id = any (p_messages)
      and b.upto >= (select id from unnest(p_messages) as u(id) order by id limit 1)
      and b.low <= (select id from unnest(p_messages) as u(id) order by id desc limit 1)
    group by b.upto
  loop
    -- All words of the batch, whatever the messages say by now.
    update message_words w
      set bits = (
          select bit_and(set_bit(w.bits, p, 0)) from unnest(v_batch.places) as p
        ),
        places = case when w.places is not null then array(
          select i.place from unnest(w.places, w.ids) with ordinality as i(place, id, nth)
          where i.place <> all (v_batch.places) order by nth
        ) end,
        ids = case when w.places is not null then array(
          select i.id from unnest(w.places, w.ids) with ordinality as i(place, id, nth)
          where i.place <> all (v_batch.places) order by nth
        ) end
      where w.account_id = p_account and w.upto = v_batch.upto and (
        w.places && v_batch.places::smallint[]
        or exists (select from unnest(v_batch.places) as p where get_bit(w.bits, p) = 1)
      );
    delete from message_words
      where account_id = p_account and upto = v_batch.upto and (ids = '{}' or bit_count(bits) = 0);
  end loop;
end
$$;

revoke all on function forget_words from public;
grant execute on function forget_words to kabari_app;
