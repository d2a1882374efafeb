-- The origin of a contact's name: `hand`, the account's users; `list`, its campaigns' recipients; contact cards that it
-- sent or received. Nodes of the previous version store names given by hand only.
alter table contacts add column source text not null default 'hand';
alter table contacts add constraint contact_source_known
  check (source in ('hand', 'list', 'sent_card', 'received_card'));
