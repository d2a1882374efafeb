-- The entry that is the p_line-th line of the statement; null beyond the last. The marks are
-- searched by halves. Called by the statement's pages.
create or replace function line_entry(p_account uuid, p_line bigint) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_lines bigint;
  v_before bigint := 0;
  v_seq bigint;
begin
  select seq / 256 into v_high from statement_marks
    where account_id = p_account order by seq desc limit 1;
  while v_low < coalesce(v_high, 0) loop
    v_middle := (v_low + v_high + 1) / 2;
    select lines into v_lines from statement_marks
      where account_id = p_account and seq = v_middle * 256;
    if v_lines < p_line then
      v_low := v_middle;
      v_before := v_lines;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  select seq into v_seq from wallet_entries
    where account_id = p_account and seq > v_low * 256 and is_line(kind)
    order by seq offset p_line - v_before - 1 limit 1;
  return v_seq;
end
$$;
