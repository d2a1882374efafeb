-- Erases what was counted of a closed account's messages. Called while an account is erased, after
-- its messages. Raises 42501 when the account is not closed.
create or replace function erase_counts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  delete from rollups where account_id = p_account;
  delete from failure_counts where account_id = p_account;
  delete from rollup_sums where account_id = p_account;
  delete from count_marks where account_id = p_account;
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_counts from public;
grant execute on function erase_counts to kabari_app;
