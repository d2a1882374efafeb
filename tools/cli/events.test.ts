import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { WebhookEvent, type Delivery } from '#contract/webhooks.ts';
import { halo } from '#tests/support/app/api-caller.ts';
import { kabari, program } from '#tests/support/cli.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { setWebhook, test as base } from '#tests/support/webhooks/webhook-caller.ts';

type Env = Record<string, string>;

function started(env: Env, ...given: string[]) {
  const child = spawn(process.execPath, [program, ...given], {
    env: { PATH: process.env['PATH'], ...env },
  });
  const state = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (more: string) => (state.out += more));
  child.stderr.setEncoding('utf8').on('data', (more: string) => (state.err += more));
  const closed = new Promise<number | null>((done) => child.on('close', done));
  return {
    out: () => state.out,
    err: () => state.err,
    stop: () => {
      child.kill('SIGINT');
      return closed;
    },
  };
}

const test = base.extend<{ env: Env }>({
  env: async ({ running, ani }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-cli-'));
    const address = await running.app.listen({ port: 0, host: '127.0.0.1' });
    await use({ HOME: folder, KABARI_KEY: ani.key, KABARI_URL: address });
    await rm(folder, { recursive: true, force: true });
  },
});

/** A number that reads messages, and answers them. */
const ANSWERS = '62800000009';

test('tail shows a message’s statuses live, and the answer to it', async ({ ani, env }) => {
  const following = started(env, 'tail', '--after', '0');
  const asJson = started(env, 'tail', '--after', '0', '--json');
  const { body: sent } = await ani.call('/v1/messages', {
    body: { ...halo, to: ANSWERS, ref: 'pesanan-17' },
  });
  await waitFor(() => {
    const lines = following.out().split('\n');
    const at = (type: string) => lines.findIndex((line) => line.includes(` ${type} ${ANSWERS} `));
    expect(lines[at('message.accepted')]).toContain(`${sent.id} pesanan-17`);
    expect(at('message.read')).toBeGreaterThan(at('message.accepted'));
    expect(lines[at('message.received')]).toMatch(/ message\.received \d+ \S+/);
    expect(asJson.out()).toContain('message.received');
    expect(asJson.out()).toContain('message.read');
  });
  const events = asJson.out().trim().split('\n');
  const read = events.map((line) => WebhookEvent().parse(JSON.parse(line)));
  expect(read.map(({ data: { seq } }) => seq)).toEqual(
    read.map(({ data: { seq } }) => seq).toSorted((a, b) => a - b),
  );
  expect(await Promise.all([following.stop(), asJson.stop()])).toEqual([130, 130]);
  expect([following.err(), asJson.err()]).toEqual(['', '']);
});

test('tail ahead of the newest event says what it waits for', async ({ env }) => {
  const following = started(env, 'tail', '--after', '4711');
  await waitFor(() => expect(following.err()).toMatch(/newest event is \d+: .*after 4711/));
  expect(await following.stop()).toBe(130);
  expect(following.out()).toBe('');
});

test('forward posts events as signed webhooks, in order, and resumes where it ended', async ({
  ani,
  env,
  target,
}) => {
  let refused = 0;
  // The second one is refused at first: it is sent again before any later one.
  target.answer(() => (target.posts.length === 2 && refused++ === 0 ? 500 : 204));
  const types = () => target.posts.map(({ event }) => event.type);
  const first = started(env, 'forward', target.url, '--after', '0');
  await ani.call('/v1/messages', { body: { ...halo, to: ANSWERS } });
  await waitFor(() => {
    expect(types()).toEqual(expect.arrayContaining(['message.read', 'message.received']));
    for (const type of ['read', 'received']) {
      expect(first.out()).toMatch(new RegExp(`^204 .* message\\.${type} `, 'm'));
    }
  });
  expect(await first.stop()).toBe(130);
  const before = target.posts.length;
  const { body: sent } = await ani.call('/v1/messages', { body: halo });
  const second = started(env, 'forward', target.url);
  await waitFor(() => {
    const later = target.posts.slice(before).map(({ body }) => JSON.parse(body));
    expect(later.map(({ type }) => type)).toContain('message.read');
    expect(later.some(({ data }) => data.id === sent.id)).toBe(true);
  });
  expect(await second.stop()).toBe(130);

  const secretOf = (out: string) => /^Secret: (whsec_\S+)$/m.exec(out)?.[1] ?? '';
  expect(secretOf(second.out())).toBe(secretOf(first.out()));
  const webhook = new Webhook(secretOf(first.out()));
  for (const { headers, body } of target.posts) {
    const verified = webhook.verify(body, headers as Record<string, string>);
    expect(WebhookEvent().parse(verified)).toEqual(JSON.parse(body));
  }
  const ids = target.posts.map(({ headers }) => headers['webhook-id']);
  expect(ids[2]).toBe(ids[1]);
  const taken = target.posts.toSpliced(1, 1).map(({ event }) => event.data.seq);
  const { body: feed } = await ani.call('/v1/events');
  const all: number[] = feed.data.map(({ data }: WebhookEvent) => data.seq);
  expect(taken).toEqual(all.slice(0, taken.length));
});

test('replay resends one delivery, abandoned ones, or all of a period', async ({
  db,
  ani,
  env,
  target,
}) => {
  const without = await kabari(env, 'replay', '--from', '2026-11-21T00:00:00Z');
  expect([without.code, without.err]).toEqual([1, expect.stringContaining('404 not_found')]);
  const from = new Date(Date.now() - 60_000).toISOString();
  await setWebhook(ani, { url: target.url, kinds: ['message.accepted', 'message.read'] });
  await ani.call('/v1/messages', { body: halo });
  const deliveries = async (): Promise<Delivery[]> => (await ani.call('/v1/deliveries')).body.data;
  const delivered = () =>
    waitFor(async () => {
      const states = (await deliveries()).map(({ state }) => state);
      expect(states).toEqual(['delivered', 'delivered']);
    });
  await delivered();
  const [read, accepted] = await deliveries();

  const one = await kabari(env, 'replay', read?.id ?? '');
  expect(one).toEqual({ code: 0, err: '', out: `${read?.id} ${read?.seq} message.read waiting\n` });
  await delivered();
  expect(await kabari(env, 'replay', '--from', from)).toMatchObject({
    code: 0,
    out: '0 deliveries are sent anew\n',
  });
  await db.allAccountsSql`
    update webhook_deliveries set state = 'parked' where position = ${accepted?.seq ?? 0}`;
  expect(await kabari(env, 'replay', '--from', from)).toMatchObject({
    code: 0,
    out: '1 delivery is sent anew\n',
  });
  await delivered();
  const all = await kabari(env, 'replay', '--from', from, '--all', '--json');
  expect([all.code, JSON.parse(all.out)]).toEqual([0, { replayed: 2, more: false }]);
  await waitFor(() => expect(target.posts).toHaveLength(6));
  expect(target.posts.map(({ headers }) => headers['webhook-id'])).toEqual(
    [accepted, read, read, accepted, accepted, read].map((delivery) => delivery?.id),
  );
  const unknown = await kabari(env, 'replay', 'whd_x');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('404 not_found')]);
});
