-- The audit log becomes a chain per account, and operators can be invited and removed.

-- Each line hashes the one before it in its account's chain (people who were not signed in share one). Where
-- from and what about are hashed apart, under a salt of the line's own: both can be erased with the salt, and
-- the chain still verifies, while nobody can guess them from the digest.
alter table audit_log
  add column seq bigint, add column salt bytea, add column digest bytea, add column hash bytea,
  -- Of an operator's act, the customer it was for; a column, for row-level security lets no index be read by
  -- an expression on jsonb.
  add column about text generated always as (facts ->> 'account_id') stored;

-- The newest line of each chain, which whoever writes the next one locks.
create table audit_heads (
  account_id  uuid primary key,
  seq         bigint not null,
  hash        bytea not null
);
call tenant_table('audit_heads', 'select');

-- Lines of before get their chain here, in the order of their ids: some 20,000 a second, read by a cursor.
-- The write_audit of the version before is an insert, which this version no longer allows: nodes of that
-- version write no audit lines from here on.
alter table audit_log disable trigger user;
do $$
declare
  line audit_log%rowtype;
  v_account uuid;
  v_seq bigint;
  v_hash bytea;
  v_salt bytea;
  v_digest bytea;
begin
  for line in select * from audit_log order by account_id, audit_id loop
    if v_account is distinct from line.account_id then
      v_account := line.account_id;
      v_seq := 0;
      v_hash := '';
    end if;
    v_seq := v_seq + 1;
    v_salt := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    v_digest := sha256(
      v_salt || convert_to(jsonb_build_array(line.ip, line.facts)::text, 'UTF8')
    );
    -- Erased before: as if it had had a salt then.
    if line.ip = '' and line.facts = '{}' then v_salt := null; end if;
    v_hash := sha256(v_hash || convert_to(jsonb_build_array(
      line.account_id, v_seq, line.audit_id, (extract(epoch from line.at) * 1000000)::bigint,
      line.actor, line.act, line.outcome, line.request, encode(v_digest, 'hex')
    )::text, 'UTF8'));
    update audit_log set seq = v_seq, salt = v_salt, digest = v_digest, hash = v_hash
    where account_id = line.account_id and audit_id = line.audit_id;
  end loop;
end
$$;
alter table audit_log enable trigger user;
insert into audit_heads (account_id, seq, hash)
select distinct on (account_id) account_id, seq, hash from audit_log order by account_id, seq desc;
alter table audit_log
  alter column seq set not null, alter column digest set not null, alter column hash set not null;
revoke insert on audit_log from kabari_app;

create unique index audit_log_chain on audit_log (account_id, seq);
-- How operators look: the newest first, in a range of time, which is a range of ids.
create index audit_log_by_id on audit_log (audit_id);
create index audit_log_by_actor on audit_log (actor, audit_id);
create index audit_log_by_act on audit_log (act, audit_id);
create index audit_log_refused on audit_log (audit_id, act) where outcome <> 'ok';
-- What operators did for a customer stands in the chain of the operators.
create index audit_log_about on audit_log (about, audit_id) where about is not null;
drop index audit_log_strangers;
create index audit_log_strangers on audit_log (audit_id)
  where account_id = '00000000-0000-0000-0000-000000000000' and salt is not null;

-- The heads sealed day by day, so that lines cut off together with their head are missed: each seal hashes
-- the one before, and the heads that moved since. The same hashes stand in the file of seals beside the
-- database.
create table audit_seals (
  seal_no     bigint primary key,
  day         date not null unique,
  previous    text not null,
  hash        text not null,
  chains      bigint not null,
  created_at  timestamptz not null
);
call all_accounts_table('audit_seals', 'select, insert');

create table audit_seal_heads (
  account_id  uuid not null,
  seal_no     bigint not null,
  seq         bigint not null,
  hash        bytea not null,
  primary key (account_id, seal_no)
);
create index audit_seal_heads_by_seal on audit_seal_heads (seal_no, account_id);
call all_accounts_table('audit_seal_heads', 'select, insert');

-- Stored results of the verification of all chains.
create table audit_checks (
  check_id  uuid primary key,
  at        timestamptz not null,
  is_ok     boolean not null,
  lines     bigint not null,
  chains    bigint not null,
  findings  jsonb not null,
  millis    bigint not null
);
call all_accounts_table('audit_checks', 'select, insert');

-- An operator who was removed stays as a name, without roles and number: what they did still says who did
-- it. An invitation that nobody used ends; null for who was made in the terminal or has signed in.
alter table users
  add column removed_at timestamptz, add column invited_until timestamptz,
  drop constraint operators_have_roles,
  add constraint operators_have_roles check (
    operator_roles <@ '{support,money,admin}'
    and (role = 'operator' and removed_at is null) = (operator_roles <> '{}')
  ),
  add constraint only_operators_are_removed check (removed_at is null or role = 'operator');
