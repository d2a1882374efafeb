-- A line of the audit log stays for ever; where from, and what it was about, can be taken out of it
-- together with the salt of their digest while its account is erased (erase_audit,
-- erase_anonymous_audit). Seals of the log and results of its verification stay as they are. Raises
-- P0001 for any other change.
create or replace function deny_unless_blanking() returns trigger language plpgsql as $$
begin
  -- Shards of a distributed database have a number behind the table's name.
  if tg_op = 'UPDATE' and tg_table_name ~ '^audit_log(_\d+)?$' then
    if current_setting('app.erasing', true) = old.account_id::text
      and new.ip = '' and new.facts = '{}' and new.salt is null
      -- What is generated from facts is not there yet.
      and to_jsonb(new) - '{ip,facts,salt,about}'::text[]
        = to_jsonb(old) - '{ip,facts,salt,about}'::text[]
    then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function deny_unless_blanking();
create or replace trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function deny_unless_blanking();
create or replace trigger audit_seals_append_only before update or delete on audit_seals
  for each row execute function deny_unless_blanking();
create or replace trigger audit_seal_heads_append_only before update or delete on audit_seal_heads
  for each row execute function deny_unless_blanking();
create or replace trigger audit_checks_append_only before update or delete on audit_checks
  for each row execute function deny_unless_blanking();
