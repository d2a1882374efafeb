-- Gives back to the quota of its round what was taken for messages that were not sent (released), and
-- takes it again for those that arrived after all (corrected). What belongs to an earlier round changes
-- nothing.
-- Called by settle_messages, which holds the wallets' locks; only the owner may call it.
create or replace function return_plan_quota(p_account uuid[], p_round int[], p_charge text[])
returns void
language plpgsql as $$
begin
  if array_remove(p_round, null) = '{}' or not p_charge && array['released', 'corrected'] then
    return;
  end if;
  update wallets w set plan_used = w.plan_used + i.taken
    from (
      select account, round,
        (count(*) filter (where charge = 'corrected')
          - count(*) filter (where charge = 'released'))::int as taken
      from unnest(p_account, p_round, p_charge) as c(account, round, charge)
      where round is not null and charge in ('released', 'corrected') group by account, round
    ) i
    where w.account_id = i.account and w.plan_round = i.round;
end
$$;

revoke all on function return_plan_quota from public;
