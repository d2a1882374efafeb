import { expect } from 'vitest';
import { toPairs } from '#contract/base/form.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Campaign } from '#contract/campaigns.ts';
import { UPLOAD_PATH } from '#contract/uploads.ts';
import { campaignOf, readCampaign } from '#server/domains/campaigns/row.ts';
import { storeRecipients } from '#server/domains/campaigns/recipients/store.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { type Started, addressOf, test } from '#tests/support/app/started-app.ts';
import { formWith } from '#tests/support/app/uploads-app.ts';
import { holdLock } from './chaos/payments/held-lock.ts';
import { cutDatabase } from '#tests/support/database/wire/cut.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { browserOf, customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';

/**
 * Promised size: `CAMPAIGN_ROWS=50000 CAMPAIGN_PACE=0 npx vitest run --project unit tests/campaign-kill.test.ts`.
 */
const ROWS = Number(process.env['CAMPAIGN_ROWS'] ?? 600);
/** Messages per second; 0 means no limit. */
const PACE = process.env['CAMPAIGN_PACE'] ?? '300';
const SALDO = ROWS * 1_000;

const peerAt = (n: number): string => `62812${String(10_000_000 + n)}`;

async function startCampaign({ allAccountsSql: sql }: TestDatabase) {
  const ani = await customerWith(sql, { saldo: SALDO, dailyLimit: 1_000_000 });
  const { accountId, tokenId } = ani;
  const campaignId = newId();
  const ref = { accountId, campaignId };
  const content = { type: 'text', text: 'Halo {nama}' };
  await sql.begin(async (tx) => {
    await tx`
      insert into campaigns (
        account_id, campaign_id, token_id, created_by, name, status, content, columns, waiting, created_at,
        started_at
      ) values (
        ${accountId}, ${campaignId}, ${tokenId}, ${ani.userId}, 'Promo', 'running', ${json(content)},
        ${['nama']}, ${ROWS}, clock_timestamp(), clock_timestamp()
      )`;
    await tx`insert into campaign_cursors (account_id, position) values (${accountId}, 0)`;
    const recipients = Array.from({ length: ROWS }, (_, n) => ({
      written: peerAt(n),
      peer: peerAt(n),
      cells: [`Pelanggan ${n}`],
      isDuplicate: false,
    }));
    await storeRecipients(tx, ref, { recipients, columns: [] });
  });
  const read = async (): Promise<Campaign> => campaignOf(await readCampaign(sql, ref), 60);
  return { ...ref, tokenId, read };
}

test('sends each recipient one message despite killed workers and databases, and honours a pause', async ({
  start,
  db,
}) => {
  const { allAccountsSql: sql } = db;
  const campaign = await startCampaign(db);
  const { accountId, campaignId } = campaign;
  const env = { ROLE: 'worker', LANE_PACE_PER_SECOND: PACE, LOG_LEVEL: 'silent' };
  const workers: Started[] = [start(env), start(env)];
  const kill = async (n: number) => {
    const one = workers[n]!;
    one.child.kill('SIGKILL');
    await one.exit;
    workers[n] = start(env);
  };
  const placedAtLeast = (share: number) =>
    waitFor(async () =>
      expect((await campaign.read()).recipients.placed).toBeGreaterThan(ROWS * share),
    );
  const ask = (becoming: string) =>
    sql`update campaigns set becoming = ${becoming} where campaign_id = ${campaignId}`;

  await placedAtLeast(0.1);
  await kill(0);
  await placedAtLeast(0.25);
  await cutDatabase(db);
  await placedAtLeast(0.4);
  await kill(1);
  await kill(0);
  await placedAtLeast(0.5);
  await ask('paused');
  await kill(1);
  await waitFor(async () => expect((await campaign.read()).status).toBe('paused'));
  const atPause = await campaign.read();
  expect(atPause.recipients.placed + atPause.recipients.waiting).toBe(ROWS);
  // Messages in flight have left; a paused campaign has no others in the queue.
  await waitFor(async () =>
    expect(await sql`select from dispatch where account_id = ${accountId}`).toEqual([]),
  );
  await sql`
    update campaigns set status = 'running', pause_reason = null where campaign_id = ${campaignId}`;
  await placedAtLeast(0.8);
  await kill(0);
  await cutDatabase(db);
  await waitFor(async () => expect((await campaign.read()).status).toBe('done'));
  await waitFor(async () => {
    const { messages } = await campaign.read();
    expect(messages.delivered).toBe(ROWS);
  });

  const { recipients, messages, cost } = await campaign.read();
  expect(recipients).toMatchObject({ total: ROWS, placed: ROWS, waiting: 0, refused: 0 });
  expect(messages).toMatchObject({
    waiting: 0,
    sent: ROWS,
    failed: 0,
    cancelled: 0,
    expired: 0,
  });
  const left = await sql<{ peer: string; text: string; price: number }[]>`
    select peer, body ->> 'text' as text, price from messages
    where account_id = ${accountId} and direction = 'out' and status <> 'cancelled'`;
  expect(left).toHaveLength(ROWS);
  const texts = new Map(left.map(({ peer, text }) => [peer, text]));
  for (let n = 0; n < ROWS; n++) expect(texts.get(peerAt(n))).toBe(`Halo Pelanggan ${n}`);
  // Each phone has the message once; if the network was called twice without an answer, the message says so.
  const doubles = await sql`
    select m.peer from sim_lines l join messages m
      on m.account_id = ${accountId} and m.peer = l.phone and m.status <> 'cancelled'
    where l.direction = 'in' group by m.peer, m.possible_duplicate
    having count(*) > 1 and not m.possible_duplicate`;
  expect(doubles).toEqual([]);
  const spent = left.reduce((sum, { price }) => sum + price, 0);
  expect(cost).toBe(spent);
  const [wallet] = await sql`select available, held from wallets where account_id = ${accountId}`;
  expect(wallet).toEqual({ available: SALDO - spent, held: 0 });
});

