import { SNAPSHOT } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

const operatorInvariants: readonly Invariant[] = [
  {
    invariant: 'I14',
    description: 'what left by hand, to a customer or back to a payer, was booked at the bank',
    broken: (sql) => sql`
      select account_id, idem_key, e.amount as entry_amount, g.amount as cash
      from (
        select account_id, 'payout:' || ref_id as idem_key, d_available as amount
        from wallet_entries where kind = 'payout' and ref_type = 'adjustment'
        union all
        select account_id, 'return:' || provider || ':' || txn_id, -amount
        from suspense_resolutions where resolution = 'returned'
      ) e
      full join (
        select x.account_id, x.idem_key,
          sum(l.amount) filter (where l.gl_account like 'cash:%')::bigint as amount
        from gl_txns x join gl_lines l using (account_id, txn_id)
        where x.kind in ('payout', 'suspense_return') group by x.account_id, x.idem_key
      ) g using (account_id, idem_key)
      where e.amount is distinct from g.amount limit 100`,
  },
  {
    invariant: 'returned',
    description: 'a message is refunded once, by no more than was charged for it',
    broken: (sql) => sql`
      select e.account_id, e.seq, e.d_available, m.price, m.charge_state
      from (
        select *, substr(idem_key, 8)::uuid as message_id from wallet_entries
        where kind = 'refund' and idem_key like 'refund:%'
      ) e
      left join messages m using (account_id, message_id)
      where (m.price is null or m.charge_state <> 'captured' or e.d_available > m.price)
        and e.account_id not in ${closedAccounts(sql)} limit 100`,
  },
];

type Invariant = {
  invariant: string;
  description: string;
  broken: (sql: Tx) => PromiseLike<object[]>;
};

/** Accounts whose messages are being or were erased: their entries no longer have messages. */
const closedAccounts = (sql: Tx) =>
  sql`(select account_id from accounts where closed_at is not null)`;

