-- The common path over many accounts at once: requests that fit whole are placed, the others are
-- left to accept_batch (they are not answered). One call, a handful of statements and one commit
-- for whatever queued meanwhile: with 100 wallets this is what carries the rate
-- (docs/decisions/002).
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r],
-- p_request names an item's request, and p_sum[r] is the request's own price.
-- Called by submit for what queued of several wallets. A wallet that someone else holds just now is
-- left out rather than waited for. Wallets are locked in account order, before anything of theirs
-- is written.
create or replace function accept_many(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[],
  p_from int[], p_upto int[], p_sum bigint[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[], p_context jsonb[]
) returns table (o_request int, o_saldo bigint)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_today date := (clock_timestamp() at time zone 'Asia/Jakarta')::date;
  w_account uuid[];
  w_available bigint[];
  w_held bigint[];
  w_seq bigint[];
  v_ok boolean[];
  v_saldo bigint[];
  v_hold_seq bigint[];
  v_count int;
begin
  with locked as (
    select account_id, available, held, seq from wallets
    where account_id = any (p_account) and status = 'active'
    order by account_id for no key update skip locked
  )
  select array_agg(account_id), array_agg(available), array_agg(held), array_agg(seq)
    into w_account, w_available, w_held, w_seq from locked;
  if w_account is null then
    return;
  end if;

  select array_agg(q.fits order by q.ord), array_agg(q.saldo order by q.ord),
      array_agg(q.hold_seq order by q.ord)
    into v_ok, v_saldo, v_hold_seq
    from fitting_requests(
      p_account, p_key_token, p_from, p_upto, p_sum, v_today, w_account, w_available, w_seq
    ) q;
  select array_agg(v_ok[r.ord] and not exists (
      select 1 from unnest(p_peer[r.start:r.upto]) as i(peer)
      join optouts o on o.account_id = r.account and o.token_id = r.token and o.peer = i.peer
    ) order by r.ord)
    into v_ok
    from unnest(p_account, p_key_token, p_from, p_upto) with ordinality
      as r(account, token, start, upto, ord);
  v_ok := claim_request_keys(
    p_account, p_key, p_key_hash, p_key_token, p_from, p_upto, p_request, p_id, p_ref, p_hash,
    p_context, v_saldo, v_ok
  );
  if not true = any (v_ok) then
    return;
  end if;

  v_count := place_requests(
    p_account, v_hold_seq, v_ok, p_request, p_id, p_token, p_peer, p_type, p_body, p_price, p_ref,
    p_priority, p_ready, p_expires, p_secret, w_account, w_available, w_held, v_today,
    clock_timestamp()
  );
  return query select r.ord::int, v_saldo[r.ord] from unnest(v_ok) with ordinality as r(ok, ord)
    where r.ok;
end
$$;

revoke all on function accept_many from public;
grant execute on function accept_many to kabari_app;
