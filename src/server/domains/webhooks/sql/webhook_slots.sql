-- How many tries of one webhook may be under way at once.
-- Called by claim_webhook_deliveries and schedule_webhooks.
create or replace function webhook_slots(p_failures int, p_is_slow boolean) returns int
language sql immutable parallel safe
return case when p_failures >= 5 then 1 when p_failures > 0 or coalesce(p_is_slow, false) then 2 else 8 end;

revoke all on function webhook_slots from public;
grant execute on function webhook_slots to kabari_app;
