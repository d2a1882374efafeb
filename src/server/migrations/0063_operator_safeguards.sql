-- Safeguards of money that hold when one person works as two operators.

-- How operators came to what they may do: who invited them, gave them a role that decides about money, or took
-- their second factor away. Who is tied to a proposer is no second operator for it. `vouched` is written from the
-- terminal of the installation: what came before it counts no more.
create table operator_ties (
  tie_id       uuid primary key,
  operator_id  uuid not null,
  by_operator  uuid,
  kind         text not null check (kind in ('invited', 'roles', 'factor_reset', 'vouched')),
  at           timestamptz not null default clock_timestamp(),
  constraint terminal_vouches check ((by_operator is null) = (kind = 'vouched'))
);
create index operator_ties_by_operator on operator_ties (operator_id, at);
call all_accounts_table('operator_ties', 'select, insert');

-- A change that weakens a safeguard counts from then on, unless a newer version comes before; null: at once.
alter table settings add column effective_at timestamptz;

-- What the approval of a bonus let a customer spend.
alter table bonus_approvals add column amount bigint not null default 0 check (amount >= 0);

-- A credit of the day and amount of a line that was known before waits until an operator has seen both at the bank.
-- import_id tells the lines of one import from those that were known before it.
alter table bank_lines
  add column import_id uuid,
  add column twin_of text,
  add column both_at timestamptz,
  add column both_by uuid,
  add column both_reason text,
  add constraint both_is_whole check (
    (both_at is null) = (both_by is null) and (both_at is null) = (both_reason is null)
    and (both_at is null or twin_of is not null)
  );
grant update (both_at, both_by, both_reason) on bank_lines to kabari_app;

-- What the statements say of each day: the balances before and after it, in sen (null where a statement has none), and
-- the sum of its credits in whole rupiah. The last day of a statement may have more lines later.
create table bank_balances (
  statement_id  uuid not null references bank_statements,
  bank          text not null,
  day           date not null,
  opening_sen   bigint,
  closing_sen   bigint,
  credits       bigint not null check (credits >= 0),
  is_last       boolean not null,
  primary key (statement_id, day),
  constraint balances_are_whole check ((opening_sen is null) = (closing_sen is null))
);
create index bank_balances_by_day on bank_balances (bank, day);
call all_accounts_table('bank_balances', 'select, insert');
