import { expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { changeTokens, customerWith } from '#tests/support/people/people.ts';
import {
  answersByCode,
  connectedNumbers,
  countClosings,
  countNumbers,
  countUnreadable,
  countAnswers,
  extendSpans,
  markConnected,
  markDisconnected,
  readConnection,
} from '#server/domains/channels/health.ts';

const start = new Date('2026-11-24T02:00:00Z');
const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

test('reports full uptime for a number that was just connected', async ({ sql, db }) => {
  const ref = await customerWith(sql);
  await markConnected(db.allAccountsSql, { ...ref, channel: 'cloud' }, start);
  await extendSpans(db.allAccountsSql, [ref], start);
  // 0.57 times ten million is a little less than 5,700,000.
  for (const seconds of [30, 0.57]) {
    const connection = await readConnection(db.allAccountsSql, ref, later(seconds));
    expect(connection).toMatchObject({ uptime: 10_000 });
  }
});

test('does not count time in which a number was not seen', async ({ sql, db }) => {
  const ref = await customerWith(sql);
  const number = { ...ref, channel: 'cloud' as const };
  await markConnected(db.allAccountsSql, number, start);
  await extendSpans(db.allAccountsSql, [ref], start);
  await extendSpans(db.allAccountsSql, [ref], later(60));
  expect(await readConnection(db.allAccountsSql, ref, later(600))).toMatchObject({ uptime: 1_000 });
  await markDisconnected(db.allAccountsSql, number, { reason: 'access', at: later(60) });
  const parted = await readConnection(db.allAccountsSql, ref, later(120));
  expect(parted).toMatchObject({ since: null, uptime: 5_000, parted: { reason: 'access' } });
});

test('shows operators the numbers of all accounts, disconnected ones first', async ({
  sql,
  db,
}) => {
  const all = db.allAccountsSql;
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  await changeTokens(all, {}, { channel: 'cloud' });
  for (const ref of [ani, budi]) await markConnected(all, { ...ref, channel: 'cloud' }, start);
  await markDisconnected(all, { ...budi, channel: 'cloud' }, { reason: 'access', at: later(9) });
  await changeTokens(all, budi, { status: 'disconnected' });
  const found = async (
    query: Pick<Parameters<typeof connectedNumbers>[1], 'state' | 'channel'>,
  ) => {
    const page = { offset: 0, limit: 10, now: later(10) };
    const { numbers, total } = await connectedNumbers(all, { ...page, ...query });
    return [numbers.map(({ tokenId }) => tokenId), total];
  };
  expect(await found({})).toEqual([[budi.tokenId, ani.tokenId], 2]);
  expect(await found({ state: 'connected' })).toEqual([[ani.tokenId], 1]);
  expect(await found({ state: 'parted', channel: 'cloud' })).toEqual([[budi.tokenId], 1]);
  expect(await found({ channel: 'web' })).toEqual([[], 0]);
  // Zero counts as well: an alert compares growth with the value before.
  const counted = await countNumbers(all, ['cloud', 'web'], later(10));
  expect(counted.map(({ labels, value }) => [labels.channel, labels.state, value])).toEqual([
    ['cloud', 'connected', 1],
    ['cloud', 'parted', 1],
    ['cloud', 'restricted', 0],
    ['cloud', 'paused', 0],
    ['web', 'connected', 0],
    ['web', 'parted', 0],
    ['web', 'restricted', 0],
    ['web', 'paused', 0],
  ]);
  expect(await found({ state: 'restricted' })).toEqual([[], 0]);
});

test('adds up network answers by code, with their meaning', async ({ sql, db }) => {
  const all = db.allAccountsSql;
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const answer = { channel: 'cloud', code: '131026' } as const;
  await countAnswers(
    all,
    [
      { ...ani, ...answer },
      { ...budi, ...answer },
    ],
    start,
  );
  await countAnswers(all, [{ ...ani, channel: 'cloud', code: 'unreachable' }], later(60));
  await countAnswers(all, [{ ...ani, ...answer }], later(-3 * 86_400));
  expect(await answersByCode(all, later(-86_400))).toEqual([
    {
      channel: 'cloud',
      code: '131026',
      count: 2,
      numbers: 2,
      last_at: start,
      does: 'fail',
      failure: 'not_on_whatsapp',
    },
    {
      channel: 'cloud',
      code: 'unreachable',
      count: 1,
      numbers: 1,
      last_at: later(60),
      does: null,
      failure: null,
    },
  ]);
});

test('counts waves of disconnections and unreadable messages by number', async ({ sql, db }) => {
  const all = db.allAccountsSql;
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const times = (count: number, owner: typeof ani, code: string) =>
    Array.from({ length: count }, () => ({ ...owner, channel: 'web' as const, code }));
  await countAnswers(
    all,
    [...times(3, ani, 'close_503'), ...times(1, budi, 'close_503'), ...times(1, budi, 'close_515')],
    start,
  );
  await countAnswers(all, times(1, ani, 'close_440'), later(-2 * 3_600));
  expect(await countClosings(all, later(60))).toEqual([
    { labels: { code: '503' }, value: 2 },
    { labels: { code: '515' }, value: 1 },
  ]);

  await countAnswers(
    all,
    [...times(94, ani, 'received'), ...times(6, ani, 'undecryptable')],
    start,
  );
  await countAnswers(
    all,
    [...times(200, budi, 'received'), ...times(6, budi, 'undecryptable')],
    start,
  );
  expect(await countUnreadable(all, later(60))).toEqual([{ value: 1 }]);
  expect((await answersByCode(all, later(-86_400))).map(({ code }) => code)).not.toContain(
    'received',
  );
});
