-- The trigger function of tables that are append-only but for one account whose data is being
-- erased: `app.erasing` names it, which begin_erasing sets once the account is closed. The
-- application has no right to change such rows itself; this stops everyone's mistakes. Raises
-- P0001.
create or replace function deny_unless_erasing() returns trigger language plpgsql as $$
begin
  if current_setting('app.erasing', true) = old.account_id::text then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;
