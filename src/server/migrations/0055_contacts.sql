-- What an account calls numbers: shown instead of the names that those give themselves.
create table contacts (
  account_id  uuid not null references accounts,
  peer        text not null,
  name        text not null check (name <> ''),
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, peer)
);
-- The beginning of a name.
create index contacts_by_name on contacts (account_id, lower(name) text_pattern_ops);
call tenant_table('contacts', 'select, insert, update, delete');

-- Conversations that stand above all others of an account's list: few.
create table pinned_conversations (
  account_id  uuid not null,
  token_id    uuid not null,
  peer        text not null,
  pinned_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id, peer) references conversations on delete cascade
);
call tenant_table('pinned_conversations', 'select, insert, delete');
