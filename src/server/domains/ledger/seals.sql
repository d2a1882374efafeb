-- A seal stays as it is: every change is refused (deny).
create or replace trigger ledger_seals_append_only before update or delete on ledger_seals
  for each row execute function deny();
create or replace trigger ledger_seal_accounts_append_only before update or delete
  on ledger_seal_accounts for each row execute function deny();
create or replace trigger ledger_seal_txns_append_only before update or delete on ledger_seal_txns
  for each row execute function deny();
create or replace trigger ledger_checks_append_only before update or delete on ledger_checks
  for each row execute function deny();
