import type { Invariant } from './invariant.ts';

/** What must hold of invoices, their numbers, and the PPN that was collected with them. */
export const invoiceInvariants: readonly Invariant[] = [
  {
    invariant: 'I11',
    description:
      'a paid invoice is the sum of its lines, PPN and kode unik, and what was paid; numbers are 1 to n',
    broken: (sql) => sql`
      select account_id, invoice_id, number, 'sum' as what from invoices i
      where total <> base + ppn + unique_code
        or base <> coalesce((select sum((line ->> 'amount')::bigint)
          from jsonb_array_elements(i.lines) line), 0)
        or (status = 'paid' and (received is distinct from total or number is null))
        or (status <> 'paid' and number is not null)
      union all
      select account_id, t.topup_id, i.number, 'topup' from (
        select account_id, topup_id, base, ppn, received from topups where status = 'paid'
      ) t full join (
        select account_id, topup_id, number, ppn, total, kind, base from invoices
        where (kind = 'topup' and status = 'paid')
          -- Waiting for the seller's data, and refunded before it came.
          or (kind = 'topup' and status = 'open' and topup_id in (
            select topup_id from topups where status = 'paid'
          ))
          or (kind = 'topup' and status = 'void' and topup_id in (
            select topup_id from refunds where from_saldo > 0
          ))
          or (kind = 'plan' and status in ('open', 'paid') and topup_id in (
            select topup_id from topups where status = 'paid'
          ))
      ) i using (account_id, topup_id)
      where (t.received, t.ppn) is distinct from (i.total, i.ppn)
        and (i.kind is distinct from 'plan'
          or (t.received - t.base, t.ppn) is distinct from (i.total - i.base, i.ppn))
      union all
      select null, null, coalesce(c.series, n.series) || ' ' || coalesce(c.month, n.month), 'numbers'
      from (select series, to_char(month, 'YYYY/MM') as month, last from invoice_counters) c
      full join (
        select split_part(number, '/', 1) as series,
          split_part(number, '/', 2) || '/' || split_part(number, '/', 3) as month,
          count(*) as n, count(distinct number) as different,
          max(split_part(number, '/', 4)::int) as highest
        from invoices where number is not null group by 1, 2
      ) n using (series, month)
      where (c.last::bigint, c.last::bigint, c.last)
        is distinct from (n.n, n.different, n.highest)
      limit 100`,
  },
  {
    invariant: 'I13',
    description: 'the PPN we owe is the PPN of paid invoices, without what credit notes gave back',
    broken: (sql) => sql`
      select booked, invoiced from (
        select
          (select coalesce(-sum(amount), 0) from gl_lines where gl_account = 'liab:ppn')::bigint
            as booked,
          (select coalesce(sum(case kind when 'credit_note' then -ppn else ppn end), 0)
            from invoices i
            where status = 'paid' or (status = 'open' and kind in ('plan', 'topup') and exists (
              select from topups t
              where t.account_id = i.account_id and t.topup_id = i.topup_id and t.status = 'paid'
            )))::bigint as invoiced
      ) ppn
      where booked <> invoiced`,
  },
];
