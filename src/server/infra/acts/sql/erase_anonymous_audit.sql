-- Addresses of people who were not signed in are nobody's to erase: they are kept for seven days,
-- the grace of a deletion, so that none outlives the account whose owner it was. Called by the
-- daily sweep; answers how many.
create or replace function erase_anonymous_audit(p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  n int;
begin
  perform set_config('app.erasing', v_nobody::text, true);
  update audit_log set ip = '', facts = '{}', salt = null
  where account_id = v_nobody and audit_id = any (array(
    select audit_id from audit_log
    where account_id = v_nobody and salt is not null
      and audit_id < uuid_floor(clock_timestamp() - interval '7 days') limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;

revoke all on function erase_anonymous_audit from public;
grant execute on function erase_anonymous_audit to kabari_app;
