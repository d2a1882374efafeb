-- A line of the audit log stays for ever; where from, and what it was about, can be taken out of it
-- while its account is erased (erase_audit, erase_anonymous_audit). Raises P0001 for any other
-- change.
create or replace function deny_unless_blanking() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('app.erasing', true) = old.account_id::text
    and new.ip = '' and new.facts = '{}'
    and to_jsonb(new) - 'ip' - 'facts' = to_jsonb(old) - 'ip' - 'facts'
  then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function deny_unless_blanking();
