-- A file may also come from the portal: an upload that a message was sent with.
alter table media_library drop constraint media_library_source_check;
alter table media_library add constraint media_library_source_check
  check (source in ('api', 'link', 'channel', 'portal'));
