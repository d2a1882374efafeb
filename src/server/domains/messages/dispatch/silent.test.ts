import { describe, expect } from 'vitest';
import type { Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import {
  type FakeNetwork,
  claimDue,
  lanesOver,
  network,
  phones,
  acceptTexts,
  hangingAnswer,
} from '#tests/support/app/fake-channel.ts';
import {
  type Customer,
  changeTokens,
  customerWith,
  orderOf,
} from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { reader } from '#tests/support/reader.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { messageDetail, messageForApi } from '#server/domains/messages/history/detail.ts';
import { applyReceipts } from './settle.ts';
import { changeLanes } from '#tests/support/app/lanes.ts';

/** Longer than any test: no try here ends on its own. */
const NEVER_MS = 120_000;
const living = '628990000001';

/** A network that never answers some numbers, and the others at once or after a delay. */
function partlySilent(
  silent: readonly string[],
  answer: (message: Outgoing) => SendResult | Promise<SendResult> = () => ({ outcome: 'sent' }),
): FakeNetwork & { letGo: () => void } {
  const numbers = new Set(silent);
  const { forever, letGo } = hangingAnswer();
  const fake = network((message) => (numbers.has(message.to) ? forever : answer(message)), {
    timeoutMs: NEVER_MS,
  });
  return { ...fake, letGo };
}

/** Times at which lanes polled for work. */
function countingLooks(sql: Sql): { counting: Sql; looks: number[] } {
  const looks: number[] = [];
  const counting = new Proxy(sql, {
    apply: (target, self, given: Parameters<Sql>) => {
      if (String(given[0]).includes('claim_messages')) looks.push(performance.now());
      return Reflect.apply(target, self, given) as unknown;
    },
  });
  return { counting, looks };
}

const isSent = (sql: Sql, peer: string) =>
  waitFor(async () =>
    expect(await sql`select distinct status from messages where peer = ${peer}`).toEqual([
      { status: 'sent' },
    ]),
  );

describe('numbers that never answer', () => {
  test('do not hold other messages: one accepted while they are awaited leaves at once', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const silent = phones(3);
    await acceptTexts(sql, ani, { prices: silent.map(() => 150), peers: silent });
    const { seen, channels, letGo } = partlySilent(silent);
    const lanes = lanesOver(sql, channels);
    await waitFor(() => expect(seen).toHaveLength(3));

    await acceptTexts(sql, ani, { peers: [living] });
    lanes.wake();
    await isSent(sql, living);
    expect(await sql`select distinct state from dispatch`).toEqual([{ state: 'sending' }]);
    expect(await sql`select epoch::int from lanes`).toEqual([{ epoch: 1 }]);
    letGo();
    await lanes.close();
  });

  test('do not fill the lane, however many there are', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 100_000 });
    const silent = phones(200);
    await acceptTexts(sql, ani, { prices: silent.map(() => 150), peers: silent });
    await acceptTexts(sql, ani, { peers: [living] });
    const { seen, channels, letGo } = partlySilent(silent);
    const lanes = lanesOver(sql, channels);
    await isSent(sql, living);
    expect(seen.map(({ to }) => to)).toEqual([...silent, living]);
    letGo();
    await lanes.close();
  });

  test('let a message that was refused for now leave again when it is due', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const silent = phones(2);
    await acceptTexts(sql, ani, { prices: [150, 150, 150], peers: [...silent, living] });
    const { seen, channels, letGo } = partlySilent(silent, ({ attempt }) =>
      attempt === 1
        ? { outcome: 'later', afterMs: 300, failure: 'rate_limited' }
        : { outcome: 'sent' },
    );
    const lanes = lanesOver(sql, channels);
    await isSent(sql, living);
    expect(seen.filter(({ to }) => to === living)).toHaveLength(2);
    letGo();
    await lanes.close();
  });

  test('are awaited without polling for work all the time', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const [silent = ''] = phones(1);
    await acceptTexts(sql, ani, { prices: [150, 150, 150], peers: [silent, silent, silent] });
    const { counting, looks } = countingLooks(sql);
    const { seen, channels, letGo } = partlySilent([silent]);
    const lanes = lanesOver(counting, channels);
    // It polls for the work, for more, and once without an early answer; then it waits.
    await waitFor(() => expect(looks.length).toBeGreaterThan(4));
    expect(seen).toHaveLength(1);
    const gaps = looks.slice(3).map((at, n) => at - (looks[n + 2] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(1_500);
    letGo();
    await lanes.close();
  });

  test('of a hundred tokens cost next to nothing, and new messages leave at once, also without a hint', async ({
    sql,
  }) => {
    const silent = phones(100);
    const people: Customer[] = [];
    for (const peer of silent) {
      const ani = await customerWith(sql, { saldo: 1000 });
      people.push(ani);
      await acceptTexts(sql, ani, { peers: [peer] });
    }
    const { counting, looks } = countingLooks(sql);
    const { seen, channels, letGo } = partlySilent(silent);
    const lanes = lanesOver(counting, channels);
    await waitFor(() => expect(seen).toHaveLength(100));
    const second = () => looks.filter((at) => at > performance.now() - 1_000);
    await waitFor(() => expect(second()).toEqual([]));

    const [ani, budi] = people;
    if (!ani || !budi) throw new Error('nobody');
    const [later = ''] = phones(1, 9_000);
    const readyAt = new Date(Date.now() + 1_200);
    const order = orderOf(budi, { peers: [later] });
    const items = order.items.map((item) => ({ ...item, readyAt }));
    await openIntake(sql, () => undefined).accept({ ...order, items });
    await acceptTexts(sql, ani, { peers: [living] });
    const before = looks.length;
    const began = performance.now();
    await waitFor(() => expect(seen.map(({ to }) => to).slice(100)).toEqual([living, later]));
    // Their two lanes were woken, or had the due time: the others have hardly polled meanwhile.
    const turns = Math.max(1, (performance.now() - began) / 1_500);
    expect((looks.length - before) / turns).toBeLessThan(100);
    letGo();
    await lanes.close();
  });

  test('hold only later messages to themselves, until a receipt reports the outcome of the first', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const [silent = ''] = phones(1);
    const { results } = await acceptTexts(sql, ani, {
      prices: [150, 150],
      peers: [silent, silent],
    });
    const { forever, letGo } = hangingAnswer();
    const { seen, channels } = network(
      ({ attempt, messageId }) =>
        messageId === results[0]?.id && attempt === 1 ? forever : { outcome: 'sent' },
      { timeoutMs: NEVER_MS },
    );
    const lanes = lanesOver(sql, channels);
    await waitFor(() => expect(seen).toHaveLength(1));
    const receipt = { accountId: ani.accountId, messageId: results[0]?.id ?? '' };
    await applyReceipts(sql, [{ ...receipt, status: 'delivered', at: new Date() }]);
    lanes.wake();
    await waitFor(() => expect(seen).toHaveLength(2));
    expect(seen[1]?.messageId).toBe(results[1]?.id);
    letGo();
    await lanes.close();
  });

  test('leave a lane due when work comes while it is released', async ({ sql }) => {
    const { accountId, tokenId, ...ani } = await customerWith(sql, { saldo: 10_000 });
    const order = { accountId, tokenId, ...ani };
    const [silent = ''] = phones(1);
    await acceptTexts(sql, order, { prices: [150], peers: [silent] });
    const [lane] = await sql<{ epoch: number; wakes: number }[]>`
      ${changeLanes(sql, {}, { epoch: 1, owner: tokenId })} returning epoch, wakes`;
    await claimDue(sql, order, { epoch: 1 });
    await sql`select postpone_dispatch(${accountId}, ${tokenId}, 1,
      array(select message_id from dispatch), array['unknown'], array[60000], array['no_answer'])`;
    await acceptTexts(sql, order, { peers: [silent] });
    const close = async (wakes: number) => {
      await sql`select close_lane(${accountId}, ${tokenId}, 1, 250, true, ${wakes})`;
      const [due] = await sql<{ in_s: number }[]>`
        select extract(epoch from ready_at - clock_timestamp())::float8 as in_s from lanes`;
      return due?.in_s ?? Infinity;
    };
    expect(await close(lane?.wakes ?? 0)).toBeLessThanOrEqual(0);
    expect(await close((lane?.wakes ?? 0) + 1)).toBeGreaterThan(3);
  });

  test('of forty tokens leave room for the forty-first', async ({ sql }) => {
    const silent = phones(40);
    for (const peer of silent) {
      await acceptTexts(sql, await customerWith(sql, { saldo: 1000 }), { peers: [peer] });
    }
    const { seen, channels, letGo } = partlySilent(silent);
    const lanes = lanesOver(sql, channels);
    await waitFor(() => expect(seen).toHaveLength(40));
    await acceptTexts(sql, await customerWith(sql, { saldo: 1000 }), { peers: [living] });
    lanes.wake();
    await isSent(sql, living);
    letGo();
    await lanes.close();
  });
});

