import type { Tx } from '#server/infra/postgres/database.ts';
import { type Invariant, closed } from './invariant.ts';

/** The kind of entry that settled a message `m`: a correction comes on top of its release. */
const settlement = (sql: Tx) => sql`
  case when m.charge_state = 'captured' and m.correct_seq is null then 'capture' else 'release' end`;

/** What must hold of the prices of messages. */
export const messageInvariants: readonly Invariant[] = [
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

/** What must hold of prices that were charged again. */
export const correctionInvariants: readonly Invariant[] = [
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
