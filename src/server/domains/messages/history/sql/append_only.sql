-- The timeline is append-only, but while an account is erased.
create or replace trigger message_events_append_only before update or delete on message_events
  for each row execute function deny_unless_erasing();