test('a token that is unlinked while its lane runs sends nothing more', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const silent = phones(1);
  await acceptTexts(sql, ani, { peers: silent });
  const { seen, channels, letGo } = partlySilent(silent);
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(1));
  await changeTokens(sql, {}, { status: 'unlinked', phone: null });
  await acceptTexts(sql, { ...ani }, { peers: [living] }).catch(() => undefined);
  await changeTokens(sql, {}, { status: 'disconnected' });
  await acceptTexts(sql, ani, { peers: [living] });
  // By the time two later lanes have sent, this one would have, too.
  for (const peer of phones(2, 9_000)) {
    await acceptTexts(sql, await customerWith(sql, { saldo: 1000 }), { peers: [peer] });
    lanes.wake();
    await isSent(sql, peer);
  }
  expect(seen.map(({ to }) => to)).toEqual([...silent, ...phones(2, 9_000)]);
  letGo();
  await lanes.close();
});

describe('a message with priority otp', () => {
  test('is the next to leave at a lane’s pace, ahead of all waiting messages', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 100_000 });
    const silent = phones(70);
    const others = phones(200, 5_000);
    const peers = others.flatMap((peer, n) => [...silent.slice(n, n + 1), peer]);
    await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers, priority: 2 });
    await acceptTexts(sql, ani, { prices: [150], peers: phones(1, 9_000) });
    const left: number[] = [];
    const { seen, channels, letGo } = partlySilent(silent, () => ({ outcome: 'sent' }));
    const watched = channels.get('simulator');
    if (!watched) throw new Error('no channel');
    const lanes = lanesOver(
      sql,
      new Map([
        [
          'simulator' as const,
          {
            ...watched,
            send: (...given: Parameters<typeof watched.send>) => {
              left.push(performance.now());
              return watched.send(...given);
            },
          },
        ],
      ]),
      20,
    );
    await waitFor(() => expect(seen.length).toBeGreaterThan(20));
    await acceptTexts(sql, ani, { peers: [living], priority: 0 });
    const before = seen.length;
    await waitFor(() => expect(seen.map(({ to }) => to)).toContain(living));
    expect(seen.findIndex(({ to }) => to === living) - before).toBeLessThanOrEqual(1);
    // Single gaps are shorter after a late one.
    const [first = 0, last = 0] = [left[0], left.at(-1)];
    expect((last - first) / (left.length - 1)).toBeGreaterThan(47);
    letGo();
    await lanes.close();
  });

  test('leaves at once while the lane is full of silent numbers and slow answers', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 500_000, dailyLimit: 10_000 });
    const silent = phones(100);
    const slow = phones(600, 5_000);
    const peers = [...silent, ...slow];
    await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers, priority: 2 });
    const answered: string[] = [];
    const slowAnswers = Promise.withResolvers<void>();
    const { seen, channels, letGo } = partlySilent(silent, async ({ to }) => {
      if (to !== living) await slowAnswers.promise;
      answered.push(to);
      return { outcome: 'sent' };
    });
    const lanes = lanesOver(sql, channels);
    await waitFor(() => expect(seen.length).toBeGreaterThan(100));
    await acceptTexts(sql, ani, { peers: [living], priority: 0 });
    lanes.wake();
    await isSent(sql, living);
    expect(answered).toEqual([living]);
    slowAnswers.resolve();
    letGo();
    await lanes.close();
  });

  test('overtakes waiting and unsure messages for the same number', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const [peer = ''] = phones(1);
    await acceptTexts(sql, ani, { prices: [150, 150], peers: [peer, peer] });
    const code = 'Kode Anda 123456';
    const { forever, letGo } = hangingAnswer();
    const { seen, channels } = network(
      ({ body }) => (body['text'] === code ? { outcome: 'sent' } : forever),
      { timeoutMs: NEVER_MS },
    );
    const lanes = lanesOver(sql, channels);
    await waitFor(() => expect(seen).toHaveLength(1));
    await acceptTexts(sql, ani, { peers: [peer], priority: 0, text: code });
    lanes.wake();
    await waitFor(() => expect(seen).toHaveLength(2));
    expect(seen[1]?.body).toEqual({ text: code });
    letGo();
    await lanes.close();
  });
});

