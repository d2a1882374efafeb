-- True when a message's present end is one that we decided, and not one that the network told: then
-- even `sent` proves the opposite. After a failure that the network told, only delivered and read
-- do.
create or replace function is_assumed(p_status text, p_failure text) returns boolean
language sql immutable parallel safe
return p_status in ('cancelled', 'expired')
  or (p_status = 'failed' and coalesce(p_failure in ('no_answer', 'not_linked'), false));
