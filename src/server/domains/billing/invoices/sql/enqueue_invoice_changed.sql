-- Every invoice, and every change of its status, is an event, in the transaction that made it.
create or replace function enqueue_invoice_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_event(
    new.account_id, 'invoice.changed',
    jsonb_build_object(
      'invoice_id', 'inv_' || substr(topup_public_id(new.invoice_id), 4), 'status', new.status)
  );
  return null;
end
$$;

create or replace trigger invoice_made after insert on invoices
  for each row execute function enqueue_invoice_changed();
create or replace trigger invoice_changed after update on invoices
  for each row when (old.status <> new.status) execute function enqueue_invoice_changed();