const invoiceInvariants: readonly Invariant[] = [
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

/** The kind of entry that settled a message `m`: a correction is added to its release. */
const settlementKind = (sql: Tx) => sql`
  case when m.charge_state = 'captured' and m.correct_seq is null then 'capture' else 'release' end`;

const messageInvariants: readonly Invariant[] = [
  {
    invariant: 'I4',
    description: 'what a wallet holds is the price of its messages in state held',
    broken: (sql) => sql`
      select w.account_id, w.held, coalesce(m.held, 0) as messages_held
      from wallets w left join (
        select account_id, sum(price)::bigint as held from messages
        where charge_state = 'held' group by account_id
      ) m using (account_id)
      where w.held <> coalesce(m.held, 0) limit 100`,
  },
  {
    invariant: 'I5',
    description:
      'every hold, capture, release and correction is the sum and the count of its messages',
    broken: (sql) => sql`
      with part as (
        select account_id, hold_seq as seq, 'hold' as kind, price from messages
        where hold_seq is not null
        union all
        select account_id, settle_seq, ${settlementKind(sql)}, price
        from messages m where settle_seq is not null
        union all
        select account_id, correct_seq, 'correction', price from messages
        where correct_seq is not null
      ), whole as (
        select account_id, seq, kind, sum(price)::bigint as price, count(*) as n
        from part group by account_id, seq, kind
      )
      select account_id, seq, kind, e.amount as entry_amount, e.n_items,
        whole.price as messages_amount, whole.n as messages
      from (
        select *, case kind when 'correction' then -d_available else abs(d_held) end as amount
        from wallet_entries where kind in ('hold', 'capture', 'release', 'correction')
      ) e full join whole using (account_id, seq, kind)
      where (e.amount, e.n_items::bigint) is distinct from (whole.price, whole.n)
        and account_id not in ${closedAccounts(sql)} limit 100`,
  },
  {
    invariant: 'I9',
    description: 'every priced message has one hold, and one settlement exactly when it is settled',
    broken: (sql) => sql`
      select m.account_id, m.message_id, m.charge_state, m.hold_seq, m.settle_seq
      from messages m
      left join wallet_entries h
        on h.account_id = m.account_id and h.seq = m.hold_seq and h.kind = 'hold'
      left join wallet_entries s
        on s.account_id = m.account_id and s.seq = m.settle_seq
        and s.kind = ${settlementKind(sql)}
      where m.price > 0 and (
        h.seq is null or m.charge_state is null
        or (m.charge_state = 'held') <> (m.settle_seq is null)
        or (m.settle_seq is null) <> (s.seq is null)
      ) limit 100`,
  },
  {
    invariant: 'I10',
    description:
      'what was captured is the price of the captured messages, and the revenue booked for it',
    broken: (sql) => sql`
      select account_id, e.amount as entries_amount, m.amount as messages_amount
      from (
        select account_id, sum(d_contra)::bigint as amount from wallet_entries
        where kind in ('capture', 'correction') and contra = 'rev:message' group by account_id
      ) e
      full join (
        select account_id, sum(price)::bigint as amount from messages
        where charge_state = 'captured' and price > 0 group by account_id
      ) m using (account_id)
      where e.amount is distinct from m.amount and account_id not in ${closedAccounts(sql)} limit 100`,
  },
];

const correctionInvariants: readonly Invariant[] = [
  {
    invariant: 'I16',
    description:
      'what arrived is charged or waived, never given back; each once, after it was given back',
    broken: (sql) => sql`
      select m.account_id, m.message_id, m.status, m.charge_state, m.settle_seq, m.correct_seq
      from messages m
      where (m.status in ('sent', 'delivered', 'read') and m.charge_state in ('held', 'released'))
        or (m.correct_seq is not null and m.charge_state <> 'captured')
        or (m.charge_state = 'waived' and (m.settle_seq is null or m.correct_seq is not null))
      limit 100`,
  },
  {
    invariant: 'I17',
    description: 'what was waived is booked, message by message, as revenue and as our own expense',
    broken: (sql) => sql`
      select account_id, message_id, m.price, g.expense, g.revenue
      from (select * from messages where charge_state = 'waived') m
      full join (
        select x.account_id, substr(x.idem_key, 8)::uuid as message_id,
          sum(l.amount) filter (where l.gl_account = 'exp:waived')::bigint as expense,
          -sum(l.amount) filter (where l.gl_account = 'rev:message')::bigint as revenue
        from gl_txns x join gl_lines l using (account_id, txn_id)
        where x.kind = 'waived' group by x.account_id, x.idem_key
      ) g using (account_id, message_id)
      where (m.price, m.price) is distinct from (g.expense, g.revenue)
        and account_id not in ${closedAccounts(sql)} limit 100`,
  },
];

const paymentInvariants: readonly Invariant[] = [
  {
    invariant: 'I7',
    description: 'a top-up is paid exactly when its entry and its booking stand, of what it says',
    broken: (sql) => sql`
      select account_id, topup_id, t.status, t.credited, e.d_available as entry_amount,
        t.received, g.cash, g.ppn, t.ppn as topup_ppn
      from (select * from topups where status = 'paid') t
      full join (
        select account_id, ref_id::uuid as topup_id, idem_key, d_available from wallet_entries
        where kind = 'topup'
      ) e using (account_id, topup_id)
      full join (
        select x.account_id, substr(x.idem_key, 5)::uuid as topup_id,
          sum(l.amount) filter (where l.gl_account like 'cash:%')::bigint as cash,
          coalesce(-sum(l.amount) filter (where l.gl_account = 'liab:ppn'), 0)::bigint as ppn
        from gl_txns x join gl_lines l using (account_id, txn_id)
        where x.kind = 'payment' group by x.account_id, x.idem_key
      ) g using (account_id, topup_id)
      where t.status is null or e.idem_key is distinct from 'topup:' || topup_id
        or (t.credited, t.received, t.ppn) is distinct from (e.d_available, g.cash, g.ppn)
      limit 100`,
  },
  {
    invariant: 'I12',
    description: 'a payment pays one top-up, and a paid top-up names its one payment',
    broken: (sql) => sql`
      select t.account_id, t.topup_id, t.provider_txn_id, p.txn_id
      from (select * from topups where status = 'paid') t
      full join (select * from provider_payments where outcome = 'paid') p
        on p.account_id = t.account_id and p.topup_id = t.topup_id
      where (t.provider, t.provider_txn_id, t.received)
        is distinct from (p.provider, p.txn_id, p.amount)
      limit 100`,
  },
  {
    invariant: 'suspense',
    description:
      'what rests in suspense is what was paid a second time and has not been resolved or given back',
    broken: (sql) => sql`
      select account_id, sum(booked)::bigint as booked, sum(payments)::bigint as payments,
        sum(resolved)::bigint as resolved, sum(returned)::bigint as returned
      from (
        select account_id, -amount as booked, 0 as payments, 0 as resolved, 0 as returned
        from gl_all where gl_account = 'suspense'
        union all
        select account_id, 0, amount, 0, 0 from provider_payments where outcome = 'second'
        union all
        select account_id, 0, 0, amount, 0 from suspense_resolutions
        union all
        select account_id, 0, 0, 0, amount from refunds where from_saldo = 0
      ) x
      group by account_id
      having sum(booked) <> sum(payments) - sum(resolved) - sum(returned) limit 100`,
  },
  {
    invariant: 'refunds',
    description: 'what is owed to payers is the open refunds, and each took its saldo once',
    broken: (sql) => sql`
      select account_id, r.owed, g.booked, r.from_saldo, e.from_saldo as entries
      from (
        select account_id, coalesce(sum(amount) filter (where status = 'open'), 0)::bigint as owed,
          sum(from_saldo)::bigint as from_saldo
        from refunds group by account_id
      ) r
      full join (
        select account_id, -sum(amount)::bigint as booked from gl_lines
        where gl_account = 'liab:refund' group by account_id
      ) g using (account_id)
      full join (
        select account_id, -sum(d_available)::bigint as from_saldo from wallet_entries
        where kind = 'payout' and idem_key like 'refund:%' group by account_id
      ) e using (account_id)
      where (r.owed, r.from_saldo)
        is distinct from (coalesce(g.booked, 0), coalesce(e.from_saldo, 0))
      limit 100`,
  },
];

const planInvariants: readonly Invariant[] = [
  {
    invariant: 'I19',
    description:
      'what is used of a plan’s quota is the messages of its round that were not given back',
    broken: (sql) => sql`
      select w.account_id, w.plan_round, w.plan_used, coalesce(m.n, 0) as messages
      from wallets w left join (
        select account_id, plan_round, count(*) as n from messages
        where plan_round is not null and charge_state <> 'released' group by account_id, plan_round
      ) m using (account_id, plan_round)
      where w.plan_used <> coalesce(m.n, 0) and w.account_id not in ${closedAccounts(sql)} limit 100`,
  },
  {
    invariant: 'I15',
    description: 'no period of a plan is charged twice, for the same revision or another period',
    broken: (sql) => sql`
      select account_id, c.charge_id, c.period_start, c.revision, o.charge_id as other
      from subscription_charges c join subscription_charges o using (account_id)
      where c.charge_id < o.charge_id and (
        (c.period_start, c.revision) = (o.period_start, o.revision)
        -- Whole periods do not overlap, unless an operator ended the plan in between.
        or (c.kind = 'period' and o.kind = 'period'
          and c.period_start < o.period_end and o.period_start < c.period_end
          and not exists (
            select from subscription_charges e where e.account_id = c.account_id
              and e.kind = 'end' and e.period_start in (c.period_start, o.period_start)
          ))
      ) limit 100`,
  },
  {
    invariant: 'I18',
    description: 'what was charged for plans is what its entries took from the saldo, or gave back',
    broken: (sql) => sql`
      select account_id, charge_id, c.amount, -e.d_available as entry_amount
      from (
        select account_id, charge_id::text as charge_id, amount from subscription_charges
        where amount <> 0
      ) c
      full join (
        select account_id, ref_id as charge_id, d_available, contra from wallet_entries
        where ref_type = 'charge' or kind = 'plan'
      ) e using (account_id, charge_id)
      where (c.amount, 'rev:plan') is distinct from (-e.d_available, e.contra) limit 100`,
  },
];

const walletInvariants: readonly Invariant[] = [
  {
    invariant: 'I1',
    description: 'debits and credits of the whole ledger sum to 0',
    broken: (sql) => sql`
      select sum(amount) as off from gl_all having coalesce(sum(amount), 0) <> 0`,
  },
  {
    invariant: 'I2',
    description: 'every wallet is the sum of its entries, and they are numbered without gaps',
    broken: (sql) => sql`
      select w.account_id, w.available, e.available as entries_available, w.held,
        e.held as entries_held, w.seq, e.last, e.n
      from wallets w left join (
        select account_id, sum(d_available)::bigint as available, sum(d_held)::bigint as held,
          max(seq) as last, count(*) as n
        from wallet_entries group by account_id
      ) e using (account_id)
      where (w.available, w.held, w.seq, w.seq) is distinct from
        (coalesce(e.available, 0), coalesce(e.held, 0), coalesce(e.last, 0), coalesce(e.n, 0))
      limit 100`,
  },
  {
    invariant: 'I3',
    description: 'what every entry says came after it is the running sum up to it',
    broken: (sql) => sql`
      select * from (
        select account_id, seq, available_after, held_after,
          (sum(d_available) over upto)::bigint as available_sum,
          (sum(d_held) over upto)::bigint as held_sum
        from wallet_entries window upto as (partition by account_id order by seq)
      ) run
      where (available_after, held_after) is distinct from (available_sum, held_sum) limit 100`,
  },
  {
    invariant: 'I6',
    description: 'the clearing of every account is 0',
    broken: (sql) => sql`
      select account_id, sum(amount)::bigint as off from gl_all where gl_account = 'clearing'
      group by account_id having sum(amount) <> 0 limit 100`,
  },
  {
    invariant: 'I8',
    description: 'no entry left anything below 0',
    broken: (sql) => sql`
      select account_id, seq, available_after, held_after from wallet_entries
      where available_after < 0 or held_after < 0 limit 100`,
  },
];

/** Result of one invariant of docs/money.md#invariants. */
export type Finding = {
  invariant: string;
  description: string;
  ok: boolean;
  /** Rows that break the invariant, at most 100. */
  offenders: readonly object[];
};

const OFFENDERS_MAX = 100;

/** Checks the invariants of the money in one snapshot, so that it can run while money moves. */
export async function checkLedger(allAccountsSql: Sql): Promise<Finding[]> {
  return allAccountsSql.begin(checkLedgerIn, SNAPSHOT);
}

/** Like `checkLedger`, in a transaction that was begun as a `SNAPSHOT`. */
export async function checkLedgerIn(tx: Tx): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, description, broken } of invariants) {
    const rows = await broken(tx);
    const offenders = rows.slice(0, OFFENDERS_MAX);
    findings.push({ invariant, description, ok: rows.length === 0, offenders });
  }
  return findings;
}

const numberOf = ({ invariant }: Invariant) => Number(invariant.slice(1)) || Infinity;

const invariants = [
  ...walletInvariants,
  ...messageInvariants,
  ...correctionInvariants,
  ...planInvariants,
  ...paymentInvariants,
  ...invoiceInvariants,
  ...operatorInvariants,
].sort((one, other) => numberOf(one) - numberOf(other));
