import fc from 'fast-check';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { WebhookEvent, type EventType, eventTypes } from '#contract/webhooks.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type Caller, callerAt, callerOf, halo, inEnglish } from './support/app/api-caller.ts';
import type { RunningApp } from './support/app/running-app.ts';
import type { TestDatabase } from './support/database/database.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { waitFor } from './support/wait-for.ts';
import { test as withDomain } from './support/webhooks/webhook-app.ts';
import { test as atWork } from './support/webhooks/webhook-caller.ts';
import { keyFor, makeToken } from '#tests/support/people/people.ts';

type Page = { data: WebhookEvent[]; next: number; has_more: boolean };

async function pageOf(caller: Pick<Caller, 'call'>, query: string): Promise<Page> {
  const { status, body } = await caller.call(`/v1/events?${query}`);
  expect(status).toBe(200);
  return { ...body, data: body.data.map((one: unknown) => WebhookEvent().parse(one)) };
}

async function readFrom(caller: Pick<Caller, 'call'>, after: number, limit = 100) {
  const events: WebhookEvent[] = [];
  for (let next = after; ;) {
    const page = await pageOf(caller, `after=${next}&limit=${limit}`);
    events.push(...page.data);
    next = page.next;
    if (!page.has_more) return { events, next };
  }
}

async function secondToken(running: RunningApp, db: TestDatabase, { accountId }: Caller) {
  const tokenId = await makeToken(db.allAccountsSql, accountId, { status: 'unlinked' });
  const key = await keyFor(db.allAccountsSql, { accountId, tokenId });
  const call = callerAt(running);
  const headers = { authorization: `Bearer ${key}` };
  return {
    tokenId,
    call: ((path, options = {}) =>
      call(path, { ...options, headers: { ...headers, ...options.headers } })) as Caller['call'],
  };
}

const seqsOf = (events: readonly WebhookEvent[]) => events.map(({ data }) => data.seq);

atWork('puts a message’s events into the feed in order and by the contract', async ({ ani }) => {
  const { next: start } = await pageOf(ani, 'after=latest');
  const { body: sent } = await ani.call('/v1/messages', {
    body: { ...halo, to: '62800000009', ref: 'a-1' },
  });
  const events = await waitFor(async () => {
    const read = await readFrom(ani, start, 2);
    const types = read.events.map(({ type }) => type);
    expect(types).toContain('message.read');
    expect(types).toContain('message.received');
    return read.events;
  });
  const own = events.flatMap(({ type, data }) =>
    'id' in data && data.id === sent.id ? [type] : [],
  );
  const way = ['message.accepted', 'message.sent', 'message.delivered', 'message.read'];
  // Of concurrent statuses only the last is reported.
  expect(own).toEqual(way.filter((type) => own.some((one) => one === type)));
  expect([own[0], own.at(-1)]).toEqual(['message.accepted', 'message.read']);
  const answer = events.find(({ type }) => type === 'message.received');
  expect(answer?.data).toMatchObject({
    account: publicId('account', ani.accountId),
    token: publicId('token', ani.tokenId),
    peer: '62800000009',
    reply_to: sent.id,
    content: { text: expect.stringMatching(/./) },
  });
  expect(seqsOf(events)).toEqual(seqsOf(events).toSorted((a, b) => a - b));
  const types = 'message.accepted,message.received';
  const some = await pageOf(ani, `after=${start}&types=${types}`);
  expect(some.data.map(({ type }) => type)).toEqual(types.split(','));
  const latest = await pageOf(ani, 'after=latest');
  expect(latest).toEqual({ data: [], next: expect.any(Number), has_more: false });
  expect(latest.next).toBeGreaterThanOrEqual(seqsOf(events).at(-1) ?? 0);
});

