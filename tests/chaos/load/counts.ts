import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Broken, Rule } from '#tests/chaos/faults/rules.ts';

/** Each query finds rows that break it; a few are enough to see why. */
type Count = {
  rule: Rule;
  what: string;
  broken: (allAccountsSql: Tx) => PromiseLike<readonly object[]>;
};

export async function countsThatDisagree(allAccountsSql: Sql): Promise<Broken[]> {
  const broken: Broken[] = [];
  await allAccountsSql.begin(async (tx) => {
    // Behind row-level security every table looks small: loops over ten thousand events took a minute.
    await tx`set local enable_nestloop = off`;
    for (const { rule, what, broken: find } of counts) {
      const rows = await find(tx);
      if (rows.length === 0) continue;
      broken.push({ rule, what: `${what}: ${JSON.stringify(rows.slice(0, 3))}` });
    }
  });
  return broken;
}

const counts: readonly Count[] = [
  {
    rule: 'nothing left over',
    // A lane may still look up a message that was cancelled long before its time.
    what: 'a queue is not empty',
    broken: (allAccountsSql) => allAccountsSql`
      select * from (
        select 'dispatch' as queue, count(*) as n from dispatch
        union all select 'outbox', count(*) from outbox
        union all select 'sim_events', count(*) from sim_events
        union all select 'parked_receipts', count(*) from parked_receipts
        union all select 'lanes', count(*) from lanes where ready_at <= clock_timestamp()
        union all select 'webhook_deliveries', count(*) from webhook_deliveries where state = 'waiting'
        union all select 'webhook_lanes', count(*) from webhook_lanes
      ) q where n > 0`,
  },
  {
    rule: 'never goes back',
    what: 'what was told of a message does not rise from accepted to how it stands',
    broken: (allAccountsSql) => allAccountsSql`
      with told as (
        select m.message_id, m.status, e.position, e.kind, e.status as said,
          case when e.status in ('queued', 'scheduled') then 0
            when e.status not in ('failed', 'cancelled', 'expired')
              then status_rank(e.status)
            -- An end that was proved wrong is where the way that was proved begins.
            when exists (
              select from message_events c
              where c.account_id = m.account_id and c.message_id = m.message_id and c.kind = 'corrected'
            ) then 0.5
            else 8 end as rank
        from messages m left join events e
          on e.account_id = m.account_id and e.message_id = m.message_id
        where m.direction = 'out'
      ), story as (
        select *, lag(rank) over mine as before, row_number() over mine as nth,
          last_value(said) over (mine rows between unbounded preceding and unbounded following)
            as last
        from told window mine as (partition by message_id order by position)
      )
      select message_id, said, before, rank, nth, last, status from story
      where rank is null or rank <= before or (kind = 'message.accepted') <> (nth = 1)
        or last <> status
      limit 3`,
  },
  {
    rule: 'never goes back',
    what: 'a timeline says what the message is not',
    broken: (allAccountsSql) => allAccountsSql`
      select m.message_id, m.status, t.kinds from messages m
      left join (
        select account_id, message_id,
          array_agg(kind) filter (where kind not in ('retrying', 'unknown')) as kinds,
          bool_or(kind = 'corrected') as corrected
        from message_events group by 1, 2
      ) t using (account_id, message_id)
      where m.direction = 'out' and m.status not in ('queued', 'scheduled') and (
        not m.status = any (coalesce(t.kinds, '{}'))
        or (
          m.status in ('sent', 'delivered', 'read')
          and (t.kinds && '{failed,cancelled,expired}') <> coalesce(t.corrected, false)
        )
        or (m.status not in ('sent', 'delivered', 'read') and t.corrected)
        or (m.status = 'failed' and t.kinds && '{delivered,read}')
        or (m.status <> 'read' and 'read' = any (t.kinds))
      ) limit 3`,
  },
  {
    rule: 'events without gaps',
    what: 'positions of an account have gaps',
    broken: (allAccountsSql) => allAccountsSql`
      select account_id, p.last, e.n, e.least, e.most
      from (
        select account_id, count(*) as n, min(position) as least, max(position) as most
        from events group by account_id
      ) e full join event_positions p using (account_id)
      where (e.n, e.least, e.most) is distinct from (p.last, 1::bigint, p.last)`,
  },
  {
    rule: 'events without gaps',
    what: 'conversation_seq is not 1, 2, 3 … in the order of positions',
    broken: (allAccountsSql) => allAccountsSql`
      with told as (
        select e.account_id, e.position, m.token_id, m.peer, e.conversation_seq as seq,
          row_number() over (partition by e.account_id, m.token_id, m.peer order by e.position) as nth
        from events e join messages m using (account_id, message_id)
      ), last as (
        select account_id, token_id, peer, max(seq) as seq from told group by 1, 2, 3
      )
      select account_id, token_id, peer, seq, nth from told where seq is distinct from nth
      union all
      select account_id, token_id, peer, l.seq, c.seq
      from last l full join conversations c using (account_id, token_id, peer)
      where l.seq is distinct from c.seq
      limit 3`,
  },
  {
    rule: 'counted right',
    what: 'the hourly counts are not the messages',
    broken: (allAccountsSql) => allAccountsSql`
      select * from (
        select account_id, date_trunc('hour', uuid_time(message_id)) as hour, token_id, direction,
          status, type, count(*) as n,
          sum(case when charge_state in ('released', 'waived') then 0 else price end)::bigint
            as paid
        from messages group by 1, 2, 3, 4, 5, 6
      ) m
      full join (
        select account_id, hour, token_id, direction, status, type, sum(messages) as messages,
          sum(cost) as cost
        from message_counts group by 1, 2, 3, 4, 5, 6 having sum(messages) <> 0 or sum(cost) <> 0
      ) r
        using (account_id, hour, token_id, direction, status, type)
      where (m.n, m.paid) is distinct from (r.messages, r.cost) limit 3`,
  },
  {
    rule: 'counted right',
    what: 'the sums per day and month are not the messages',
    broken: (allAccountsSql) => allAccountsSql`
      select * from (
        select account_id, grain, wib_since(grain, uuid_time(message_id)) as since, token_id,
          direction, status, type, count(*) as n
        from messages cross join unnest(array['day', 'month']) as grain
        group by 1, 2, 3, 4, 5, 6, 7
      ) m
      full join (
        select account_id, grain, since, token_id, direction, status, type, sum(messages) as messages
        from message_count_sums group by 1, 2, 3, 4, 5, 6, 7 having sum(messages) <> 0
      ) r
        using (account_id, grain, since, token_id, direction, status, type)
      where m.n is distinct from r.messages limit 3`,
  },
  {
    rule: 'counted right',
    what: "a token's accepted messages are not its messages",
    broken: (allAccountsSql) => allAccountsSql`
      select token_id, l.accepted, m.n
      from lanes l full join (
        select account_id, token_id, count(*) as n, min(message_id::text)::uuid as first
        from messages where direction = 'out' group by account_id, token_id
      ) m using (account_id, token_id)
      where l.accepted is distinct from coalesce(m.n, 0)
        and coalesce(l.day = (uuid_time(m.first) at time zone 'Asia/Jakarta')::date, true) limit 3`,
  },
  {
    rule: 'counted right',
    what: 'a token took more than its daily limit',
    broken: (allAccountsSql) => allAccountsSql`
      select token_id, l.accepted, t.daily_limit
      from lanes l join tokens t using (account_id, token_id)
      where l.accepted > t.daily_limit`,
  },
  {
    rule: 'not doubled',
    what: 'an answer of a phone is not one received message',
    broken: (allAccountsSql) => allAccountsSql`
      -- Each by itself: in a cluster these lie apart.
      with l as materialized (
        select line_id, chr(1) || 'in:' || line_id::text as ref
        from sim_lines where direction = 'out'
      ), r as materialized (
        select account_id, message_id, ref from message_refs where ref like chr(1) || 'in:%'
      ), m as materialized (
        select account_id, message_id from messages where direction = 'in'
      )
      select line_id, r.ref, m.message_id from l
      full join r using (ref)
      full join m on m.account_id = r.account_id and m.message_id = r.message_id
      where l.line_id is null or r.ref is null or m.message_id is null limit 3`,
  },
  {
    rule: 'not lost',
    what: 'a number that always answers did not, or answered twice',
    broken: (allAccountsSql) => allAccountsSql`
      select phone, peer, asked.n as asked, answered.n as answered
      from (
        select phone, peer, count(*) as n from sim_lines
        where direction = 'in' and phone in ('62800000007', '62800000008') group by 1, 2
      ) asked
      full join (
        select phone, peer, count(*) as n from sim_lines where direction = 'out' group by 1, 2
      ) answered using (phone, peer)
      where asked.n is distinct from answered.n limit 3`,
  },
];
