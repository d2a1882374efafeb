-- When a token was last moved to another channel; null: never.
alter table tokens add column moved_at timestamptz;
