-- Written by the ledger's functions alone, which look the general-ledger accounts up: checking both again for
-- each line took longer than the line, and locked the same few accounts for everybody at once.
alter table gl_lines
  drop constraint gl_lines_gl_account_fkey, drop constraint gl_lines_account_id_txn_id_fkey;
alter table gl_txns drop constraint gl_txns_account_id_fkey;
