-- Customer service: one thread for each account, its lines, its ratings, and the operators' ready answers.

-- Whoever writes a line locks the row first: it gives the lines their order.
create table support_threads (
  account_id       uuid primary key references accounts,
  status           text not null check (status in ('open', 'snoozed', 'closed')),
  -- The operator who looks after it.
  assignee         uuid,
  snoozed_until    timestamptz,
  -- The newest line, and the newest that the customer sees.
  last_seq         bigint not null default 0,
  shown_seq        bigint not null default 0,
  customer_read    bigint not null default 0,
  operator_read    bigint not null default 0,
  -- Lines of the other side after the mark.
  customer_unread  int not null default 0,
  operator_unread  int not null default 0,
  -- Since when the customer waits for an answer.
  waiting_since    timestamptz,
  -- The newest answer, and the line that closed the thread last.
  answered_seq     bigint not null default 0,
  closed_seq       bigint not null default 0,
  -- Whether the last closing asks for a rating, and which one it got.
  asks_rating      boolean not null default false,
  score            int check (score between 1 and 5),
  -- The newest line but notes, as the inbox shows it.
  last_at          timestamptz not null,
  last_side        text not null,
  last_preview     text not null,
  constraint snoozed_has_time check ((status = 'snoozed') = (snoozed_until is not null)),
  constraint closed_waits_for_nothing check (status <> 'closed' or waiting_since is null),
  constraint shown_is_there check (shown_seq <= last_seq and customer_read <= shown_seq
    and operator_read <= last_seq and customer_unread >= 0 and operator_unread >= 0)
) with (fillfactor = 70);
create index support_threads_by_status on support_threads (status, last_at);
create index support_threads_waiting on support_threads (waiting_since) where waiting_since is not null;
call tenant_table('support_threads');

create table support_messages (
  account_id      uuid not null references support_threads,
  -- Without gaps; of customers' view those of notes are missing.
  seq             bigint not null check (seq > 0),
  -- Made by the browser that sent it: the same id again is the same line.
  message_id      uuid not null,
  side            text not null check (side in ('customer', 'operator', 'system')),
  user_id         uuid,
  -- The operator's name, as it was.
  author          text,
  -- A note: only operators see it.
  internal        boolean not null default false,
  -- As those of messages (messages.type, messages.body).
  type            text not null,
  body            jsonb not null,
  size_bytes      bigint,
  -- What it is about, as it was then.
  card            jsonb,
  event           text,
  -- Of an answer: for how many seconds of opening hours it was waited for.
  answer_seconds  int check (answer_seconds >= 0),
  at              timestamptz not null,
  words           tsvector not null generated always as (to_tsvector('simple'::regconfig,
    coalesce(body ->> 'text', '') || ' ' || coalesce(body ->> 'caption', '') || ' '
    || coalesce(body ->> 'filename', '') || ' ' || coalesce(body ->> 'name', '') || ' '
    || coalesce(card ->> 'title', ''))) stored,
  primary key (account_id, seq),
  constraint support_message_once unique (account_id, message_id),
  constraint system_has_event check ((side = 'system') = (event is not null)),
  constraint person_has_id check ((side = 'system') = (user_id is null))
);
create index support_messages_by_words on support_messages using gin (words);
create index support_answers on support_messages (at) where answer_seconds is not null;
call tenant_table('support_messages', 'select, insert, delete');
-- The second wall around notes: no connection that sees one account sees them.
create policy notes on support_messages as restrictive for select
  using (not internal or (select sees_all()));

-- One for each closing, at most.
create table support_ratings (
  account_id  uuid not null references support_threads,
  -- The line that closed the thread.
  closed_seq  bigint not null,
  score       int not null check (score between 1 and 5),
  comment     text not null,
  at          timestamptz not null,
  primary key (account_id, closed_seq)
);
call tenant_table('support_ratings', 'select, insert, delete');

create table support_canned (
  name        text primary key,
  text        text not null,
  updated_by  uuid not null,
  updated_at  timestamptz not null
);
call all_accounts_table('support_canned', 'select, insert, update, delete');

-- The installation's own account, looked up with every line.
create index accounts_system on accounts (account_id) where is_system;

-- Notices for operators alone who have one of these roles; and words that are shown in place of the body to
-- who wants the text.
alter table push_queue add column roles text[], add column text text;
