-- Messages to many: a list of recipients, what each is sent, and how far it has come.

create table campaigns (
  account_id    uuid not null references accounts,
  campaign_id   uuid not null,
  token_id      uuid not null,
  created_by    uuid not null,
  name          text not null,
  status        text not null check (status in ('draft', 'running', 'paused', 'cancelled', 'done')),
  -- What the worker is to make of it: what has not left is taken back first.
  becoming      text check (becoming in ('paused', 'cancelled')),
  pause_reason  text,
  -- Its token has sent as many today as it may: until then it rests by itself.
  rests_until   timestamptz,
  -- With its variables, not filled in.
  content       jsonb,
  -- The columns of its list beside the number, as they are written.
  columns       text[] not null,
  starts_at     timestamptz,
  -- Messages a minute at most; null: as many as its token sends.
  pace          int check (pace > 0),
  -- How many recipients stand how.
  waiting       int not null default 0,
  placed        int not null default 0,
  refused       int not null default 0,
  cancelled     int not null default 0,
  invalid       int not null default 0,
  duplicate     int not null default 0,
  opted_out     int not null default 0,
  incomplete    int not null default 0,
  -- Its messages by status, as far as campaign_marks says; and those that a pause took back.
  messages      jsonb not null default '{}',
  taken_back    int not null default 0,
  cost          bigint not null default 0,
  created_at    timestamptz not null,
  started_at    timestamptz,
  ended_at      timestamptz,
  -- The worker that places it, by the database's clock.
  owner         uuid,
  lease_until   timestamptz,
  primary key (account_id, campaign_id),
  constraint campaign_token foreign key (account_id, token_id) references tokens,
  constraint counts_are_whole check (least(waiting, placed, refused, cancelled, invalid, duplicate, opted_out,
    incomplete, taken_back) >= 0),
  constraint started_has_content check (status = 'draft' or (content is not null and started_at is not null)),
  constraint becomes_from_under_way check (becoming is null or status in ('running', 'paused'))
) with (fillfactor = 50);
-- What the worker looks for: few at any time.
create index campaigns_under_way on campaigns (campaign_id) where status = 'running' or becoming is not null;
create index campaigns_by_token on campaigns (account_id, token_id);
call tenant_table('campaigns');

create table campaign_recipients (
  account_id   uuid not null,
  campaign_id  uuid not null,
  place        int not null,
  -- The number as the list has it, and as it is stored; null where it is none.
  written      text not null,
  peer         text,
  -- By the campaign's columns.
  cells        text[] not null,
  state        text not null check (state in ('waiting', 'placed', 'refused', 'cancelled', 'invalid', 'duplicate',
    'opted_out', 'incomplete')),
  -- How often its message was taken back: each try has a reference of its own.
  taken_back   int not null default 0,
  message_id   uuid,
  -- Why it was not accepted: code and facts.
  refusal      jsonb,
  primary key (account_id, campaign_id, place),
  constraint campaign_of_recipient foreign key (account_id, campaign_id) references campaigns on delete cascade,
  constraint placed_has_message check ((state = 'placed') <= (message_id is not null))
) with (fillfactor = 70);
create index campaign_recipients_by_state on campaign_recipients (account_id, campaign_id, state, place);
call tenant_table('campaign_recipients');

-- Up to which event the messages of an account's campaigns are counted.
create table campaign_marks (
  account_id  uuid primary key references accounts,
  position    bigint not null
);
call tenant_table('campaign_marks');

alter table uploads drop constraint uploads_purpose_check, add constraint uploads_purpose_check
  check (purpose in ('avatar', 'chat', 'proof', 'statement', 'media', 'recipients'));
