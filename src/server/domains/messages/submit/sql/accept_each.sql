-- Judges a wallet's requests one by one, and their items one by one: each is accepted when the
-- remaining saldo, the token's daily limit and its own checks allow it. By a plan (p_plan_price) the
-- first p_left cost nothing, the others its price; but messages of the Cloud API cost what their categories do. Outcomes and columns as accept_batch answers them. Takes the keys and references of what is accepted; placing it is the
-- caller's.
-- Called by accept_batch when not everything fits, under the wallet's lock; only the owner may call
-- it.
-- STOP to the installation's own token ends notices, which ask for themselves, and not codes.
create or replace function accept_each(
  p_account uuid, p_available bigint, p_left int, p_plan_price bigint, p_bonus_only boolean,
  p_today date,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[],
  p_id uuid[], p_token uuid[], p_peer text[], p_price bigint[], p_ref text[], p_hash bytea[],
  p_context jsonb[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb, o_context jsonb, o_price bigint
)
language plpgsql as $$
declare
  v_ok boolean[] := array_fill(false, array[cardinality(p_id)]);
  v_avail bigint := p_available;
  v_price bigint;
  v_outcome text;
  v_fact bigint;
  v_other uuid;
  v_results jsonb[];
  v_taken int;
  v_accepted bigint;
  v_key request_keys%rowtype;
  v_ref message_refs%rowtype;
  v_tok record;
  -- The token that v_tok and v_accepted are of: looked up anew only where the items' token changes.
  v_token uuid;
  -- Whether a plan counts its messages.
  v_counts boolean;
begin
  for r in 1..cardinality(p_from) loop
    if p_key[r] is not null then
      select * into v_key from request_keys
        where account_id = p_account and token_id = p_key_token[r] and key = p_key[r];
      if found then
        return query select r, 0, null::uuid,
          case when v_key.hash = p_key_hash[r] then 'replayed' else 'conflict' end,
          null::bigint, v_key.saldo, v_key.message_ids, first_outcomes(v_key), v_key.answer_context,
          null::bigint;
        continue;
      end if;
    end if;
    v_taken := 0;
    v_results := '{}';
    for i in p_from[r]..p_upto[r] loop
      v_outcome := 'accepted';
      v_fact := null;
      v_other := p_id[i];
      if p_token[i] is distinct from v_token then
        v_token := p_token[i];
        select case when k2.account_suspended then 'suspended' else k2.status end as status,
            k2.daily_limit, k2.channel, k2.is_system,
            case when l.day = p_today then l.accepted else 0 end as accepted
          into v_tok
          from tokens k2 left join lanes l on l.account_id = p_account and l.token_id = k2.token_id
          where k2.account_id = p_account and k2.token_id = v_token and k2.deleted_at is null;
        v_counts := v_tok.channel is distinct from 'cloud';
        select coalesce(v_tok.accepted, 0) + count(*) into v_accepted
          from unnest(p_token, v_ok) as x(token, ok) where x.ok and x.token = v_token;
      end if;
      v_price := case when p_price[i] = 0 or (v_counts and p_left > 0) then 0
        when v_counts then coalesce(p_plan_price, p_price[i]) else p_price[i] end;
      if p_ref[i] is not null then
        select * into v_ref from message_refs where account_id = p_account and ref = p_ref[i];
        if found then
          v_outcome := case when v_ref.hash = p_hash[i] then 'duplicate' else 'ref_conflict' end;
          v_other := v_ref.message_id;
          select price into v_price from messages
            where account_id = p_account and message_id = v_other;
        end if;
      end if;
      if v_outcome = 'accepted' then
        if coalesce(v_tok.status, '') not in ('linked', 'disconnected') then
          v_outcome := case when v_tok.status = 'suspended' then 'suspended' else 'not_linked' end;
        elsif not v_tok.is_system and exists (
          select 1 from optouts o
          where o.account_id = p_account and o.token_id = p_token[i] and o.peer = p_peer[i]
        ) then
          v_outcome := 'opted_out';
        elsif v_accepted + 1 > v_tok.daily_limit then
          v_outcome := 'limit';
          v_fact := v_tok.daily_limit;
        elsif v_price > v_avail then
          v_outcome := 'saldo_short';
          v_fact := v_avail;
        elsif p_bonus_only and v_price > 0 and v_tok.channel <> 'simulator' and not exists (
          select from user_phones where account_id = p_account and phone = p_peer[i]
        ) then
          v_outcome := 'bonus_only';
        end if;
      end if;
      if v_outcome = 'accepted' then
        v_ok[i] := true;
        v_accepted := v_accepted + 1;
        v_avail := v_avail - v_price;
        p_left := p_left - (p_price[i] > 0 and v_counts)::int;
        if p_ref[i] is not null then
          insert into message_refs (account_id, ref, message_id, hash)
            values (p_account, p_ref[i], p_id[i], p_hash[i]);
        end if;
      end if;
      v_taken := v_taken + (v_outcome in ('accepted', 'duplicate'))::int;
      v_results[i - p_from[r] + 1] :=
        jsonb_build_object('id', v_other, 'outcome', v_outcome, 'fact', v_fact, 'price', v_price);
      return query select r, i, v_other, v_outcome, v_fact, v_avail, null::uuid[], null::jsonb,
        null::jsonb, v_price;
    end loop;
    -- Refusals are not stored: a request that was refused whole may be tried again. One that only
    -- named messages accepted before got a yes, and its saldo is part of that answer.
    if p_key[r] is not null and v_taken > 0 then
      insert into request_keys (
        account_id, token_id, key, hash, message_ids, outcomes, saldo, answer_context
      ) values (
        p_account, p_key_token[r], p_key[r], p_key_hash[r], p_id[p_from[r]:p_upto[r]],
        to_jsonb(v_results), v_avail, p_context[r]
      );
    end if;
  end loop;
end
$$;

revoke all on function accept_each from public;
