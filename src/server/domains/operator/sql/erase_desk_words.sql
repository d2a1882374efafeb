-- Takes what operators wrote about a closed account out of its proposals, freezes, approvals and what was read of
-- its messages; amounts, people and times stay. Called while an account is erased. Locks the rows it changes. Raises 42501 when the
-- account is not closed.
create or replace function erase_desk_words(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update adjustments set
      reason = '', decision_note = case when decision_note is not null then '' end,
      reference = case when reference is not null then adjustment_id::text end,
      payee = case when payee is not null then '' end
    where account_id = p_account and reason <> '';
  update bonus_approvals set reason = '' where account_id = p_account and reason <> '';
  update message_disclosures set reason = '' where account_id = p_account and reason <> '';
  update plan_endings set reason = '' where account_id = p_account and reason <> '';
  update wallet_freezes set reason = '' where account_id = p_account and reason <> '';
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_desk_words from public;
grant execute on function erase_desk_words to kabari_app;
