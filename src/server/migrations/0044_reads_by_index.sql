-- Indexes for what was found by reading a whole table.

-- Whoever deletes a file is asked for the rows that name it. The other foreign keys without an index point at rows
-- that are never deleted: people, top-ups, plans and their revisions, the accounts of the books.
create index media_library_by_preview on media_library (account_id, preview_id) where preview_id is not null;
create index uploads_by_file on uploads (account_id, file_id) where file_id is not null;

-- The next links of an account, and those of it that are being fetched.
drop index media_fetches_due;
create index media_fetches_waiting on media_fetches (account_id, due_at) where state = 'waiting';
create index media_fetches_leased on media_fetches (account_id, lease_until)
  where state = 'waiting' and lease_until is not null;

-- Deliveries of one type, and those that a format has no words for. The type never changes: an update of a delivery
-- pays for it only where it pays for the primary key, too.
create index webhook_deliveries_by_type on webhook_deliveries (account_id, webhook_id, type, position);
create index webhook_deliveries_skipped on webhook_deliveries (account_id, webhook_id, position)
  where state = 'skipped';

-- Old deliveries are found at the beginning of their webhook's positions, and take their tries along: once pages
-- were used again, every range of a BRIN index had something old in it. Tries whose delivery is gone went later.
drop index webhook_deliveries_by_age;
drop index webhook_attempts_by_age;
delete from webhook_attempts a where not exists (
  select from webhook_deliveries d where d.account_id = a.account_id and d.delivery_id = a.delivery_id);

-- Bytes that the files of an account take, each content once. Summed up when they are first asked for.
create table stored_bytes (
  account_id  uuid primary key references accounts,
  bytes       bigint not null
) with (fillfactor = 50);
call tenant_table('stored_bytes');

-- Whether anybody still has the bytes of a hash; and whether an account has.
drop index files_by_sha256;
create index files_by_sha256 on files (sha256, account_id);

-- Old events are found at the beginning of their account's positions, for the same reason.
drop index events_by_age;
