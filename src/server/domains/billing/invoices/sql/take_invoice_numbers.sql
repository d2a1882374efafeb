-- The next numbers of a series in the WIB months of instants, in their order: 1, 2, 3 … without gaps, for
-- whoever rolls back gives theirs back. Others wait for them until COMMIT: they are asked for last.
-- Called by pay_invoices and issue_credit_note. Locks the counters, in the order of their months.
create or replace function take_invoice_numbers(p_series text, p_at timestamptz[]) returns text[]
language plpgsql as $$
declare
  v_number text[];
begin
  with asked as (
    select date_trunc('month', a.at at time zone 'Asia/Jakarta')::date as month, a.place
    from unnest(p_at) with ordinality as a(at, place)
  ), taken as (
    insert into invoice_counters as c (series, month, last)
      select p_series, month, count(*) from asked group by month order by month
      on conflict (series, month) do update set last = c.last + excluded.last
      returning c.month, c.last
  ), numbered as (
    select a.place, a.month,
      t.last + 1 - row_number() over (partition by a.month order by a.place desc) as n
    from asked a join taken t using (month)
  )
  select array_agg(
      p_series || '/' || to_char(month, 'YYYY/MM') || '/'
        || case when n < 1000000 then lpad(n::text, 6, '0') else n::text end
      order by place
    ) into v_number from numbered;
  return v_number;
end
$$;

revoke all on function take_invoice_numbers from public;
