-- Fewer rows and indexes in the transaction of a message: counts are folded from what changed
-- (fold_counts), and readers add what is not folded yet.

-- What an outbox row says of its messages, index by index: enough to count the change. `statuses_before`
-- is null for a new message; a cost is 0 for what was given back or waived.
alter table outbox
  add column types           text[],
  add column statuses_before text[],
  add column costs           bigint[],
  add column costs_before    bigint[];

-- The same of a published event. Of messages, `data` has only what these columns have not.
alter table events
  add column token_id      uuid,
  add column peer          text,
  add column type          text,
  add column status        text,
  add column status_before text,
  add column cost          bigint,
  add column cost_before   bigint,
  alter column data drop not null;

-- The wallet's entry whose saldo was published last: an older one is not published after it.
alter table event_positions add column saldo_seq bigint not null default 0;

-- Up to which event an account's changes stand in rollups and rollup_sums.
create table count_marks (
  account_id  uuid primary key,
  position    bigint not null
) with (fillfactor = 50);
call tenant_table('count_marks', 'select');
insert into count_marks select account_id, last from event_positions;

-- What published events changed in the counts of messages; events that are of none have no type.
create view message_changes with (security_invoker = true) as
  select account_id, position, kind, message_id, token_id, type, status, status_before, cost, cost_before
  from events;
grant select on message_changes to kabari_app;

-- What changed and is not in the rollups yet: +1 for what a message became, -1 for what it was.
create view pending_counts with (security_invoker = true) as
  select c.account_id, date_trunc('hour', to_timestamp(
      ('x' || left(replace(c.message_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0
    )) as hour,
    c.token_id, case when c.kind = 'message.received' then 'in' else 'out' end as direction,
    s.status, c.type, s.messages, s.cost
  from (
    select e.account_id, e.kind, e.message_id, e.token_id, e.type, e.status, e.status_before, e.cost,
      e.cost_before
    from message_changes e left join count_marks m on m.account_id = e.account_id
    where e.position > coalesce(m.position, 0) and e.type is not null
    union all
    select o.account_id, o.kind, i.message_id, i.token_id, i.type, i.status, i.status_before, i.cost,
      i.cost_before
    from outbox o cross join lateral unnest(
      o.message_ids, o.token_ids, o.types, o.statuses, o.statuses_before, o.costs, o.costs_before
    ) as i(message_id, token_id, type, status, status_before, cost, cost_before)
    where o.types is not null
  ) c
  cross join lateral (values
    (c.status_before, -1::bigint, -c.cost_before), (c.status, 1::bigint, c.cost)
  ) as s(status, messages, cost)
  where s.status is not null;
grant select on pending_counts to kabari_app;

-- Messages accepted on the lane's last day, in WIB: counted with the wake-up, in one update.
alter table lanes add column day date, add column accepted int not null default 0;
update lanes l set day = d.day, accepted = d.accepted from token_days d
  where d.account_id = l.account_id and d.token_id = l.token_id
    and d.day = (now() at time zone 'Asia/Jakarta')::date;
drop table token_days;

-- Rows that come in the order of time, and are looked for by it only when they are old.
drop index request_keys_by_age;
create index request_keys_by_age on request_keys using brin (created_at);
drop index message_refs_by_age;
create index message_refs_by_age on message_refs using brin (created_at);

-- Written by the ledger's functions alone, under the wallet's lock; post_entry looks the contra account
-- up. Checking both again for each row took more than the row.
alter table wallet_entries
  drop constraint wallet_entries_account_id_fkey, drop constraint wallet_entries_contra_fkey;
alter table conversations drop constraint conversations_account_id_token_id_fkey;

-- The counts of messages as they stand: what is folded, and what is not yet. Sums over them are exact at
-- every moment, within one statement.
create view message_counts with (security_invoker = true) as
  select account_id, hour, token_id, direction, status, type, messages, cost from rollups
  union all
  select account_id, hour, token_id, direction, status, type, messages, cost from pending_counts;
grant select on message_counts to kabari_app;

-- The same per day and per month (WIB).
create view message_count_sums with (security_invoker = true) as
  select account_id, grain, since, token_id, direction, status, type, messages from rollup_sums
  union all
  select p.account_id, g.grain, date_trunc(g.grain, p.hour at time zone 'Asia/Jakarta')::date,
    p.token_id, p.direction, p.status, p.type, p.messages
  from pending_counts p cross join (values ('day'), ('month')) as g(grain);
grant select on message_count_sums to kabari_app;

-- The shape of an entry, kept by a function: as an expression it was read anew by every statement that
-- writes an entry, which took as long as writing two.
create function entry_has_shape(
  p_kind text, p_available bigint, p_held bigint, p_contra text, p_memo text
) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return case p_kind
    when 'hold'       then p_available < 0 and p_held = -p_available and p_contra = 'none'
    when 'release'    then p_available > 0 and p_held = -p_available and p_contra = 'none'
    when 'capture'    then p_available = 0 and p_held < 0 and p_contra = 'rev:message'
    when 'correction' then p_available < 0 and p_held = 0 and p_contra = 'rev:message'
    when 'topup'      then p_available > 0 and p_held = 0 and p_contra = 'clearing'
    when 'bonus'      then p_available > 0 and p_held = 0 and p_contra = 'exp:bonus'
    when 'plan'       then p_available < 0 and p_held = 0 and p_contra = 'rev:plan'
    when 'refund'     then p_available > 0 and p_held = 0
    when 'payout'     then p_available < 0 and p_held = 0 and p_contra = 'clearing'
    when 'adjust'     then p_available <> 0 and p_held = 0 and p_memo is not null
    else false end;
end
$$;
alter table wallet_entries
  drop constraint shape,
  add constraint shape check (entry_has_shape(kind, d_available, d_held, contra, memo));

-- The same for what holds within a row of messages: known direction and charge, a price that is not
-- negative and held exactly where there is one, entries that follow each other.
create function message_is_lawful(
  p_direction text, p_price bigint, p_charge text, p_hold bigint, p_settle bigint, p_correct bigint
) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return p_direction in ('out', 'in') and p_price >= 0
    and coalesce(p_charge in ('held', 'captured', 'released', 'waived'), true)
    and (p_price > 0) = (p_hold is not null)
    and (p_settle is null or coalesce(p_settle > p_hold, true))
    and (p_correct is null or coalesce(p_correct > p_settle, true));
end
$$;
alter table messages
  drop constraint messages_direction_check, drop constraint messages_price_check,
  drop constraint messages_charge_state_check, drop constraint held_when_priced,
  drop constraint settled_after_held, drop constraint corrected_after_settled,
  add constraint message_is_lawful check (
    message_is_lawful(direction, price, charge_state, hold_seq, settle_seq, correct_seq)
  );
