-- What a plan was and what was charged for it stays as it is: every change is refused (deny).
create or replace trigger plan_revisions_append_only before update or delete on plan_revisions
  for each row execute function deny();
create or replace trigger subscription_charges_append_only
  before update or delete on subscription_charges for each row execute function deny();
