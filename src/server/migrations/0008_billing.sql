-- Prices and tax rates, dated: the row with the newest valid_from that has begun holds.
create table prices (
  category    text not null,
  price       bigint not null check (price >= 0),
  valid_from  timestamptz not null,
  primary key (category, valid_from)
);
insert into prices values ('message', 150, '2000-01-01T00:00:00+07:00');
grant select on prices to kabari_app;

-- A tax of num/den on a base of dpp_num/dpp_den of the price: PPN is 12 % of 11/12 (PMK 131/2024).
create table tax_rates (
  code        text not null,
  num         bigint not null check (num >= 0),
  den         bigint not null check (den > 0),
  dpp_num     bigint not null check (dpp_num >= 0),
  dpp_den     bigint not null check (dpp_den > 0),
  valid_from  timestamptz not null,
  primary key (code, valid_from)
);
insert into tax_rates values ('ppn', 12, 100, 11, 12, '2025-01-01T00:00:00+07:00');
grant select on tax_rates to kabari_app;

-- A try to put money in by bank transfer.
create table topups (
  account_id       uuid not null references accounts,
  topup_id         uuid not null,
  -- The browser's idempotency key: the same key twice is one top-up.
  request_key      uuid not null,
  status           text not null default 'pending'
                   check (status in ('pending', 'paid', 'expired', 'cancelled', 'review', 'rejected')),
  base             bigint not null check (base > 0),
  ppn              bigint not null check (ppn >= 0),
  unique_code      int not null check (unique_code between 1 and 999),
  total            bigint not null,
  -- What of it goes to the saldo, and what of the kode unik to us.
  credited         bigint not null check (credited > 0),
  income           bigint not null check (income >= 0),
  -- What really came in; differs from the total only when an operator took it by hand.
  received         bigint check (received > 0),
  provider         text not null default 'bank' check (provider in ('bank')),
  provider_txn_id  text,
  -- Where to transfer to, as it was said when the top-up was made.
  bank_name        text not null,
  bank_number      text not null,
  bank_holder      text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  paid_at          timestamptz,
  -- What its owner is told of how it ended.
  note             text,
  primary key (account_id, topup_id),
  constraint topup_asked_once unique (account_id, request_key),
  constraint total_is_its_parts check (total = base + ppn + unique_code),
  constraint money_is_conserved check (credited + income + ppn = coalesce(received, total)),
  constraint paid_knows_its_payment check (
    (status = 'paid') = (paid_at is not null)
    and (status = 'paid') = (provider_txn_id is not null)
    and (status = 'paid') = (received is not null)
  )
) with (fillfactor = 80);
create index topups_newest on topups (topup_id);
create index topups_by_status on topups (status, topup_id);
create index topups_due on topups (expires_at) where status = 'pending';
call tenant_table('topups', 'select');
-- The app can never say `paid` by itself: what makes it true is not its to write (apply_paid does).
grant insert (
  account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income,
  bank_name, bank_number, bank_holder, created_at, expires_at
) on topups to kabari_app;
grant update (status, note) on topups to kabari_app;

-- Late money is still money: expired and cancelled may become paid. Paid and rejected are final.
create function topup_steps() returns trigger language plpgsql as $$
begin
  if old.status = new.status and old.status not in ('paid', 'rejected') then
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
create trigger topup_steps before update on topups for each row execute function topup_steps();

-- A top-up's id as it is known outside: TU- and 26 characters of Crockford base32.
create function topup_public_id(p_id uuid) returns text
language sql immutable parallel safe
return (
  select 'TU-' || string_agg(
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(b.bits, i * 5 + 1, 5)::bit(5)::int + 1, 1),
    '' order by i
  )
  from (
    select '00' || ('x' || replace(p_id::text, '-', ''))::bit(128)::text as bits
  ) b, generate_series(0, 25) i
);

-- Every change of status is told, in the transaction that made it.
create function topup_told() returns trigger language plpgsql as $$
begin
  insert into outbox (account_id, outbox_id, kind, data) values (
    new.account_id, gen_random_uuid(), 'topup.changed',
    jsonb_build_object('topup_id', topup_public_id(new.topup_id), 'status', new.status)
  );
  return null;
end
$$;
create trigger topup_made after insert on topups for each row execute function topup_told();
create trigger topup_changed after update on topups for each row
  when (old.status <> new.status) execute function topup_told();

-- A table that only the house sees: looked up across accounts by nature.
create procedure house_table(p_table text, p_rights text) language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy house on %I using (current_setting(''app.account'', true) = ''*'')', p_table
  );
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;

-- An amount on a bank account is promised to one top-up, until 7 days after that expires.
create table reserved_transfers (
  bank            text not null,
  amount          bigint not null,
  account_id      uuid not null,
  topup_id        uuid not null,
  reserved_until  timestamptz not null,
  primary key (bank, amount)
);
create index reserved_transfers_due on reserved_transfers (reserved_until);
call house_table('reserved_transfers', 'select, delete');

-- What came in on the bank account, each line once.
create table bank_lines (
  hash         text primary key,
  bank         text not null,
  amount       bigint not null check (amount > 0),
  description  text not null,
  reference    text not null,
  -- When the bank says it came; a statement may know the day only.
  at           timestamptz not null,
  received_at  timestamptz not null,
  -- Whose payment it is, once that is known.
  account_id   uuid,
  topup_id     uuid,
  check ((account_id is null) = (topup_id is null))
);
create index bank_lines_unused on bank_lines (amount) where topup_id is null;
create index bank_lines_by_reference on bank_lines (bank, reference);
call house_table('bank_lines', 'select, insert');
grant update (account_id, topup_id) on bank_lines to kabari_app;

