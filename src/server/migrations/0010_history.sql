-- What the history and its search read.

-- Rows that are few among many, by what never changes: updates of a message stay HOT.
create index messages_received on messages (account_id, message_id) where direction = 'in';
create index messages_by_type on messages (account_id, type, message_id) where type <> 'text';

-- The beginning of a number or of a name.
create index conversations_by_peer on conversations (account_id, peer text_pattern_ops);
create index conversations_by_name
  on conversations (account_id, lower(peer_name) text_pattern_ops) where peer_name is not null;
