-- Media of messages: for how long they are kept, and the links that are fetched for messages.

-- A file that was given, fetched or received to be sent and shown in messages. Its id (`med_…`) is its file's.
create table media_library (
  account_id  uuid not null references accounts,
  file_id     uuid not null,
  -- How it came: given by the API, fetched from a link, brought in by a channel.
  source      text not null check (source in ('api', 'link', 'channel')),
  -- A small picture of it, a file of its own.
  preview_id  uuid,
  -- How loud a sound is in 64 parts of equal length, 0 to 100, and its length.
  waveform    smallint[],
  seconds     real,
  -- Put off whenever a message uses it.
  expires_at  timestamptz not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, file_id),
  foreign key (account_id, file_id) references files,
  foreign key (account_id, preview_id) references files
);
create index media_library_by_expiry on media_library (expires_at);
call tenant_table('media_library');

-- A link of an account, fetched once for all messages of the next minutes that name it. A worker owns it until
-- `lease_until`; `tries` fences a former owner.
create table media_fetches (
  account_id   uuid not null references accounts,
  fetch_id     uuid not null,
  link         text not null,
  link_hash    bytea not null,
  -- The type of the messages that name it: what it must be.
  kind         text not null check (kind in ('image', 'video', 'audio', 'document', 'sticker')),
  state        text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  tries        int not null default 0,
  due_at       timestamptz not null default clock_timestamp(),
  lease_until  timestamptz,
  file_id      uuid,
  failure      text,
  ended_at     timestamptz,
  created_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, fetch_id),
  unique (account_id, link_hash, kind),
  constraint media_fetch_ended check (
    (state = 'waiting') = (ended_at is null) and (state = 'done') = (file_id is not null)
      and (state = 'failed') = (failure is not null))
);
create index media_fetches_due on media_fetches (due_at) where state = 'waiting';
create index media_fetches_ended on media_fetches (ended_at);
call tenant_table('media_fetches');

-- The fetch that a message waits for.
alter table dispatch add column awaits uuid;
create index dispatch_by_fetch on dispatch (account_id, awaits) where awaits is not null;

alter table uploads drop constraint uploads_purpose_check;
alter table uploads add constraint uploads_purpose_check
  check (purpose in ('avatar', 'chat', 'proof', 'statement', 'media'));
