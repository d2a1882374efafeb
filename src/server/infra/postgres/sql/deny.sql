-- The trigger function of append-only tables: refuses every change it is called for. The triggers
-- are created by the tables' owners. Raises P0001.
create or replace function deny() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
