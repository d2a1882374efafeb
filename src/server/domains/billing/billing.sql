-- What a plan was and what was charged for it stays as it is: every change is refused (deny).
create or replace trigger plan_revisions_append_only before update or delete on plan_revisions
  for each row execute function deny();
create or replace trigger subscription_charges_append_only
  before update or delete on subscription_charges for each row execute function deny();

-- Which status of a subscription may follow which; the same one again is a change within it, such as a
-- renewal or another plan. Raises BL002.
create or replace function check_subscription_transition() returns trigger language plpgsql as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('active', 'past_due'), ('active', 'cancelled'),
    ('past_due', 'active'), ('past_due', 'suspended'), ('past_due', 'cancelled'),
    ('suspended', 'active'), ('suspended', 'cancelled'),
    ('cancelled', 'active')
  ) then
    raise exception 'a subscription cannot go from % to %', old.status, new.status
      using errcode = 'BL002';
  end if;
  if new.revision < old.revision then
    raise exception 'the revision of a subscription cannot fall' using errcode = 'BL002';
  end if;
  return new;
end
$$;

create or replace trigger subscription_steps before update on subscriptions
  for each row execute function check_subscription_transition();
