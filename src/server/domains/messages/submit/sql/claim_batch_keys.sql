-- Takes the idempotency keys and references of a wallet's requests that fit whole; true when all
-- were free. False: some were used before, and what this call put in was taken back.
-- Called by accept_batch, which holds the wallet's lock; only the owner may call it. Waits for a
-- transaction that is just taking the same key.
create or replace function claim_batch_keys(
  p_account uuid, p_available bigint,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[], p_sum bigint[],
  p_id uuid[], p_ref text[], p_hash bytea[], p_context jsonb[]
) returns boolean
language plpgsql as $$
declare
  -- Rows with this xmin are this call's own: a batch sent again has the same message ids.
  v_mine xid := pg_current_xact_id()::xid;
  v_all boolean;
  n_keys int;
  n_refs int;
  n_done int;
begin
  insert into request_keys (account_id, token_id, key, hash, message_ids, saldo, answer_context)
    select p_account, r.token, r.key, r.hash, p_id[r.a:r.z], p_available - r.sum, r.context
    from unnest(p_key, p_key_hash, p_key_token, p_from, p_upto, p_sum, p_context)
      as r(key, hash, token, a, z, sum, context)
    where r.key is not null
    order by r.token, r.key
    on conflict do nothing;
  get diagnostics n_done = row_count;
  n_keys := cardinality(array_remove(p_key, null));
  v_all := n_done = n_keys;
  n_refs := cardinality(array_remove(p_ref, null));
  if v_all and n_refs > 0 then
    insert into message_refs (account_id, ref, message_id, hash)
      select p_account, i.ref, i.id, i.hash from unnest(p_ref, p_id, p_hash) as i(ref, id, hash)
      where i.ref is not null order by i.ref
      on conflict do nothing;
    get diagnostics n_done = row_count;
    v_all := n_done = n_refs;
    if not v_all then
      delete from message_refs r using unnest(p_ref, p_id) as i(ref, id)
        where r.account_id = p_account and r.ref = i.ref and r.xmin = v_mine;
    end if;
  end if;
  if not v_all and n_keys > 0 then
    -- Take back what this call put in (and not what an earlier one did), then go item by item.
    delete from request_keys q using unnest(p_key, p_key_token, p_from) as r(key, token, a)
      where q.account_id = p_account and q.token_id = r.token and q.key = r.key
        and q.xmin = v_mine;
  end if;
  return v_all;
end
$$;

revoke all on function claim_batch_keys from public;
