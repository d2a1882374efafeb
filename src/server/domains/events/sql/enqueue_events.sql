-- The same kind of event for each of several accounts: one event an index of the arrays, in one statement.
-- Called like enqueue_event, by what makes many things true at once, with the rights of its caller. Locks
-- nothing.
create or replace function enqueue_events(p_account uuid[], p_kind text, p_data jsonb[])
returns void
language plpgsql as $$
begin
  insert into outbox (account_id, outbox_id, kind, data)
    select e.account, gen_random_uuid(), p_kind, e.data
    from unnest(p_account, p_data) as e(account, data);
end
$$;

revoke all on function enqueue_events from public;
grant execute on function enqueue_events to kabari_app;
