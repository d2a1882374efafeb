-- Texts that an account's people write often: `/` and the beginning of a name bring one into the box.
create table quick_replies (
  account_id  uuid not null references accounts,
  name        text not null,
  text        text not null,
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, name)
);
call tenant_table('quick_replies', 'select, insert, update, delete');
