-- Events of an account that are not published yet name another peer: their conversation goes on under a number.
-- Called by join_hidden; only the owner may call it. Locks the rows.
create or replace function rename_queued_peer(p_account uuid, p_from text, p_to text) returns void
language sql as $$
  update outbox set peers = array_replace(peers, p_from, p_to)
    where account_id = p_account and p_from = any (peers)
$$;

revoke all on function rename_queued_peer from public;
