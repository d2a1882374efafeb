-- What the ledger has written stays as it is: every change is refused (deny).
create or replace trigger wallet_entries_append_only before update or delete on wallet_entries
  for each row execute function deny();
create or replace trigger gl_txns_append_only before update or delete on gl_txns
  for each row execute function deny();
create or replace trigger gl_lines_append_only before update or delete on gl_lines
  for each row execute function deny();
