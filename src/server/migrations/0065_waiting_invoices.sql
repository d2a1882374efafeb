-- Finds the invoices of top-ups that are open, few of all: those that wait for the seller's data are among them.
create index invoices_topup_open on invoices (account_id, invoice_id)
  where kind = 'topup' and status = 'open';
