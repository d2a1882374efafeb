-- Workers that make files serve the account next that was served longest ago: when each file was last begun.
alter table row_exports add column claimed_at timestamptz;
alter table exports add column claimed_at timestamptz;
