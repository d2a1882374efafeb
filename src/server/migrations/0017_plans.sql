-- Plans and the subscriptions of accounts. What a plan costs and includes is a row that never changes: who
-- edits a plan adds a revision.

create table plans (
  code        text primary key check (code ~ '^[a-z][a-z0-9-]{1,30}$'),
  is_offered  boolean not null,
  position    int not null,
  -- Everybody has a plan: who pays for none has this one.
  constraint gratis_is_offered check (code <> 'gratis' or is_offered)
);
alter table plans enable row level security;
create policy readable on plans for select using (true);
call all_accounts_table('plans', 'select, insert, update');

create table plan_revisions (
  code         text not null references plans,
  revision     int not null check (revision > 0),
  name         text not null check (name <> ''),
  description  text not null,
  price        bigint not null check (price >= 0),
  tokens       int not null check (tokens > 0),
  quota        int not null check (quota >= 0),
  overage      bigint not null check (overage >= 0),
  valid_from   timestamptz not null,
  -- Null: it came with the installation.
  operator_id  uuid,
  primary key (code, revision),
  constraint gratis_is_free check ((code = 'gratis') = (price = 0))
);
alter table plan_revisions enable row level security;
create policy readable on plan_revisions for select using (true);
call all_accounts_table('plan_revisions', 'select, insert');

insert into plans values ('gratis', true, 1), ('usaha', true, 2), ('bisnis', true, 3);
insert into plan_revisions values
  ('gratis', 1, 'Gratis', 'Untuk mencoba dan usaha yang baru mulai.', 0, 1, 100, 150,
    '2000-01-01T00:00:00+07:00'),
  ('usaha', 1, 'Usaha', 'Untuk toko dengan beberapa kasir.', 99000, 3, 5000, 75,
    '2000-01-01T00:00:00+07:00'),
  ('bisnis', 1, 'Bisnis', 'Untuk usaha dengan beberapa cabang.', 299000, 10, 25000, 50,
    '2000-01-01T00:00:00+07:00');

create table subscriptions (
  account_id            uuid primary key references accounts,
  plan_code             text not null,
  plan_revision         int not null,
  status                text not null default 'active'
                        check (status in ('active', 'past_due', 'suspended', 'cancelled')),
  -- The n-th period is counted from the anchor, so that the 31st stays the 31st.
  anchor                date not null,
  period_no             int not null check (period_no >= 0),
  period_start          timestamptz not null,
  period_end            timestamptz not null check (period_end > period_start),
  -- What begins with the next period, where that is another plan.
  next_plan             text references plans,
  cancel_at_period_end  boolean not null default false,
  grace_until           timestamptz,
  suspended_at          timestamptz,
  -- The charge that is due, and its open invoice.
  due_charge            uuid,
  due_invoice           uuid,
  -- Counts the changes of plan: a period is charged once for each.
  revision              int not null default 0,
  foreign key (plan_code, plan_revision) references plan_revisions,
  constraint past_due_knows_its_charge check (
    (status = 'past_due') = (grace_until is not null)
    and (status = 'past_due') = (due_charge is not null)
    and (due_charge is null) = (due_invoice is null)
  ),
  constraint suspended_since check ((status = 'suspended') = (suspended_at is not null)),
  constraint ends_or_changes check (not (cancel_at_period_end and next_plan is not null))
) with (fillfactor = 80);
create index subscriptions_paid on subscriptions (period_end)
  where status = 'active' and plan_code <> 'gratis';
create index subscriptions_free on subscriptions (period_end) where plan_code = 'gratis';
create index subscriptions_unpaid on subscriptions (account_id)
  where status in ('past_due', 'suspended');
call tenant_table('subscriptions', 'select, insert, update, delete');

-- What was charged for a plan, once for each period and change. Append-only.
create table subscription_charges (
  account_id     uuid not null references accounts,
  charge_id      uuid not null,
  kind           text not null check (kind in ('period', 'change', 'end')),
  period_start   timestamptz not null,
  period_end     timestamptz not null,
  revision       int not null,
  plan_code      text not null,
  plan_revision  int not null,
  credit         bigint not null check (credit >= 0),
  charge         bigint not null check (charge >= 0),
  amount         bigint generated always as (charge - credit) stored,
  invoice_id     uuid,
  at             timestamptz not null,
  primary key (account_id, charge_id),
  constraint charged_once unique (account_id, period_start, revision),
  foreign key (plan_code, plan_revision) references plan_revisions
);
call tenant_table('subscription_charges', 'select, insert');

-- What people are told of their plan, each step once: its subject is the step.
create table billing_notices (
  account_id  uuid not null references accounts,
  notice_id   uuid not null,
  subject     text not null,
  title       text not null,
  body        text not null,
  due_at      timestamptz not null,
  tries       int not null default 0,
  -- Queued for browsers; sent as a message.
  pushed_at   timestamptz,
  sent_at     timestamptz,
  primary key (account_id, notice_id),
  constraint told_once unique (account_id, subject)
);
create index billing_notices_due on billing_notices (due_at) where sent_at is null;
create index billing_notices_sent on billing_notices (sent_at) where sent_at is not null;
call tenant_table('billing_notices', 'select, insert, update, delete');

-- The accounts that exist have the free plan; their period is over, so that the job begins one within a
-- minute, with what it includes.
insert into subscriptions (
  account_id, plan_code, plan_revision, anchor, period_no, period_start, period_end
)
select account_id, 'gratis', 1, t.day - 1, 0, (t.day - 1)::timestamp at time zone 'Asia/Jakarta',
  t.day::timestamp at time zone 'Asia/Jakarta'
from accounts, (select (now() at time zone 'Asia/Jakarta')::date as day) t
where not is_system and closed_at is null;
