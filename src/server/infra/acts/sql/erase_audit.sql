-- Takes addresses and facts, with the salt of their digest, out of up to so many audit lines of a
-- closed account; how many. Called by eraseAudit. Locks the lines it changes. Raises 42501 when the
-- account is not closed.
create or replace function erase_audit(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n int;
begin
  perform begin_erasing(p_account);
  update audit_log set ip = '', facts = '{}', salt = null
  where account_id = p_account and audit_id = any (array(
    select audit_id from audit_log
    where account_id = p_account and salt is not null limit p_limit
  ));
  get diagnostics n = row_count;
  perform set_config('app.erasing', '', true);
  return n;
end
$$;

revoke all on function erase_audit from public;
grant execute on function erase_audit to kabari_app;
