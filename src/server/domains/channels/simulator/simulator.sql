-- Schedules the end of linking for a simulated phone that has just scanned a QR, in `p_after_ms` milliseconds. Called
-- in the transaction that records the scan. A function, because in a distributed database writes of an account's
-- transaction on another server go through one. Takes no locks.
create or replace function schedule_pairing(
  p_due uuid, p_phone text, p_facts jsonb, p_after_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into sim_events (due_id, kind, due_at, phone, facts)
    values (
      p_due, 'connect', clock_timestamp() + p_after_ms * interval '1 millisecond', p_phone, p_facts
    );
end
$$;

revoke all on function schedule_pairing from public;
grant execute on function schedule_pairing to kabari_app;
