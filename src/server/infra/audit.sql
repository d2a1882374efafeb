-- Writes an entry of the audit log: the next one of its account's chain. Only openAudit may call it. Locks the
-- chain's head until the transaction ends, so concurrent writers of an account take turns. chain.ts computes the
-- hashed texts as well: keep both the same. Raises 42501 for an account that the transaction may not see.
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

-- Removes addresses, facts and the salt of their digest from up to p_limit audit entries of a closed account; returns
-- how many. Called by eraseAudit. Locks the entries it changes. Raises 42501 if the account is not closed.
create or replace function erase_audit(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n int;
begin
  perform begin_erasing(p_account);
  update audit_log set ip = '', facts = '{}', salt = null
  where account_id = p_account and audit_id = any (array(
    select audit_id from audit_log
    where account_id = p_account and salt is not null limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;

revoke all on function erase_audit from public;
grant execute on function erase_audit to kabari_app;

-- Addresses of anonymous callers belong to no account: they are erased after seven days, the grace period of a
-- deletion, so that none outlives its owner's account. Called by the daily sweep; returns how many.
create or replace function erase_anonymous_audit(p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  n int;
begin
  perform set_config('app.erasing', v_nobody::text, true);
  update audit_log set ip = '', facts = '{}', salt = null
  where account_id = v_nobody and audit_id = any (array(
    select audit_id from audit_log
    where account_id = v_nobody and salt is not null
      and audit_id < uuid_floor(clock_timestamp() - interval '7 days') limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;

revoke all on function erase_anonymous_audit from public;
grant execute on function erase_anonymous_audit to kabari_app;

-- A chain's head advances by one entry at a time and is never deleted. Raises P0001 for any other change.
create or replace function deny_unless_next() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.account_id = old.account_id and new.seq = old.seq + 1 then
    return new;
  end if;
  raise exception '% only goes forward', tg_table_name;
end
$$;

create or replace trigger audit_heads_forward before update or delete on audit_heads
  for each row execute function deny_unless_next();
create or replace trigger audit_heads_not_emptied before truncate on audit_heads
  for each statement execute function deny_unless_next();

-- Audit entries are permanent; address and facts can be removed together with the salt of their digest while the
-- account is erased (erase_audit, erase_anonymous_audit). Seals and verification results are immutable. Raises P0001
-- for any other change.
create or replace function deny_unless_blanking() returns trigger language plpgsql as $$
begin
  -- Shards of a distributed database append a number to the table's name.
  if tg_op = 'UPDATE' and tg_table_name ~ '^audit_log(_\d+)?$' then
    if current_setting('app.erasing', true) = old.account_id::text
      and new.ip = '' and new.facts = '{}' and new.salt is null
      -- Columns generated from facts are not computed yet.
      and to_jsonb(new) - '{ip,facts,salt,about}'::text[]
        = to_jsonb(old) - '{ip,facts,salt,about}'::text[]
    then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function deny_unless_blanking();
create or replace trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function deny_unless_blanking();
create or replace trigger audit_seals_append_only before update or delete on audit_seals
  for each row execute function deny_unless_blanking();
create or replace trigger audit_seal_heads_append_only before update or delete on audit_seal_heads
  for each row execute function deny_unless_blanking();
create or replace trigger audit_checks_append_only before update or delete on audit_checks
  for each row execute function deny_unless_blanking();
