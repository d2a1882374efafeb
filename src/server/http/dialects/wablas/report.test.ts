import { expect, test } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ApiMessage } from '#contract/rest/messages.ts';
import type { DialectCall, DialectDeps } from '#server/http/dialects/dialect.ts';
import { newId } from '#server/infra/ids.ts';
import { dialectId, reportOf, reportToday } from './wablas.ts';

const START_MS = Date.UTC(2026, 10, 20);

/** Messages, newest first, one a second; every tenth failed, the rest were read. */
function shop(count: number) {
  const messages = Array.from({ length: count }, (_, n) => {
    const at = new Date(START_MS + n * 1_000);
    return {
      id: publicId('message', newId(at.getTime())),
      direction: 'out',
      peer: '6281218000001',
      type: 'text',
      status: n % 10 === 0 ? 'failed' : 'read',
      content: { body: `pesan ${n}` },
      created_at: at,
    } as unknown as ApiMessage;
  }).toReversed();
  const asked = { lists: 0, ones: 0 };
  const deps = {
    now: () => new Date(START_MS),
    device: async () => ({ id: 'tok_x', phone: '6281234567890' }),
    messages: {
      list: async (_sender, { cursor, limit = 50, statuses }) => {
        asked.lists += 1;
        const below = messages.filter(
          ({ id, status }) =>
            (cursor === undefined || id < cursor) && (!statuses || statuses.includes(status)),
        );
        const page = below.slice(0, limit);
        return { messages: page, next: below.length > limit ? (page.at(-1)?.id ?? null) : null };
      },
      one: async (_sender, id) => {
        asked.ones += 1;
        const found = messages.find((one) => one.id === id);
        if (!found) throw new Refusal('not_found', { what: 'Pesan' });
        return found;
      },
    } satisfies Partial<DialectDeps['messages']>,
  } as unknown as DialectDeps;
  const call = (given: Record<string, string>) =>
    ({
      sender: {},
      given: new Map(Object.entries(given)),
      request: { headers: {} },
    }) as unknown as DialectCall;
  type Report = { totalData: number; totalPage: number; message: { id: string; text: string }[] };
  return {
    oldest: messages.at(-1),
    asked,
    report: async (given: Record<string, string>) =>
      (await reportOf(deps, call(given))) as unknown as Report,
    today: async (given: Record<string, string>) =>
      (await reportToday(deps, call(given))) as unknown as Report,
  };
}

test('a message is found by its id, however old it is', async () => {
  const { report, today, oldest, asked } = shop(1_500);
  const id = dialectId(oldest?.id ?? '');
  const foreign = newId();
  expect(await report({ message_id: `${foreign},${id},${id}` })).toMatchObject({
    totalData: 1,
    message: [{ id, text: 'pesan 0' }],
  });
  expect((await today({ message_id: oldest?.id ?? '' })).totalData).toBe(1);
  expect((await report({ message_id: id, status: 'read' })).totalData).toBe(0);
  expect((await report({ message_id: id, date: '2026-11-19' })).totalData).toBe(0);
  expect(asked.lists).toBe(0);
});

test('reads no more than the requested page and whether another follows', async () => {
  const { report, asked } = shop(1_500);
  const first = await report({ perPage: '1' });
  expect([first.message.map(({ text }) => text), first.totalPage > 1]).toEqual([
    ['pesan 1499'],
    true,
  ]);
  expect(asked.lists).toBe(1);
  await report({ perPage: '50', page: '3' });
  expect(asked.lists).toBe(3);
  expect((await report({ perPage: '1000', page: '1' })).message).toHaveLength(1_000);
});

test('a status filter searches all messages, not only the newest', async () => {
  const { report, asked } = shop(10_500);
  const failed = await report({ status: 'reject', perPage: '1000', page: '1' });
  expect(failed.message).toHaveLength(1_000);
  expect(failed.message.at(-1)?.text).toBe('pesan 500');
  expect(asked.lists).toBe(10);
  expect((await report({ status: 'entah' })).totalData).toBe(0);
  expect((await report({ type: 'sulap' })).totalData).toBe(0);
  expect(asked.lists).toBe(10);
});
