-- What an operator decided stays, but for its words while the account is erased.
create or replace trigger topup_decisions_append_only before update on topup_decisions
  for each row execute function deny_unless_erasing();
create or replace trigger topup_decisions_never_deleted before delete on topup_decisions
  for each row execute function deny();
