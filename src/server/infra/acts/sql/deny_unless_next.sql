-- The head of an audit chain goes on by one line at a time, and never goes away. Raises P0001 for any
-- other change.
create or replace function deny_unless_next() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.account_id = old.account_id and new.seq = old.seq + 1 then
    return new;
  end if;
  raise exception '% only goes forward', tg_table_name;
end
$$;

create or replace trigger audit_heads_forward before update or delete on audit_heads
  for each row execute function deny_unless_next();
create or replace trigger audit_heads_not_emptied before truncate on audit_heads
  for each statement execute function deny_unless_next();
