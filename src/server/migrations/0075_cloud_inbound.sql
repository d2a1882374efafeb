-- Messages of the Cloud API that came in with a file, until the file is in the library: the callback is answered before
-- it is fetched. A message whose file cannot be had at first is stored without it, and gets it later.
create table cloud_inbound (
  account_id   uuid not null,
  token_id     uuid not null,
  -- Meta's id of the message.
  wamid        text not null,
  -- The message as it will be stored, and where its file is.
  item         jsonb not null,
  is_stored    boolean not null default false,
  tries        int not null default 0,
  due_at       timestamptz not null default clock_timestamp(),
  received_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, wamid),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('cloud_inbound');
create index cloud_inbound_due on cloud_inbound (due_at);

-- Messages to groups that a number is in, as Meta posted them: they belong to no private chat. Pruned after 90 days.
create table cloud_group_messages (
  account_id   uuid not null,
  token_id     uuid not null,
  -- Meta's id of the message.
  wamid        text not null,
  message      jsonb not null,
  received_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, wamid),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('cloud_group_messages');
