import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** One invariant of docs/money.md#invariants, as it was found. */
export type Finding = {
  invariant: string;
  /** What the invariant says. */
  description: string;
  ok: boolean;
  /** What breaks it: at most 100 rows. */
  offenders: readonly object[];
};

/** Rows shown of what breaks an invariant. */
const OFFENDERS_MAX = 100;

/** An invariant, with a query for the rows that break it. */
type Invariant = {
  invariant: string;
  description: string;
  broken: (sql: Tx) => PromiseLike<object[]>;
};

/**
 * Checks the invariants of the money in one snapshot, so that it may run while money moves.
 *
 * @param allAccountsSql a pool that sees every account.
 */
export async function checkLedger(allAccountsSql: Sql): Promise<Finding[]> {
  return allAccountsSql.begin(async (tx) => {
    const findings: Finding[] = [];
    for (const { invariant, description, broken } of invariants) {
      const rows = await broken(tx);
      const offenders = rows.slice(0, OFFENDERS_MAX);
      findings.push({ invariant, description, ok: rows.length === 0, offenders });
    }
    return findings;
  }, 'isolation level repeatable read read only');
}

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

/** Accounts whose messages are being or were erased: their entries have no messages any more. */
const closed = (sql: Tx) => sql`(select account_id from accounts where closed_at is not null)`;

/** The kind of entry that settled a message `m`: a correction comes on top of its release. */
const settlement = (sql: Tx) => sql`
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
        select account_id, settle_seq, ${settlement(sql)}, price
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
        and account_id not in ${closed(sql)} limit 100`,
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
        and s.kind = ${settlement(sql)}
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
      where e.amount is distinct from m.amount and account_id not in ${closed(sql)} limit 100`,
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
        and account_id not in ${closed(sql)} limit 100`,
  },
];

const topupInvariants: readonly Invariant[] = [
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
    invariant: 'I13',
    description: 'the PPN we owe is the PPN of the paid top-ups',
    broken: (sql) => sql`
      select booked, topups from (
        select
          (select coalesce(-sum(amount), 0) from gl_lines where gl_account = 'liab:ppn')::bigint
            as booked,
          (select coalesce(sum(ppn), 0) from topups where status = 'paid')::bigint as topups
      ) ppn
      where booked <> topups`,
  },
  {
    invariant: 'suspense',
    description: 'what rests in suspense is what was paid a second time',
    broken: (sql) => sql`
      select booked, payments from (
        select
          (select coalesce(-sum(amount), 0) from gl_lines where gl_account = 'suspense')::bigint
            as booked,
          (select coalesce(sum(amount), 0) from provider_payments where outcome = 'second')::bigint
            as payments
      ) suspense
      where booked <> payments`,
  },
];

const numberOf = ({ invariant }: Invariant) => Number(invariant.slice(1)) || Infinity;

const invariants = [
  ...walletInvariants,
  ...messageInvariants,
  ...correctionInvariants,
  ...topupInvariants,
].sort((one, other) => numberOf(one) - numberOf(other));
