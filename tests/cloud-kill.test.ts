import { expect } from 'vitest';
import { storeNumber } from '#server/domains/channels/cloud/numbers.ts';
import { linkNumber } from '#server/domains/tokens/tokens.ts';
import { tokenSubscribers } from '#server/app/container.ts';
import { freePort } from '#server/infra/embedded-postgres/embedded.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { type Started, addressOf, test } from '#tests/support/app/started-app.ts';
import { cutDatabase } from '#tests/support/database/wire/cut.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type FakeMeta, startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import { changeTokens, customerWith, keyFor } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const PRICE = 150;
const SALDO = 100_000;
const MESSAGES = 120;
const PEERS = 12;
/** Every tenth try of a message is cut off. */
const RESETS = MESSAGES / 10;
const peer = (n: number): string => `62812000001${String(n % PEERS).padStart(2, '0')}`;

async function connected(db: TestDatabase, meta: FakeMeta) {
  const { allAccountsSql: sql } = db;
  const { accountId, tokenId } = await customerWith(sql, { saldo: SALDO, linked: false });
  const key = await keyFor(sql, { accountId, tokenId }, 'cloud');
  const secrets = await readSecrets(sql);
  await changeTokens(sql, { tokenId }, { channel: 'cloud' });
  const ref = { accountId, tokenId };
  await sql.begin(async (tx) => {
    await storeNumber(
      tx,
      { secrets },
      {
        ...ref,
        phoneNumberId: meta.numbers[0]!.id,
        wabaId: meta.wabaId,
        accessToken: meta.token,
        appSecret: meta.appSecret,
        name: undefined,
        quality: undefined,
      },
    );
    await linkNumber(tx, tokenSubscribers, {
      ...ref,
      channel: 'cloud',
      phone: meta.numbers[0]!.phone,
    });
  });
  const [row] = await sql<{ key: string }[]>`select callback_key as key from cloud_numbers`;
  return { ...ref, key, callbackPath: `/callbacks/cloud/${row!.key}` };
}

test('sends each message once or reports it, with right balances, under kills of app, worker and database', async ({
  start,
  db,
}) => {
  const meta = await startFakeMeta({ seed: 7, areWindowsOpen: true });
  try {
    const ani = await connected(db, meta);
    const env = { CLOUD_URL: `${meta.url}/v23.0`, CLOUD_TIMEOUT_MS: '8000', LOG_LEVEL: 'silent' };
    const startWorker = () => start({ ...env, ROLE: 'worker' });
    // Meta keeps calling the address that it knows.
    const PORT = String(await freePort());
    const address = `http://127.0.0.1:${PORT}`;
    const startWeb = async () => {
      const started = start({ ...env, ROLE: 'web', PORT });
      await addressOf(started);
      return started;
    };
    Object.assign(meta.control.webhooks, { retries: 12, retryMs: 50 });
    meta.control.setWebhook(`${address}${ani.callbackPath}`);
    let [web, worker, other] = [await startWeb(), startWorker(), startWorker()];
    for (let n = 0; n < PEERS; n++) meta.control.receiveFrom(peer(n), { type: 'text' });
    await meta.control.settled();
    const ids: string[] = [];
    const send = async (n: number) => {
      const answer = await fetch(`${address}/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ani.key}`,
          'content-type': 'application/json',
          'idempotency-key': `m-${n}`,
        },
        body: JSON.stringify({ to: peer(n), text: { body: `Pesan ${n}` } }),
      });
      const body = (await answer.json()) as { id: string; code?: string };
      if (answer.status !== 202) throw new Error(`${answer.status} ${body.code}`);
      ids[n] = body.id;
    };
    const kill = async (one: Started) => {
      one.child.kill('SIGKILL');
      await one.exit;
    };
    for (let n = 0; n < MESSAGES; n++) {
      // A process may have accepted a message and died before its answer: repeat with the same key.
      await waitFor(() => send(n).then(() => true));
      if (n % 10 === 4) meta.control.failNext({ kind: 'reset', isAccepted: n % 20 === 4 });
      if (n === 20 || n === 60) await kill(worker).then(() => (worker = startWorker()));
      if (n === 40) await kill(other).then(() => (other = startWorker()));
      if (n === 80) {
        await kill(web);
        web = await startWeb();
      }
      if (n === 30 || n === 100) await cutDatabase(db);
    }
    expect(new Set(ids).size).toBe(MESSAGES);
    const { allAccountsSql: sql } = db;
    const left = () => sql`
      select status, count(*) as n from messages
      where account_id = ${ani.accountId} and direction = 'out'
        and status <> 'read' and failure is distinct from 'no_answer' group by 1`;
    // An unanswered message waits twice the timeout for its receipt, and blocks messages to the same phone.
    await waitFor(async () => expect(await left()).toEqual([]), { patienceMs: 180_000 });
    // Failed: a connection was reset at its first try, and its process killed at the second.
    const failed = await sql<{ id: string }[]>`
      select public_id('msg_', message_id) as id from messages
      where account_id = ${ani.accountId} and status = 'failed'`;
    expect(failed.length).toBeLessThanOrEqual(RESETS);

    const sent = meta.control.sent().map(({ callbackData }) => callbackData);
    expect(sent.filter((id) => failed.some((one) => one.id === id))).toEqual([]);
    expect(new Set(sent).size).toBe(MESSAGES - failed.length);
    const twice = new Set(sent.filter((id, index) => sent.indexOf(id) !== index));
    const marked = await sql<{ id: string }[]>`
      select public_id('msg_', message_id) as id from messages
      where account_id = ${ani.accountId} and possible_duplicate`;
    const marks = new Set(marked.map(({ id }) => id));
    expect([...twice].filter((id) => !marks.has(id!))).toEqual([]);
    const [wallet] = await sql`
      select available, held from wallets where account_id = ${ani.accountId}`;
    expect(wallet).toEqual({ available: SALDO - (MESSAGES - failed.length) * PRICE, held: 0 });
  } finally {
    await meta.close();
  }
});
