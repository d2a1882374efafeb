-- Notes that a simulated phone, which has just read a QR, finishes linking in so many milliseconds.
-- Called when a QR is scanned, in the transaction that says so. A function, because in a distributed database what
-- an account's transaction writes on another server is written by one. Locks nothing.
create or replace function schedule_pairing(
  p_due uuid, p_phone text, p_facts jsonb, p_after_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into sim_due (due_id, kind, due_at, phone, facts)
    values (
      p_due, 'connect', clock_timestamp() + p_after_ms * interval '1 millisecond', p_phone, p_facts
    );
end
$$;

revoke all on function schedule_pairing from public;
grant execute on function schedule_pairing to kabari_app;
