-- Filters of the message table that a person saved under a name.
create table message_views (
  account_id  uuid not null references accounts,
  user_id     uuid not null,
  view_id     uuid not null,
  name        text not null check (char_length(name) between 1 and 40),
  -- `ViewFilters` of the contract.
  filters     jsonb not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, view_id),
  foreign key (account_id, user_id) references users (account_id, user_id)
);
create unique index message_views_one_name on message_views (account_id, user_id, lower(name));
call tenant_table('message_views');
