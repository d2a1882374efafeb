-- What was answered for the items of a request whose key is used again. Where everything was accepted,
-- that is not stored, and made of its messages, with their prices; null where one of them is gone.
-- Called by accept_each; only the owner may call it.
create or replace function first_outcomes(p_key request_keys) returns jsonb
language sql stable as $$
  select coalesce(p_key.outcomes, (
    select jsonb_agg(jsonb_build_object(
        'id', i.id, 'outcome', 'accepted', 'fact', null, 'price', m.price
      ) order by i.ord)
    from unnest(p_key.message_ids) with ordinality as i(id, ord)
    join messages m on m.account_id = p_key.account_id and m.message_id = i.id
    having count(*) = cardinality(p_key.message_ids)
  ))
$$;

revoke all on function first_outcomes from public;
