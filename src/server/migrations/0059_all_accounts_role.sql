-- Work over all accounts has a role of its own, kabari_all, a member of kabari_app (`ensureAppRoles` makes
-- both). What it sees is then said by policies of that role alone, without a condition that is read for each
-- row; and where the database is distributed, a role is what a connection to another node brings along, while
-- settings of the session stay behind.
--
-- The policies of before stay for one release: nodes of the version before work over all accounts as
-- kabari_app with app.account = '*'.

do $$
declare
  v_table regclass;
begin
  for v_table in select polrelid from pg_policy where polname in ('tenant', 'all_accounts') loop
    execute format('create policy every_account on %s to kabari_all using (true)', v_table);
  end loop;
end
$$;

-- Tables that come from now on are unknown to nodes of the version before.
create or replace procedure tenant_table(
  p_table text, p_rights text default 'select, insert, update, delete'
)
language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy tenant on %I to kabari_app
      using (account_id = seen_account()) with check (account_id = seen_account())', p_table
  );
  execute format('create policy every_account on %I to kabari_all using (true)', p_table);
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;

create or replace procedure all_accounts_table(p_table text, p_rights text) language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format('create policy every_account on %I to kabari_all using (true)', p_table);
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;
