-- A slip that came is a change of its top-up: open pages show it.
create or replace function enqueue_proof_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_event(
    new.account_id, 'topup.changed',
    jsonb_build_object('topup_id', public_id('TU-', new.topup_id), 'status', (
      select status from topups where account_id = new.account_id and topup_id = new.topup_id
    ))
  );
  return null;
end
$$;

create or replace trigger topup_proof_came after insert on topup_proofs
  for each row execute function enqueue_proof_changed();
