-- Indexes for what was found by reading a whole table.

-- Whoever deletes a file is asked for the rows that name it. The other foreign keys without an index point at rows
-- that are never deleted: people, top-ups, plans and their revisions, the accounts of the books.
create index media_library_by_preview on media_library (account_id, preview_id) where preview_id is not null;
create index uploads_by_file on uploads (account_id, file_id) where file_id is not null;
