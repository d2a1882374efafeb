-- My data, and the end of an account.

alter table accounts
  -- From here on nothing of it works; what it held is erased from a minute later on.
  add column closed_at    timestamptz,
  -- When its owner was told that it is done.
  add column farewell_at  timestamptz;
create index accounts_to_erase on accounts (erase_at)
  where erase_at is not null and erased_at is null;

-- Numbers that people had before: what the house wrote to them is erased with their account.
create table former_phones (
  account_id  uuid not null,
  phone       text not null,
  left_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, phone)
);
call tenant_table('former_phones', 'select, insert, delete');

create function keep_former_phone() returns trigger language plpgsql as $$
begin
  insert into former_phones (account_id, phone)
    select a.account_id, old.phone from accounts a
    where a.account_id = old.account_id and a.closed_at is null
    on conflict (account_id, phone) do nothing;
  return null;
end
$$;
create trigger user_phone_left after delete on user_phones
  for each row execute function keep_former_phone();

-- Archives of what an account holds: asked for, made by a worker under a lease, kept for a day.
create table exports (
  account_id   uuid not null references accounts,
  export_id    uuid not null,
  -- Who asked, and is told when it is ready.
  user_id      uuid not null,
  status       text not null default 'waiting'
                 check (status in ('waiting', 'working', 'ready', 'failed', 'expired')),
  progress     int not null default 0 check (progress between 0 and 100),
  tries        int not null default 0,
  -- The try that is under way, or made it: it names the archive's file.
  owner        uuid,
  lease_until  timestamptz,
  size_bytes   bigint,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  told_at      timestamptz,
  primary key (account_id, export_id),
  constraint ready_has_archive check (
    status <> 'ready' or (owner is not null and size_bytes is not null and expires_at is not null)
  )
);
create unique index exports_one_at_a_time on exports (account_id)
  where status in ('waiting', 'working');
create index exports_to_tell on exports (created_at) where status = 'ready' and told_at is null;
create index exports_by_expiry on exports (expires_at) where status = 'ready';
call tenant_table('exports');

-- What was only ever added may be erased, for one account that is closed, by the functions below and by
-- nobody else: the app has no right to do so itself, and this stops everyone's mistakes.
create function deny_but_erasing() returns trigger language plpgsql as $$
begin
  if current_setting('app.erasing', true) = old.account_id::text then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;
drop trigger message_events_append_only on message_events;
create trigger message_events_append_only before update or delete on message_events
  for each row execute function deny_but_erasing();
drop trigger topup_decisions_append_only on topup_decisions;
create trigger topup_decisions_append_only before update on topup_decisions
  for each row execute function deny_but_erasing();
create trigger topup_decisions_never_deleted before delete on topup_decisions
  for each row execute function deny();

-- A line of the audit log stays for ever; where from, and what it was about, can be taken out of it.
create function deny_but_blanking() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('app.erasing', true) = old.account_id::text
    and new.ip = '' and new.facts = '{}'
    and to_jsonb(new) - 'ip' - 'facts' = to_jsonb(old) - 'ip' - 'facts'
  then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;
drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function deny_but_blanking();

-- As in 0008, but what an operator noted on a top-up can be taken out of it while its account is erased.
create or replace function topup_steps() returns trigger language plpgsql as $$
begin
  if old.status = new.status and (
    old.status not in ('paid', 'rejected')
    or (current_setting('app.erasing', true) = old.account_id::text
      and to_jsonb(new) - 'note' = to_jsonb(old) - 'note')
  ) then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('pending', 'paid'), ('pending', 'expired'), ('pending', 'cancelled'), ('pending', 'review'),
    ('pending', 'rejected'), ('expired', 'paid'), ('expired', 'review'), ('cancelled', 'paid'),
    ('cancelled', 'review'), ('review', 'paid'), ('review', 'rejected')
  ) then
    raise exception 'a top-up cannot go from % to %', old.status, new.status using errcode = 'BL001';
  end if;
  return new;
end
$$;

