-- A number that stands still although it is connected: its network does not answer, or refuses whatever it sends. What
-- waits goes on by itself: when the pause is over, one message is tried alone.
alter table connections
  -- Why: see `pauses` in the contract; null: it does not stand still.
  add column paused_for text,
  add column paused_at timestamptz,
  add column paused_until timestamptz,
  -- How many pauses in a row: each is longer than the one before.
  add column pauses int not null default 0;
