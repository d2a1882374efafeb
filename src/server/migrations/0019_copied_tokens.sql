-- A session's token may be copied to another browser: there it reads, and changes nothing that lasts until
-- the password was given there. The latest such browser, by its cookie's hash, and when that was.
alter table sessions
  add column other_device_hash  bytea,
  add column other_proved_at    timestamptz,
  add constraint other_browser_gave_password
    check ((other_device_hash is null) = (other_proved_at is null));
