-- The name by which programs know an event of the account; null when they are not told of it.
-- What was stored before amounts stood in it is not told. Called by collect_webhook_events, and where the feed is read.
create or replace function webhook_type(p_kind text, p_status text, p_data jsonb) returns text
language sql immutable parallel safe
return case
  when p_kind in (
    'message.accepted', 'message.received', 'message.edited', 'message.revoked', 'optout.added',
    'saldo.low', 'token.connected', 'token.disconnected', 'token.linked'
  ) then p_kind
  when p_kind = 'message.changed' then case
    when p_status in ('sent', 'delivered', 'read') then 'message.' || p_status
    when p_status in ('failed', 'cancelled', 'expired') then 'message.failed'
  end
  when p_kind = 'topup.changed' and p_data ->> 'status' = 'paid' and p_data ? 'total' then 'topup.paid'
  when p_kind = 'invoice.changed' and p_data ? 'total' then case p_data ->> 'status'
    when 'open' then 'invoice.issued'
    when 'paid' then 'invoice.paid'
  end
end;

revoke all on function webhook_type from public;
grant execute on function webhook_type to kabari_app;
