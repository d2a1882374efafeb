import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { storeRecipients } from '#server/domains/campaigns/recipients/store.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import {
  type CloudSender,
  connectedSender,
  passTime,
  test as base,
} from '#tests/support/meta/cloud-channel.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';

/**
 * A campaign of that size: `OUTAGE_ROWS=10000 npx vitest run --project unit tests/cloud-outage.test.ts`.
 */
const ROWS = Number(process.env['OUTAGE_ROWS'] ?? 240);
const PRICE = 400;
const SALDO = ROWS * PRICE * 2;
const HOUR_MS = 3_600_000;
const PATIENCE = { patienceMs: 120_000 + ROWS * 100 };
const TEST_MS = 2 * PATIENCE.patienceMs;

const peerAt = (n: number): string => `62812${String(40_000_000 + n)}`;

const test = base.extend<{ ani: CloudSender }>({
  ani: async ({ running, meta, db }, use) =>
    use(await connectedSender(running, meta, { db, saldo: SALDO })),
});

test.override({ env: { CLOUD_TIMEOUT_MS: '15000' } });

async function startCampaign({ accountId, tokenId }: CloudSender, { owner: sql }: TestDatabase) {
  const [user] = await sql<{ id: string }[]>`
    select user_id as id from users where account_id = ${accountId}`;
  const campaignId = newId();
  const content = { type: 'template', name: 'promo', language: 'id', variables: ['{nama}'] };
  await sql.begin(async (tx) => {
    await changeTokens(tx, { tokenId }, { dailyLimit: 1000000 });
    await tx`
      insert into campaigns (
        account_id, campaign_id, token_id, created_by, name, status, content, columns, waiting,
        created_at, started_at
      ) values (
        ${accountId}, ${campaignId}, ${tokenId}, ${user!.id}, 'Promo', 'running', ${json(content)},
        ${['nama']}, ${ROWS}, clock_timestamp(), clock_timestamp()
      )`;
    await tx`
      insert into campaign_cursors (account_id, position) values (${accountId}, 0) on conflict do nothing`;
    const recipients = Array.from({ length: ROWS }, (_, n) => ({
      written: peerAt(n),
      peer: peerAt(n),
      cells: [`Pelanggan ${n}`],
      isDuplicate: false,
    }));
    await storeRecipients(tx, { accountId, campaignId }, { recipients, columns: [] });
  });
}

/** Passes the time of an outage by the number's pauses. @returns its length in milliseconds */
async function outage(db: TestDatabase, atLeastMs: number): Promise<number> {
  let passed = 0;
  for (let pauses = 1; passed < atLeastMs; pauses++) {
    const ms = await waitFor(async () => {
      const [row] = await db.allAccountsSql<{ ms: number; pauses: number }[]>`
        select pauses, extract(epoch from paused_until - clock_timestamp())::float8 * 1000 as ms
        from connections where paused_for = 'silent' and paused_until > clock_timestamp()`;
      expect(row?.pauses).toBeGreaterThanOrEqual(pauses);
      return row!.ms;
    }, PATIENCE);
    passed += ms;
    if (passed < atLeastMs) await passTime(db);
  }
  return passed;
}

test(
  'loses no message in an outage of an hour within a campaign, keeps the order, and charges each once',
  { timeout: TEST_MS },
  async ({ ani, db, meta }) => {
    const { allAccountsSql: sql } = db;
    const { control } = meta;
    control.templates.add({ name: 'promo', body: 'Halo {{1}}' });
    // A busy server answers 503 for a moment; Meta retries for days.
    control.webhooks.retries = 12;
    await ani.ask('template_sync');
    await startCampaign(ani, db);
    await waitFor(() => expect(control.sent().length).toBeGreaterThan(ROWS / 4), PATIENCE);

    // Half an hour without any answer of Meta's, then one in which only messages are not answered.
    const before = control.sent().length;
    control.failAlways({ kind: 'html' });
    await outage(db, HOUR_MS / 2);
    const tried = control.calls().filter(({ status }) => status === 502);
    const messagesTried = tried.filter(({ path }) => path.endsWith('/messages')).length;
    control.failAlways({ kind: 'html' }, /\/messages$/);
    await passTime(db);
    await outage(db, HOUR_MS / 2);
    const probes =
      control.calls().filter(({ status, path }) => status === 502 && path.endsWith('/messages'))
        .length - messagesTried;
    // One message every five minutes, not a campaign.
    expect(probes).toBeLessThanOrEqual(8);
    expect(control.sent().length).toBeLessThanOrEqual(before + 64);
    const unsent = await sql`
      select status, failure, count(*)::int as n from messages
      where status in ('failed', 'expired') group by status, failure`;
    expect(unsent).toEqual([]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

    control.failAlways(undefined);
    await passTime(db);
    await waitFor(async () => {
      const [row] = await sql<{ done: number }[]>`
        select count(*)::int as done from messages where direction = 'out' and status = 'read'`;
      expect(row?.done).toBe(ROWS);
    }, PATIENCE);
    const sent = control.sent().map(({ callbackData }) => callbackData ?? '');
    expect(new Set(sent).size).toBe(ROWS);
    expect(sent).toHaveLength(ROWS);
    // In list order, except for those in flight together: on a slow machine up to 512, so single messages may be that
    // late. Without any order they would be late by a third of the list.
    const places = control
      .sent()
      .map(({ body }) => Number(String(body['to']).slice(-8)) - 40_000_000);
    const late = places.map((place, index) => Math.abs(place - index));
    expect(late.reduce((sum, by) => sum + by, 0) / ROWS).toBeLessThan(ROWS / 4);
    expect(Math.max(...late)).toBeLessThan(512 + 64);

    const marked = await sql<{ id: string }[]>`
      select message_id as id from messages where possible_duplicate`;
    expect(marked.length).toBeLessThanOrEqual(messagesTried + probes);
    expect(marked.every(({ id }) => sent.includes(publicId('message', id)))).toBe(true);
    expect((await ani.call('/v1/balance')).body).toMatchObject({
      held: 0,
      available: SALDO - ROWS * PRICE,
    });
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  },
);
