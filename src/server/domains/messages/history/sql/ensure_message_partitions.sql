-- Makes the partitions of p_from's month and of the p_months after it; those that exist are left
-- alone. Called daily by the worker. Takes turns by an advisory lock; a new partition locks
-- messages_other while it is made.
create or replace function ensure_message_partitions(p_from timestamptz, p_months int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  m timestamp := date_trunc('month', p_from at time zone 'UTC');
begin
  perform pg_advisory_xact_lock(hashtext('ensure_message_partitions'));
  for i in 0..p_months loop
    if to_regclass('messages_' || to_char(m, 'YYYYMM')) is null then
      execute format(
        'create table %I partition of messages for values from (%L) to (%L) with (fillfactor = 80)',
        'messages_' || to_char(m, 'YYYYMM'),
        uuid_floor(m at time zone 'UTC'),
        uuid_floor((m + interval '1 month') at time zone 'UTC')
      );
    end if;
    m := m + interval '1 month';
  end loop;
end
$$;

revoke all on function ensure_message_partitions from public;
grant execute on function ensure_message_partitions to kabari_app;
