-- How somebody came to receive nothing more from a token: their own reply (STOP), a call of the API, or the
-- portal; and why, where somebody else than they said so. What stands here already came by replies.
alter table optouts
  add column source text not null default 'reply' check (source in ('portal', 'api', 'reply')),
  add column reason text check (char_length(reason) between 1 and 200);
alter table optouts alter column source drop default;

-- A link that a program started shows its QR to whoever holds the token's key, instead of one browser.
alter table links add column by_api boolean not null default false;
