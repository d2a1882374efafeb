-- Takes the idempotency keys and references of requests of several wallets. p_ok says whose;
-- afterwards it is false for those of which one was used before: they go the other way, whole
-- (accept_batch).
-- Called by accept_many, which holds the wallets' locks; only the owner may call it. Takes keys in
-- the order of wallets; waits for a transaction that is just taking the same key. A batch sent again
-- has the same message ids, so what this call put in is known by what its own inserts return.
create or replace function claim_request_keys(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[],
  p_request int[], p_id uuid[], p_ref text[], p_hash bytea[], p_context jsonb[], p_saldo bigint[],
  inout p_ok boolean[]
)
language plpgsql as $$
declare
  -- The first message of each request whose key is taken now; the messages whose references are.
  v_first uuid[];
  v_ref uuid[];
begin
  if array_remove(p_key, null) <> '{}' then
    with taken as (
      insert into request_keys (account_id, token_id, key, hash, message_ids, saldo, answer_context)
      select r.account, r.token, r.key, r.hash, p_id[r.start:r.upto], p_saldo[r.ord], r.context
      from unnest(p_account, p_key, p_key_hash, p_key_token, p_from, p_upto, p_context) with ordinality
        as r(account, key, hash, token, start, upto, context, ord)
      where r.key is not null and p_ok[r.ord]
      order by r.account, r.token, r.key
      on conflict do nothing returning message_ids[1] as first
    )
    select array_agg(first) into v_first from taken;
    if cardinality(v_first) is distinct from cardinality(array_remove(p_key, null)) then
      select array_agg(p_ok[r.ord] and (r.key is null or p_id[r.start] = any (v_first)) is true
          order by r.ord)
        into p_ok
        from unnest(p_key, p_from) with ordinality as r(key, start, ord);
    end if;
  end if;

  if array_remove(p_ref, null) = '{}' then
    return;
  end if;
  with taken as (
    insert into message_refs (account_id, ref, message_id, hash)
    select p_account[i.request], i.ref, i.id, i.hash
    from unnest(p_ref, p_request, p_id, p_hash) as i(ref, request, id, hash)
    where i.ref is not null and p_ok[i.request] order by 1, 2
    on conflict do nothing returning message_id
  )
  select array_agg(message_id) into v_ref from taken;
  if cardinality(v_ref) is distinct from cardinality(array_remove(p_ref, null)) then
    -- A request of which one ref was used before, also in this very call, goes the other way, whole.
    select array_agg(p_ok[r.ord] and not exists (
        select from generate_series(r.start, r.upto) as g(i)
        where p_ref[g.i] is not null and (p_id[g.i] = any (v_ref)) is not true
      ) order by r.ord)
      into p_ok
      from unnest(p_from, p_upto) with ordinality as r(start, upto, ord);
    delete from message_refs f using unnest(p_ref, p_request, p_id) as i(ref, request, id)
      where not p_ok[i.request] and i.id = any (v_ref)
        and f.account_id = p_account[i.request] and f.ref = i.ref and f.message_id = i.id;
    delete from request_keys k
      using unnest(p_account, p_key, p_key_token, p_from, p_ok) as r(account, key, token, start, ok)
      where not r.ok and p_id[r.start] = any (v_first)
        and k.account_id = r.account and k.token_id = r.token and k.key = r.key;
  end if;
end
$$;

revoke all on function claim_request_keys from public;
