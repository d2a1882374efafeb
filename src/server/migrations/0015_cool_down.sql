-- Who sets a password by code, or changes the number, may be somebody else: for a day the account makes
-- no new API key, and its owner looks at the tokens that there were.

alter table accounts
  -- When the day began, and by what; the latest time counts.
  add column cooling_since  timestamptz,
  add column cooling_cause  text check (cooling_cause in ('password_reset', 'phone_changed')),
  add constraint cooling_has_cause check ((cooling_since is null) = (cooling_cause is null));

alter table tokens
  -- The `cooling_since` after which its owner said that it stays. A token made before the account's
  -- present one, and not kept since, is to be looked at.
  add column kept_since  timestamptz;
