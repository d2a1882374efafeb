-- How many lines of the statement the entries 1 to p_seq are. Called by the statement's pages.
create or replace function lines_upto(p_account uuid, p_seq bigint) returns bigint
language plpgsql stable as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_more bigint;
begin
  select seq, lines into v_marked, v_lines from statement_marks
    where account_id = p_account and seq <= p_seq order by seq desc limit 1;
  select count(*) into v_more from wallet_entries
    where account_id = p_account and seq > coalesce(v_marked, 0) and seq <= p_seq and is_line(kind);
  return coalesce(v_lines, 0) + v_more;
end
$$;
