-- The history finds its pages by what is counted (rollups), so that no filter needs an index of its own.
drop index messages_by_token;
drop index messages_received;
drop index messages_by_type;

-- Phones within 70 minutes (2^22 ms) of ids, so that the newest messages to all numbers that begin alike
-- are found without reading the older ones. By the letters' codes ("C"), as messages_by_peer is: a
-- statement says by `collate` which of the two it means.
create index messages_by_span on messages (
  account_id, (('x' || substr(message_id::text, 1, 8))::bit(26)::int), peer collate "C", message_id
);
