/**
 * Measures the effect of pins on the list of conversations: an account with 20 pins ÷ the same account without, in one
 * database and in turn; the first page, a deep page, and a search by a common name.
 *
 * `npm run bench:conversations`; `CONVERSATIONS` sets another size.
 */
import { PINS_MAX } from '#contract/messages/conversations.ts';
import { conversationList } from '#server/domains/messages/conversations.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openBenchDatabase } from './lib/bench-database.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median, percentile, timed } from './lib/rounds.ts';

const CONVERSATIONS = Number(process.env['CONVERSATIONS'] ?? 100_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 15);
const SAMPLES = 8;
const RATIO_MAX = 1.5;
const P95_MS_MAX = 50;

/** Opens an account with this many conversations, one in fifty unread, each with one message. */
async function openAccount(owner: Sql, pins: number): Promise<string> {
  const [accountId, tokenId] = [newId(), newId()];
  await owner`insert into accounts (account_id, name) values (${accountId}, 'Toko Ramai')`;
  await owner`
    insert into tokens (account_id, token_id, name, channel, status, phone, key_hint)
    values (${accountId}, ${tokenId}, 'Kasir', 'simulator', 'linked', ${`6281${pins}1000000`}, 'abcd')`;
  await owner`
    with made as (
      select n, ${newId()}::uuid as first,
        overlay(${newId()}::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id
      from generate_series(1, ${CONVERSATIONS}::int) n
    ), stored as (
      insert into messages (
        account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
      )
      select ${accountId}, id, ${tokenId}, '62812' || (10000000 + n), 'out', 'text',
        '{"text": "Pesanan Anda sudah siap."}', 'read', 0, uuid_time(id)
      from made
    )
    insert into conversations (
      account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread
    )
    select ${accountId}, ${tokenId}, '62812' || (10000000 + n), 'Pelanggan ' || n, 1, id,
      clock_timestamp() - n * interval '1 minute', (n % 50 = 0)::int
    from made`;
  await owner`
    insert into pinned_conversations (account_id, token_id, peer)
    select account_id, token_id, peer from conversations
    where account_id = ${accountId} and peer like '%17' order by last_at limit ${pins}`;
  return accountId;
}

const cases = [
  { name: 'first page', input: {} },
  { name: 'after 1,000', input: { start: 1_000 } },
  { name: 'a name that all have', input: { q: 'pelanggan' } },
  { name: 'a name that ten have', input: { q: 'pelanggan 1234' } },
] as const;

const bench = await openBenchDatabase(2);
try {
  const [pinned, plain] = [
    await openAccount(bench.owner, PINS_MAX),
    await openAccount(bench.owner, 0),
  ];
  await bench.owner.query('vacuum (freeze, analyze)');
  const lines: string[][] = [];
  let isHeld = true;
  for (const { name, input } of cases) {
    const pages = (accountId: string) => async () => {
      const taken: number[] = [];
      while (taken.length < SAMPLES) {
        taken.push(await timed(() => conversationList(bench.tenantSql, accountId, input)));
      }
      return taken;
    };
    const found = await interleaved(ROUNDS, { pinned: pages(pinned), plain: pages(plain) });
    const [warm, control] = [found.pinned.slice(1), found.plain.slice(1)];
    const ratio = median(warm.map((taken, n) => median(taken) / median(control[n] ?? taken)));
    const p95 = percentile(warm.flat(), 0.95);
    isHeld &&= ratio <= RATIO_MAX && p95 <= P95_MS_MAX;
    lines.push([
      name,
      median(control.flat()).toFixed(1),
      median(warm.flat()).toFixed(1),
      p95.toFixed(1),
      ratio.toFixed(2),
    ]);
  }
  const head = ['page', 'without, p50 ms', `${PINS_MAX} pins, p50 ms`, 'p95 ms', 'ratio'];
  await report(
    `Conversations: pins in a list of ${CONVERSATIONS.toLocaleString('en')}`,
    `${table(head, lines)}\n\nRatio at most ${RATIO_MAX}, p95 at most ${P95_MS_MAX} ms: ${isHeld ? 'held' : 'broken'}.`,
  );
  if (!isHeld) process.exitCode = 1;
} finally {
  await bench.close();
}
