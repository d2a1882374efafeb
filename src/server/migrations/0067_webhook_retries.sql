-- An endpoint that takes other deliveries is up: a conversation that waits for its next try is tried early, apart
-- from its schedule. `early_from`: a success that began later makes the conversation due; null where none waits.
-- `early_tries`: early tries of its first delivery that failed. `scheduled_at`: when it was due by its schedule,
-- while it is due early.
alter table webhook_lanes add column early_from timestamptz;
alter table webhook_lanes add column early_tries int not null default 0;
alter table webhook_lanes add column scheduled_at timestamptz;
create index webhook_lanes_early on webhook_lanes (account_id, webhook_id, early_from)
  where claim is null and early_from is not null;

-- When a notice failed that waits for its next try; null while it is being sent, and before its first try.
alter table push_queue add column postponed_at timestamptz;

-- The word that its owner chose for the handshake of the format `cloud`; null: one that is made of its id.
alter table webhooks add column verify_token text;
