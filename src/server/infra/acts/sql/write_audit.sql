-- Writes a line of the audit log: the next one of its account's chain. Called by openAudit; nothing else
-- may write one. Locks the chain's head until the transaction ends, so concurrent writers of an account
-- take turns. The texts that are hashed stand as well in chain/verify.ts, which computes them by itself,
-- and in 0029. Raises 42501 for another account than the transaction may see.
create or replace function write_audit(
  p_account uuid, p_id uuid, p_actor text, p_act text, p_outcome text, p_ip text, p_request text,
  p_facts jsonb
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_head audit_heads%rowtype;
  v_at timestamptz;
  v_salt bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
  v_digest bytea := sha256(v_salt || convert_to(jsonb_build_array(p_ip, p_facts)::text, 'UTF8'));
  v_hash bytea;
begin
  if not (sees_all() or p_account is not distinct from seen_account()) then
    raise exception 'an audit line of another account' using errcode = '42501';
  end if;
  select * into v_head from audit_heads where account_id = p_account for update;
  if not found then
    insert into audit_heads (account_id, seq, hash) values (p_account, 0, '')
    on conflict (account_id) do nothing;
    select * into v_head from audit_heads where account_id = p_account for update;
  end if;
  v_at := clock_timestamp();
  v_hash := sha256(v_head.hash || convert_to(jsonb_build_array(
    p_account, v_head.seq + 1, p_id, (extract(epoch from v_at) * 1000000)::bigint,
    p_actor, p_act, p_outcome, p_request, encode(v_digest, 'hex')
  )::text, 'UTF8'));
  insert into audit_log (
    account_id, audit_id, at, actor, act, outcome, ip, request, facts, seq, salt, digest, hash
  ) values (
    p_account, p_id, v_at, p_actor, p_act, p_outcome, p_ip, p_request, p_facts, v_head.seq + 1,
    v_salt, v_digest, v_hash
  );
  update audit_heads set seq = seq + 1, hash = v_hash where account_id = p_account;
end
$$;

revoke all on function write_audit from public;
grant execute on function write_audit to kabari_app;
