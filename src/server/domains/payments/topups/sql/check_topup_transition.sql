-- Which status of a top-up may follow which; only a gateway's begins as creating. Late money is still money: expired and cancelled may
-- become paid. Paid and rejected are final; only what an operator noted can be taken out of them,
-- while their account is erased. Raises BL001.
create or replace function check_topup_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status and (
    old.status not in ('paid', 'rejected')
    or (current_setting('app.erasing', true) = old.account_id::text
      and to_jsonb(new) - 'note' = to_jsonb(old) - 'note')
  ) then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('creating', 'pending'), ('creating', 'paid'), ('creating', 'expired'),
    ('creating', 'cancelled'), ('creating', 'review'), ('creating', 'rejected'),
    ('pending', 'paid'), ('pending', 'expired'), ('pending', 'cancelled'), ('pending', 'review'),
    ('pending', 'rejected'), ('expired', 'paid'), ('expired', 'review'), ('cancelled', 'paid'),
    ('cancelled', 'review'), ('review', 'paid'), ('review', 'rejected')
  ) then
    raise exception 'a top-up cannot go from % to %', old.status, new.status using errcode = 'BL001';
  end if;
  return new;
end
$$;

create or replace trigger topup_steps before update on topups
  for each row execute function check_topup_transition();
