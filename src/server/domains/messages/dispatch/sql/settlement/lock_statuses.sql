-- Whoever changes what has become of an account's messages holds this lock of it until COMMIT. It is not the
-- wallet's: most receipts move no money, and accepting must not wait for them.
-- Called by settle_messages and by what reads the queue before it settles; only the owner may call it. Locks
-- the accounts in one order, before anything else of theirs.
create or replace function lock_statuses(p_account uuid[]) returns void
language sql as $$
select pg_advisory_xact_lock(7206218, a.key)
from (select distinct hashtext(i::text) as key from unnest(p_account) as i order by 1) a
$$;

revoke all on function lock_statuses from public;
