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
