-- What a gateway gave back by itself: how much of it, and who has settled it here.
alter table gateway_orders
  -- Null for all of it, and where the gateway does not say how much.
  add column returned        bigint check (returned > 0),
  add column settled_at      timestamptz,
  add column settled_by      uuid,
  add column settled_reason  text,
  add constraint settled_by_somebody check (
    (settled_at is null) = (settled_by is null) and (settled_at is null) = (settled_reason is null)
    and (settled_at is null or flag is not null)
  );
grant update (returned, settled_at, settled_by, settled_reason) on gateway_orders to kabari_app;
