import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { addressOf, test as base } from '#tests/support/app/started-app.ts';
import { type TestDatabase, makeDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { type Person, registerPerson } from './person.ts';
import { unpackVersions } from './two-versions.ts';

const test = base.extend<{ db: TestDatabase }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  db: async ({}, use) => {
    const { db, drop } = await makeDatabase('template0');
    await use(db);
    await drop();
  },
});

/** A token linked to a simulated phone, and its API key; each step at the next node. */
async function linkedToken({ at }: Person, [one, other]: Nodes) {
  const { key, token } = (
    await at(one).ask('token_create', { name: 'Kasir', channel: 'simulator' })
  ).body.data;
  const link = (await at(other).ask('token_link', { token_id: token.id })).body.data;
  const data = String(link.path).split('/').at(-1);
  const { nonce } = (await at(one).ask('scan_consent', { data })).body.data;
  const { qr } = (await at(other).ask('scan_get', { data, nonce, key: undefined })).body.data;
  await at(one).ask('simulator_scan', { phone: '6285700000001', text: qr.text });
  return { key: String(key), tokenId: String(token.id) };
}

type Nodes = readonly [string, string];

async function call(
  node: string,
  key: string,
  path: string,
  body?: object,
): Promise<{ id: string; status: string }> {
  const response = await fetch(`${node}/v1${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { id: string; status: string };
  if (!response.ok) throw new Error(`${path} at ${node}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Sends at each node, and waits until each node reports both messages as read. */
async function sentAndRead(nodes: Nodes, key: string): Promise<string[]> {
  const send = (node: string) =>
    call(node, key, '/messages', { to: '62800000001', text: { body: 'Halo' } });
  const ids = (await Promise.all(nodes.map(send))).map(({ id }) => id);
  for (const node of nodes) {
    for (const id of ids) {
      await waitFor(async () =>
        expect(await call(node, key, `/messages/${id}`)).toMatchObject({ status: 'read' }),
      );
    }
  }
  return ids;
}

const functions = ({ owner }: TestDatabase) => owner`
  select file, sha256 from schema_functions order by file`;

test('serves one database with two adjacent versions after the newer one migrated it', async ({
  db,
  start,
  skip,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-version-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const versions = await unpackVersions(folder);
  if ('missing' in versions) return skip(versions.missing);
  const target = await startTarget();
  onTestFinished(target.close);
  const env = { SIMULATOR_SPEED: '20', WEBHOOK_ORIGINS: target.origin };
  const startOlder = () => start(env, { main: versions.older });

  const before = startOlder();
  const older = await addressOf(before);
  const former = await functions(db);
  const newer = await addressOf(start(env, { main: versions.newer }));
  const nodes = [older, newer] as const;
  const made = await functions(db);
  expect(made).not.toEqual(former);

  const ani = await registerPerson(older, newer);
  for (const node of nodes) await ani.signIn(node);
  const { key, tokenId } = await linkedToken(ani, nodes);
  for (const [to, from] of [nodes, nodes.toReversed()] as [string, string][]) {
    const topup = (await ani.at(to).ask('topup_create', { amount: 50_000 })).body.data;
    await ani.at(from).ask('simulator_transfer', { amount: topup.total, sender: 'Ani' });
    for (const node of nodes) {
      const seen = await ani.at(node).ask('topup_get', { topup_id: topup.id });
      expect(seen.body.data).toMatchObject({ status: 'paid' });
    }
  }
  for (const node of nodes) {
    await ani.at(node).ask('webhook_save', { token_id: tokenId, url: target.url });
  }
  const ids = await sentAndRead(nodes, key);
  for (const node of nodes) {
    const history = JSON.stringify((await ani.at(node).ask('message_list', { page: 0 })).body);
    for (const id of ids) expect(history).toContain(id);
  }
  await waitFor(() => {
    const bodies = target.posts.map(({ body }) => body).join('\n');
    for (const id of ids) expect(bodies.split(id).length).toBeGreaterThan(3);
  });

  // It restarts in the middle of the upgrade: it comes back or reports that it cannot, and undoes nothing.
  before.child.kill('SIGKILL');
  await before.exit;
  const restarted = startOlder();
  await Promise.race([addressOf(restarted), restarted.exit]);
  if (restarted.child.exitCode !== null)
    expect(restarted.err()).toContain('start the newer version');
  expect(await functions(db)).toEqual(made);
  await sentAndRead([newer, newer], key);
});