-- One payment pays one top-up: by the provider's own id. `second` came after the top-up was paid.
create table provider_payments (
  provider    text not null,
  txn_id      text not null,
  account_id  uuid not null,
  topup_id    uuid not null,
  amount      bigint not null check (amount > 0),
  outcome     text not null check (outcome in ('paid', 'second')),
  at          timestamptz not null,
  primary key (provider, txn_id)
);
create unique index provider_payments_pay_once on provider_payments (account_id, topup_id)
  where outcome = 'paid';
call house_table('provider_payments', 'select');

-- Who confirmed or rejected a top-up by hand, and why; never shown to its owner.
create table topup_decisions (
  account_id   uuid not null,
  topup_id     uuid not null,
  decision     text not null check (decision in ('confirmed', 'rejected')),
  operator_id  uuid not null,
  reason       text not null,
  reference    text check ((decision = 'confirmed') = (reference is not null)),
  at           timestamptz not null,
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups
);
create trigger topup_decisions_append_only before update or delete on topup_decisions
  for each row execute function deny();
call house_table('topup_decisions', 'select, insert');

-- Promises the first free of p_base + code to a top-up; the code, or null when all are taken.
create function reserve_transfer(
  p_account uuid, p_topup uuid, p_bank text, p_base bigint, p_codes int[], p_until timestamptz
) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_code int;
begin
  foreach v_code in array p_codes loop
    insert into reserved_transfers (bank, amount, account_id, topup_id, reserved_until)
      values (p_bank, p_base + v_code, p_account, p_topup, p_until)
      on conflict do nothing;
    if found then
      return v_code;
    end if;
  end loop;
  return null;
end
$$;

-- Money came for a top-up: paid, entry, general ledger and event, all or nothing. In the order of the
-- locks: top-up, wallet. Answers what it was:
--   applied          paid now, also from expired and cancelled: late money is still money
--   duplicate        this payment is known already
--   txn_used         this payment paid another top-up
--   second_payment   paid already by another payment: the money rests in suspense
--   amount_mismatch  another amount: the operator shall look
--   closed           rejected: nothing is taken
--   unknown          no such top-up
-- By hand (p_by_hand) an amount up to 999 off (a forgotten kode unik) is taken as it came: what is
-- missing is taken first from the part that is our income, then from the saldo; farther off is
-- amount_mismatch without a trace, and a paid top-up is already_paid.
create function apply_paid(
  p_account uuid, p_topup uuid, p_txn text, p_amount bigint, p_at timestamptz, p_actor text,
  p_by_hand boolean default false, p_note text default null
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
  p provider_payments%rowtype;
  v_income bigint;
begin
  if current_setting('app.account', true) is distinct from '*' then
    raise exception 'only the house applies payments' using errcode = '42501';
  end if;
  select * into t from topups where account_id = p_account and topup_id = p_topup for update;
  if not found then
    return 'unknown';
  end if;
  if p_by_hand and t.status = 'paid' then
    return 'already_paid';
  end if;
  select * into p from provider_payments where provider = t.provider and txn_id = p_txn;
  if found then
    return case when p.account_id = p_account and p.topup_id = p_topup then 'duplicate'
      else 'txn_used' end;
  end if;
  if t.status = 'rejected' then
    return 'closed';
  end if;
  if t.status <> 'paid' and p_amount <> t.total then
    if not p_by_hand then
      update topups set status = 'review', note = coalesce(p_note, note)
        where account_id = p_account and topup_id = p_topup;
      return 'amount_mismatch';
    end if;
    if abs(p_amount - t.total) > 999 then
      return 'amount_mismatch';
    end if;
  end if;

  insert into provider_payments (provider, txn_id, account_id, topup_id, amount, outcome, at)
    values (t.provider, p_txn, p_account, p_topup, p_amount,
            case t.status when 'paid' then 'second' else 'paid' end, p_at)
    on conflict (provider, txn_id) do nothing;
  if not found then
    return 'txn_used';
  end if;
  if t.status = 'paid' then
    perform post_gl(p_account, gen_random_uuid(), 'second:' || p_txn, 'second_payment',
      array['cash:' || t.provider, 'suspense'], array[p_amount, -p_amount]);
    return 'second_payment';
  end if;

  v_income := greatest(0, least(t.income, p_amount - t.base - t.ppn));
  update topups set
      status = 'paid', provider_txn_id = p_txn, paid_at = p_at, received = p_amount,
      income = v_income, credited = p_amount - t.ppn - v_income, note = coalesce(p_note, note)
    where account_id = p_account and topup_id = p_topup returning * into t;
  perform post_entry(p_account, 'topup', t.credited, 'clearing', 'topup', p_topup::text,
    'topup:' || p_topup, p_actor);
  perform post_gl(p_account, gen_random_uuid(), 'pay:' || p_topup, 'payment',
    array['cash:' || t.provider, 'clearing', 'liab:ppn', 'inc:kode_unik'],
    array[t.received, -t.credited, -t.ppn, -t.income]);
  return 'applied';
end
$$;

revoke all on function reserve_transfer, apply_paid from public;
grant execute on function reserve_transfer, apply_paid to kabari_app;

-- How many entries a wallet had before an instant. Entries are numbered without gaps and in the order
-- of time, so a search by halves over the primary key finds it: 24 look-ups among 10 million.
create function entries_before(p_account uuid, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_made timestamptz;
begin
  select seq into v_high from wallets where account_id = p_account;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    select created_at into v_made from wallet_entries
      where account_id = p_account and seq = v_middle;
    if v_made < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;
