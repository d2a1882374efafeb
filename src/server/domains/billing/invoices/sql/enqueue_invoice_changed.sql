-- Every invoice, and every change of its status, is an event, in the transaction that made it. Open tabs
-- read which one and its status; the rest is for programs (webhooks).
create or replace function enqueue_invoice_made() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(m.account_id), 'invoice.changed',
      array_agg(jsonb_build_object(
        'invoice_id', public_id('inv_', m.invoice_id), 'status', m.status, 'number', m.number, 'kind', m.kind,
        'total', m.total))
    ) from made m having count(*) > 0;
  return null;
end
$$;

create or replace function enqueue_invoice_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(c.account_id), 'invoice.changed',
      array_agg(jsonb_build_object(
        'invoice_id', public_id('inv_', c.invoice_id), 'status', c.status, 'number', c.number, 'kind', c.kind,
        'total', c.total))
    ) from changed c join before b using (account_id, invoice_id) where c.status <> b.status
    having count(*) > 0;
  return null;
end
$$;

create or replace trigger invoice_made after insert on invoices
  referencing new table as made
  for each statement execute function enqueue_invoice_made();
create or replace trigger invoice_changed after update on invoices
  referencing old table as before new table as changed
  for each statement execute function enqueue_invoice_changed();