-- Closes an account whose time has come: nothing is taken for it any more, and no lane of it sends.
-- False when it was called off meanwhile, or is closed already.
create function close_account(p_account uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The wallet's lock: what was being accepted stands before, everything later is refused.
  perform 1 from wallets where account_id = p_account for no key update;
  update accounts set status = 'closed', closed_at = clock_timestamp()
    where account_id = p_account and erase_at <= clock_timestamp() and closed_at is null
      and not is_system;
  if not found then
    return false;
  end if;
  update wallets set status = 'closed' where account_id = p_account;
  update lanes set epoch = epoch + 1, owner = null, lease_until = null
    where account_id = p_account;
  return true;
end
$$;

-- Refuses to erase anything of an account that is not closed.
create function begin_erasing(p_account uuid) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (
    select from accounts where account_id = p_account and closed_at is not null and not is_system
  ) then
    raise exception 'account % is not closed', p_account using errcode = '42501';
  end if;
  perform set_config('app.erasing', p_account::text, true);
end
$$;

-- Erases up to so many messages of a closed account, with their timelines; how many.
create function erase_messages(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_ids uuid[];
begin
  perform begin_erasing(p_account);
  if exists (select from dispatch where account_id = p_account) then
    raise exception 'messages of % are on their way', p_account;
  end if;
  select array_agg(message_id) into v_ids from (
    select message_id from messages where account_id = p_account order by message_id limit p_limit
  ) few;
  delete from message_events where account_id = p_account and message_id = any (v_ids);
  delete from messages where account_id = p_account and message_id = any (v_ids);
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

-- Erases what was counted of a closed account's messages.
create function erase_counts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  delete from rollups where account_id = p_account;
  delete from rollup_sums where account_id = p_account;
  delete from token_days where account_id = p_account;
  perform set_config('app.erasing', '', true);
end
$$;

-- Erases up to so many messages between the house and numbers that are nobody's any more; how many.
-- What was counted of them goes down with them, so that the house's own history still adds up.
create function erase_told(p_phones text[], p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_house uuid;
  v_ids uuid[];
begin
  select account_id into strict v_house from accounts where is_system;
  if exists (
    select from user_phones p join accounts a on a.account_id = p.account_id
    where p.phone = any (p_phones) and a.closed_at is null
  ) then
    raise exception 'a number is in use' using errcode = '42501';
  end if;
  perform 1 from wallets where account_id = v_house for no key update;
  select array_agg(message_id) into v_ids from (
    select message_id from messages
    where account_id = v_house and peer = any (p_phones) and price = 0 limit p_limit
  ) few;
  perform set_config('app.erasing', v_house::text, true);
  delete from dispatch where account_id = v_house and message_id = any (v_ids);
  delete from message_events where account_id = v_house and message_id = any (v_ids);
  with gone as (
    delete from messages where account_id = v_house and message_id = any (v_ids)
    returning message_id, token_id, direction, status, type
  ), change as materialized (
    select date_trunc('hour', uuid_time(message_id)) as hour, token_id, direction, status, type,
      count(*) as n
    from gone group by 1, 2, 3, 4, 5
  ), rolled as (
    update rollups u set messages = u.messages - c.n from change c
    where u.account_id = v_house and u.hour = c.hour and u.token_id = c.token_id
      and u.direction = c.direction and u.status = c.status and u.type = c.type
  ), sums as (
    select grain, wib_since(grain, hour) as since, token_id, direction, status, type,
      sum(n)::bigint as n
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 5, 6
  )
  update rollup_sums u set messages = u.messages - s.n from sums s
    where u.account_id = v_house and u.grain = s.grain and u.since = s.since
      and u.token_id = s.token_id and u.direction = s.direction and u.status = s.status
      and u.type = s.type;
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

-- Takes the names of payers, and what operators noted, out of a closed account's top-ups. Amounts stay.
create function erase_payers(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update bank_lines set description = '', reference = ''
    where account_id = p_account and (description <> '' or reference <> '');
  update topups set note = null where account_id = p_account and note is not null;
  update topup_decisions set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  perform set_config('app.erasing', '', true);
end
$$;

-- Takes addresses and facts out of up to so many audit lines of a closed account; how many.
create function erase_audit(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n int;
begin
  perform begin_erasing(p_account);
  update audit_log set ip = '', facts = '{}' where account_id = p_account and audit_id = any (array(
    select audit_id from audit_log
    where account_id = p_account and (ip <> '' or facts <> '{}') limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;

-- Addresses of people who were not signed in are nobody's to erase: they are kept for seven days, the
-- grace of a deletion, so that none outlives the account whose owner it was.
create function forget_strangers(p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  n int;
begin
  perform set_config('app.erasing', v_nobody::text, true);
  update audit_log set ip = '', facts = '{}' where account_id = v_nobody and audit_id = any (array(
    select audit_id from audit_log
    where account_id = v_nobody and ip <> ''
      and audit_id < uuid_floor(clock_timestamp() - interval '7 days') limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;
create index audit_log_strangers on audit_log (audit_id)
  where account_id = '00000000-0000-0000-0000-000000000000' and ip <> '';

-- As in 0007, but for a closed account nothing comes in any more: what a phone was just telling it when
-- it was closed would stay behind.
create or replace function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_status text;
begin
  select status into v_status from wallets where account_id = p_account for no key update;
  if v_status = 'closed' then
    return false;
  end if;
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_provider, p_id, '') on conflict do nothing;
  if not found then
    return false;
  end if;
  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
  ) values (p_account, p_id, p_token, p_peer, 'in', p_type, p_body, 'received', 0, uuid_time(p_id));
  insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    values (p_account, date_trunc('hour', uuid_time(p_id)), p_token, 'in', 'received', p_type, 1, 0)
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, uuid_time(p_id)), p_token, 'in', 'received', p_type, 1
    from unnest(array['day', 'month']) as grain
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    values (p_account, gen_random_uuid(), 'message.received', array[p_id], array[p_token],
      array[p_peer], array['received'], jsonb_build_object('peer_name', p_name));
  return true;
end
$$;

grant delete on token_keys, sim_phones to kabari_app;
revoke all on function close_account, begin_erasing, erase_messages, erase_counts, erase_told,
  erase_payers, erase_audit, forget_strangers from public;
grant execute on function close_account, erase_messages, erase_counts, erase_told, erase_payers,
  erase_audit, forget_strangers to kabari_app;
