-- What an operator did stays, but for its words while the account is erased. A proposal that waits is
-- decided once (decide_adjustment).
create or replace trigger adjustments_decided_once before update on adjustments
  for each row when (old.status <> 'pending') execute function deny_unless_erasing();
create or replace trigger adjustments_never_deleted before delete on adjustments
  for each row execute function deny();
create or replace trigger wallet_freezes_append_only before update on wallet_freezes
  for each row execute function deny_unless_erasing();
create or replace trigger wallet_freezes_never_deleted before delete on wallet_freezes
  for each row execute function deny();
create or replace trigger bonus_approvals_append_only before update on bonus_approvals
  for each row execute function deny_unless_erasing();
create or replace trigger bonus_approvals_never_deleted before delete on bonus_approvals
  for each row execute function deny();
create or replace trigger message_disclosures_append_only before update on message_disclosures
  for each row execute function deny_unless_erasing();
create or replace trigger message_disclosures_never_deleted before delete on message_disclosures
  for each row execute function deny();
create or replace trigger plan_endings_append_only before update on plan_endings
  for each row execute function deny_unless_erasing();
create or replace trigger plan_endings_never_deleted before delete on plan_endings
  for each row execute function deny();
