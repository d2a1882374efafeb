-- The list of a campaign: which column its numbers are in, and the upload that it came from.

alter table campaigns
  -- As it is written in the list; the others are in columns.
  add column number_column text not null default 'nomor',
  -- An upload becomes one draft, however often the call is repeated.
  add column upload_id uuid;
create unique index campaigns_by_upload on campaigns (account_id, upload_id) where upload_id is not null;
