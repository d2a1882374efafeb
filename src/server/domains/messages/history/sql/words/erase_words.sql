-- Erases up to so many words of a closed account's messages, at last the mark; how many. Called while an account is
-- erased, after its messages. Locks the mark: an indexing under way is waited for. Raises 42501 when the account is not
-- closed.
create or replace function erase_words(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_words int;
begin
  perform begin_erasing(p_account);
  perform 1 from word_marks where account_id = p_account for update;
  delete from message_words where ctid = any (array(
    select ctid from message_words where account_id = p_account limit p_limit
  ));
  get diagnostics v_words = row_count;
  if v_words = 0 then
    delete from word_batches where account_id = p_account;
    delete from word_marks where account_id = p_account;
  end if;
  perform set_config('app.erasing', '', true);
  return v_words;
end
$$;

revoke all on function erase_words from public;
grant execute on function erase_words to kabari_app;
