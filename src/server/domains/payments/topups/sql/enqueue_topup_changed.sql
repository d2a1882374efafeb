-- Every change of a top-up's status is an event, in the transaction that made it.
create or replace function enqueue_topup_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_event(
    new.account_id, 'topup.changed',
    jsonb_build_object('topup_id', topup_public_id(new.topup_id), 'status', new.status)
  );
  return null;
end
$$;

create or replace trigger topup_made after insert on topups
  for each row execute function enqueue_topup_changed();
create or replace trigger topup_changed after update on topups
  for each row when (old.status <> new.status) execute function enqueue_topup_changed();