test('a message that waits for the network’s answer shows this, and so do those behind it', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const [silent = ''] = phones(1);
  const { results } = await acceptTexts(sql, ani, { prices: [150, 150], peers: [silent, silent] });
  const { forever, letGo } = hangingAnswer();
  const { seen, channels } = network(() => forever, { timeoutMs: NEVER_MS });
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).toHaveLength(1));
  const [own = '', behind = ''] = results.map(({ id }) => id);
  const lastOf = async (messageId: string) => {
    const { accountId } = ani;
    const detail = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
    const shown = await messageForApi(db.tenantSql, { accountId, messageId }, reader);
    expect(shown.timeline).toEqual(detail.timeline);
    return detail.timeline.at(-1);
  };
  const waits = (detail: string) => ({ kind: 'waiting', at: expect.any(Date) as Date, detail });
  const unanswered = waits('Jaringan belum menjawab pengiriman ini.');
  await waitFor(async () => expect(await lastOf(own)).toEqual(unanswered));
  expect(await lastOf(behind)).toEqual(
    waits('Pesan sebelumnya ke nomor ini belum dijawab jaringan. Pesan ini dikirim sesudahnya.'),
  );
  letGo();
  await lanes.close();
  // The try has ended without an answer, and its receipt is awaited.
  expect(await lastOf(own)).toEqual(unanswered);
  expect((await lastOf(behind))?.kind).toBe('waiting');
});
