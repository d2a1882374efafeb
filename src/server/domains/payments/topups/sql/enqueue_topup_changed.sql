-- Every change of a top-up's status is an event, in the transaction that made it. Open tabs
-- read which one and its status; the rest is for programs (webhooks).
create or replace function enqueue_topup_made() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(m.account_id), 'topup.changed',
      array_agg(jsonb_build_object(
        'topup_id', public_id('TU-', m.topup_id), 'status', m.status, 'amount', m.credited,
        'total', m.total))
    ) from made m having count(*) > 0;
  return null;
end
$$;

create or replace function enqueue_topup_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(c.account_id), 'topup.changed',
      array_agg(jsonb_build_object(
        'topup_id', public_id('TU-', c.topup_id), 'status', c.status, 'amount', c.credited,
        'total', c.total))
    ) from changed c join before b using (account_id, topup_id) where c.status <> b.status
    having count(*) > 0;
  return null;
end
$$;

create or replace trigger topup_made after insert on topups
  referencing new table as made
  for each statement execute function enqueue_topup_made();
create or replace trigger topup_changed after update on topups
  referencing old table as before new table as changed
  for each statement execute function enqueue_topup_changed();