atWork(
  'shows each event to its own readers exactly once while many write',
  async ({ running, db, ani }) => {
    const WRITERS = 6;
    const EACH = 30;
    const other = await secondToken(running, db, ani);
    const stranger = await callerOf(running, db);
    const tokens = [ani.tokenId, other.tokenId];
    /** Committed events by token; '' for the whole account. */
    const written = new Map<string, string[]>(['', ...tokens].map((id) => [id, []]));
    const dice = fc.sample(fc.nat({ max: 2 }), WRITERS * EACH);
    let isWriting = true;

    const write = async (writer: number) => {
      for (let n = 0; n < EACH; n++) {
        const id = ['', ...tokens][dice[writer * EACH + n] ?? 0] ?? '';
        const peers = [0, 1].map((half) => `6281${writer}${String(2 * n + half).padStart(7, '0')}`);
        // Two in one transaction that stays open for a while: positions follow the order of commits.
        await db.allAccountsSql.begin(async (tx) => {
          for (const peer of peers) {
            const data = { peer, source: 'reply', ...(id && { token_id: publicId('token', id) }) };
            await tx`
            insert into outbox (account_id, outbox_id, kind, data)
            values (${ani.accountId}, ${newId()}, 'optout.added', ${json(data)})`;
            await tx`select pg_sleep(${((writer * 7 + n) % 5) / 500})`;
          }
        });
        written.get(id)?.push(...peers);
      }
    };

    const follow = async (caller: Pick<Caller, 'call'>, limit: number) => {
      const seen: WebhookEvent[] = [];
      for (let next = 0; ;) {
        const wasWriting = isWriting;
        const page = await pageOf(caller, `after=${next}&limit=${limit}`);
        expect(page.next).toBeGreaterThanOrEqual(next);
        seen.push(...page.data);
        ({ next } = page);
        if (!wasWriting && page.data.length === 0 && !page.has_more) return seen;
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).then(
      async () => {
        await waitFor(async () => {
          const [row] = await db.allAccountsSql<{ waiting: number }[]>`
          select count(*) as waiting from outbox where account_id = ${ani.accountId}`;
          expect(row?.waiting).toBe(0);
        });
        isWriting = false;
      },
    );
    const [mine, mineSlowly, others, strangers] = await Promise.all([
      follow(ani, 100),
      follow(ani, 3),
      follow(other, 7),
      follow(stranger, 100),
      writing,
    ]);

    const peersOf = (events: readonly WebhookEvent[]) =>
      events.flatMap(({ data }) => ('peer' in data ? [data.peer] : [])).toSorted();
    const expected = (...ids: string[]) => ids.flatMap((id) => written.get(id) ?? []).toSorted();
    expect(peersOf(mine)).toEqual(expected('', ani.tokenId));
    expect(mineSlowly).toEqual(mine);
    expect(peersOf(others)).toEqual(expected('', other.tokenId));
    expect(strangers).toEqual([]);
    for (const seen of [mine, others]) {
      expect(seqsOf(seen)).toEqual(seqsOf(seen).toSorted((a, b) => a - b));
      expect(new Set(seqsOf(seen)).size).toBe(seen.length);
    }
  },
);

const kinds = ['optout.added', 'token.changed', 'token.connected', 'saldo.changed'] as const;
const happened = fc.record({ kind: fc.constantFrom(...kinds), isOwn: fc.boolean() });

withDomain('shows the same events in pages of any size from any position', async ({ hooks }) => {
  const other = await hooks.customer();
  await fc.assert(
    fc.asyncProperty(
      fc.array(happened, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.option(fc.uniqueArray(fc.constantFrom(...eventTypes), { minLength: 1 }), {
        nil: undefined,
      }),
      async (some, limit, types) => {
        const ani = await hooks.customer();
        await hooks.happen(
          ani,
          some.map(({ kind, isOwn }) => {
            const token = publicId('token', isOwn ? ani.tokenId : other.tokenId);
            const data = {
              token_id: token,
              peer: '6281200000001',
              source: 'api',
              name: 'x',
              phone: null,
            };
            return { kind, data };
          }),
        );
        const expected = some
          .filter(
            ({ kind, isOwn }) => isOwn && kind !== 'token.changed' && kind !== 'saldo.changed',
          )
          .map(({ kind }) => kind as EventType)
          .filter((type) => types === undefined || types.includes(type));
        const seen: WebhookEvent[] = [];
        for (let after = 0; ;) {
          const page = await hooks.calls.readFeed(ani, { after, limit, types });
          expect(page.events.length).toBeLessThanOrEqual(limit);
          seen.push(...page.events);
          after = page.next;
          if (!page.hasMore) break;
        }
        expect(seen.map(({ type }) => type)).toEqual(expected);
        for (const at of seen.keys()) {
          const after = seen[at]?.data.seq ?? 0;
          const rest = await hooks.calls.readFeed(ani, { after, limit: 100, types });
          expect(rest.events).toEqual(seen.slice(at + 1));
        }
      },
    ),
    { numRuns: 25 },
  );
});

atWork('refuses hostile positions, limits and types with a sentence', async ({ running, ani }) => {
  const wrong = [...unstorables, ...oddities].map((text) =>
    encodeURIComponent(text.toWellFormed()),
  );
  const positions = ['-1', '1.5', '1e3', '0x10', '9007199254740992', '99999999999999999999', ' 1'];
  for (const text of [...wrong, ...positions.map(encodeURIComponent), '%FF']) {
    for (const name of ['after', 'limit', 'types', 'cursor']) {
      const { status, body } = await ani.call(`/v1/events?${name}=${text.slice(0, 5_000)}`, {
        headers: inEnglish,
      });
      if (name === 'after' && /^[0-9]{1,15}$/.test(text)) continue;
      expect([name, text.slice(0, 50), status]).toEqual([
        name,
        text.slice(0, 50),
        expect.toSatisfy((one: number) => one === 422 || one === 400 || one === 414),
      ]);
      expect(body.code).toMatch(/^(input_invalid|request_malformed)$/);
    }
  }
  expect((await ani.call('/v1/events?after=1&after=2')).status).toBe(422);
  const far = await pageOf(ani, 'after=9007199254740991');
  expect(far).toEqual({ data: [], next: 9_007_199_254_740_991, has_more: false });
  expect((await ani.call('/v1/events?after=x', { headers: inEnglish })).body.fields.after).toBe(
    'Expected the `next` of the answer before, the `seq` of an event, 0, or "latest".',
  );
  expect(running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});
