-- The next numbers of a series in the WIB months of instants, in their order: 1, 2, 3 … without gaps, for
-- whoever rolls back gives theirs back. Others wait for them until COMMIT: they are asked for last.
-- Called by pay_invoices and issue_credit_note. Locks the counters, in the order of their months.
create or replace function take_invoice_numbers(p_series text, p_at timestamptz[]) returns text[]
language plpgsql as $$
declare
  v_number text[] := array_fill(null::text, array[cardinality(p_at)]);
  v_month date;
  v_place int[];
  v_last bigint;
  v_n bigint;
begin
  for v_month, v_place in
    select date_trunc('month', a.at at time zone 'Asia/Jakarta')::date as month,
      array_agg(a.place order by a.place)
    from unnest(p_at) with ordinality as a(at, place) group by month order by month
  loop
    insert into invoice_counters as c (series, month, last)
      values (p_series, v_month, cardinality(v_place))
      on conflict (series, month) do update set last = c.last + excluded.last
      returning c.last into v_last;
    for i in 1 .. cardinality(v_place) loop
      v_n := v_last - cardinality(v_place) + i;
      v_number[v_place[i]] := p_series || '/' || to_char(v_month, 'YYYY/MM') || '/'
        || case when v_n < 1000000 then lpad(v_n::text, 6, '0') else v_n::text end;
    end loop;
  end loop;
  return v_number;
end
$$;

revoke all on function take_invoice_numbers from public;
