-- Files, and files on their way in.

-- Files stored for an account; the bytes lie in the data folder, by their sha256.
create table files (
  account_id  uuid not null references accounts,
  file_id     uuid not null,
  name        text not null,
  -- As the bytes themselves say, whatever was claimed.
  mime        text not null,
  size_bytes  bigint not null check (size_bytes >= 0),
  sha256      bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, file_id)
);
-- Whether anybody still has the bytes of a hash.
create index files_by_sha256 on files (sha256);
call tenant_table('files', 'select, insert, delete');

-- A file on its way in. Its bytes lie in the data folder as parts, each whole and synced before the row
-- names it, so that whatever writes at the same time, the row alone says what has been received.
create table uploads (
  account_id      uuid not null references accounts,
  upload_id       uuid not null,
  user_id         uuid not null,
  purpose         text not null check (purpose in ('avatar', 'chat', 'proof')),
  -- receiving → finished → claimed, or refused with the reason as it was said.
  state           text not null default 'receiving'
                    check (state in ('receiving', 'finished', 'claimed', 'refused')),
  -- As the sender calls it; empty until a part says so.
  name            text not null default '',
  -- The type as the sender declares it; empty when nothing is declared.
  declared        text not null default '',
  crop            jsonb,
  -- All bytes of the file; they count in the account's quota until the upload is claimed or gone.
  length_bytes    bigint not null check (length_bytes >= 0),
  received_bytes  bigint not null default 0
                    constraint upload_within_length check (received_bytes between 0 and length_bytes),
  -- The parts in their order, and the newest one's own bytes, by which a repeat of it is known.
  parts           uuid[] not null default '{}',
  last_offset     bigint,
  last_sha256     bytea,
  -- Who looks into the finished bytes has until then.
  checked_until   timestamptz,
  refusal         jsonb,
  file_id         uuid,
  created_at      timestamptz not null default clock_timestamp(),
  expires_at      timestamptz not null,
  primary key (account_id, upload_id),
  foreign key (account_id, file_id) references files,
  constraint upload_finished_has_file check ((state in ('finished', 'claimed')) = (file_id is not null))
);
create index uploads_by_expiry on uploads (expires_at);
call tenant_table('uploads');
