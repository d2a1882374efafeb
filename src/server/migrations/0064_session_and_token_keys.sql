-- A session gets another token when its person gives the password again. The one before works a minute longer, for
-- calls that are under way and for an answer that was lost.
alter table sessions add column previous_token_hash bytea;
alter table sessions add column previous_until timestamptz;
create index sessions_by_previous_token on sessions (previous_token_hash)
  where previous_token_hash is not null;

-- Whether calls may carry the token's key in their address, as some dialects do.
alter table tokens add column key_in_address boolean not null default true;