const LIST_ROWS = 3_000;

test('leaves no draft when killed while creating one, and creates it once for the same key', async ({
  start,
  db,
}) => {
  const { owner, allAccountsSql: sql } = db;
  const { accountId, tokenId, token } = await signedIn(db);
  const env = { ROLE: 'web', LOG_LEVEL: 'silent' };
  const first = start(env);
  const at = { address: await addressOf(first), token };
  const upload = await uploadList(at, LIST_ROWS);
  const draft = { key: newId(), name: 'Promo', token_id: publicId('token', tokenId), upload };
  const lock = await holdLock(owner, (tx) => tx`lock table campaign_recipients in share mode`);
  const lost = callAct(at, 'campaign_create', draft).catch(() => 'cut off');
  await lock.stalls('insert into campaign_recipients');
  first.child.kill('SIGKILL');
  expect(await lost).toBe('cut off');
  await lock.release();
  await waitFor(async () => {
    const open = await owner`
      select from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    expect(open).toEqual([]);
  });
  const stored = () => sql`select from campaign_recipients where account_id = ${accountId}`;
  expect(await sql`select from campaigns where account_id = ${accountId}`).toEqual([]);
  expect(await stored()).toEqual([]);

  const restarted = { address: await addressOf(start(env)), token };
  // After half a minute its call counts as never made.
  await sql`update idempotent_responses set created_at = created_at - interval '1 minute'`;
  const made = await callAct(restarted, 'campaign_create', draft);
  expect(made).toMatchObject({
    data: { status: 'draft', recipients: { total: LIST_ROWS } },
  });
  expect(await callAct(restarted, 'campaign_create', draft)).toEqual(made);
  expect(await sql`select from campaigns where account_id = ${accountId}`).toHaveLength(1);
  expect(await stored()).toHaveLength(LIST_ROWS);
});

type At = { address: string; token: string };

async function uploadList({ address, token }: At, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, n) => `${peerAt(n)},Pelanggan ${n}`);
  const file = { name: 'pelanggan.csv', bytes: `nomor,nama\n${lines.join('\n')}` };
  const { body, type } = formWith(file, { purpose: 'recipients' });
  const answer = await fetch(`${address}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: new Uint8Array(body),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

async function callAct({ address, token }: At, act: string, fields: Record<string, unknown>) {
  const answer = await fetch(`${address}/api`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie: `kabari-device=${browserOf(token)}`,
    },
    body: new URLSearchParams(toPairs({ act, token, fcm: '', ...fields })).toString(),
  });
  // oxlint-disable-next-line no-explicit-any -- answers of any shape.
  return (await answer.json()) as any;
}
