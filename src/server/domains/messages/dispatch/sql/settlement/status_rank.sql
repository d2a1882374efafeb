-- How far a message has come: its status only rises. Failed, cancelled and expired are taken only
-- before delivered. The same order as statusRank in the contract (a test compares them, pair by
-- pair).
create or replace function status_rank(p_status text) returns int
language sql immutable parallel safe
return case p_status
  when 'read' then 7
  when 'received' then 7
  when 'delivered' then 6
  when 'failed' then 5
  when 'cancelled' then 5
  when 'expired' then 5
  when 'sent' then 4
  when 'sending' then 3
  when 'queued' then 2
  when 'accepted' then 1
  else 0 end;
