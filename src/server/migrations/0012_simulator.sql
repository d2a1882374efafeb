-- The simulated phone network. It stands outside, as a real one would: no account owns it.
create table sim_phones (
  phone    text primary key,
  offline  boolean not null default false,
  slow     boolean not null default false,
  blocked  boolean not null default false
);
grant select, insert, update, delete on sim_phones to kabari_app;

-- What lies in a phone. `line_id` of a received message is the sender's message id: the same id
-- submitted again is the same line, counted in `submits`.
create table sim_lines (
  phone               text not null,
  line_id             uuid not null,
  direction           text not null check (direction in ('in', 'out')),
  peer                text not null,
  type                text not null,
  body                jsonb not null,
  -- Whose file the body names, where it names one.
  account_id          uuid,
  submits             int not null default 1,
  possible_duplicate  boolean not null default false,
  at                  timestamptz not null default clock_timestamp(),
  primary key (phone, line_id)
) with (fillfactor = 90);
create index sim_lines_by_age on sim_lines using brin (at);
grant select, insert, update, delete on sim_lines to kabari_app;

-- What the network still has to send: receipts, answers, a phone that finishes linking. A row goes
-- away once its receiver has stored it; while the phone is offline it waits.
create table sim_due (
  due_id      uuid primary key,
  kind        text not null check (kind in ('delivered', 'read', 'inbound', 'connect')),
  due_at      timestamptz not null,
  phone       text not null,
  -- delivered, read: the message and its account.
  account_id  uuid,
  message_id  uuid,
  -- inbound: the line and the number it goes to; connect: the link.
  facts       jsonb,
  tries       int not null default 0
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index sim_due_next on sim_due (due_at);
grant select, insert, update, delete on sim_due to kabari_app;
