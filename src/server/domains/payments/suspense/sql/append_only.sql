-- How a payment left suspense stays as it is, and so do notes, but for their words while the account is
-- erased.
create or replace trigger suspense_resolutions_append_only before update or delete
  on suspense_resolutions for each row execute function deny();
create or replace trigger suspense_notes_append_only before update on suspense_notes
  for each row execute function deny_unless_erasing();
create or replace trigger suspense_notes_never_deleted before delete on suspense_notes
  for each row execute function deny();
