-- What a plan includes, where accepting looks: beside the saldo, under the same lock.
alter table wallets
  -- Messages included in the period, and how many of them are used.
  add column plan_quota  int not null default 0 check (plan_quota >= 0),
  add column plan_used   int not null default 0 check (plan_used >= 0),
  -- Counts the periods, of all its plans: a message names the one whose quota it is taken from.
  add column plan_round  int not null default 0,
  -- What a message costs beyond the quota; null: no plan, the list price holds.
  add column plan_price  bigint check (plan_price >= 0),
  -- The saldo is the welcome bonus alone: it pays for the simulator and the account's own number.
  add column bonus_only  boolean not null default false;

update wallets w set bonus_only = true
  where exists (
    select from wallet_entries e
    where e.account_id = w.account_id and e.kind = 'bonus' and e.idem_key = 'bonus:welcome'
  ) and not exists (
    select from wallet_entries e where e.account_id = w.account_id and e.kind in ('topup', 'adjust')
  );

-- The round of its wallet whose quota a message was taken from; its price is 0 then.
alter table messages add column plan_round int;
