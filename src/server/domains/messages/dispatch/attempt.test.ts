import { expect, test } from 'vitest';
import type { SendResult } from '#server/domains/channels/channels.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { type Dispatched, type AttemptContext, attempt } from './attempt.ts';

const claim = { accountId: 'a', tokenId: 't', epoch: 1 };

/** Result of one more try, after one that a dead worker may have made. */
const tryAgain = (answer: SendResult | Error, unsureMs: number | null) => {
  const send = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const channel = { preallocates: true, timeoutMs: 60_000, send };
  const message: Dispatched = {
    o_id: 'm',
    o_peer: '6281200000001',
    o_type: 'text',
    o_body: {},
    o_secret: null,
    o_attempt: 8,
    o_unknowns: 0,
    o_expired: false,
    o_unsure_ms: unsureMs,
  };
  const sql = async () => [];
  return attempt({ sql, channel, from: '62' } as unknown as AttemptContext, claim, message);
};

test.for<SendResult>([
  { outcome: 'failed', failure: 'blocked' },
  { outcome: 'later', afterMs: 10, failure: 'rate_limited' },
])('a possibly sent message waits for its receipt, also if a retry is %j', async (answer) => {
  expect(await tryAgain(answer, 5_000)).toMatchObject({
    kind: 'postponed',
    state: 'unknown',
    afterMs: 5_000,
  });
  const { failure } = answer as { failure: string };
  const over = { kind: 'settled', outcome: 'failed', failure };
  expect(await tryAgain(answer, 0)).toMatchObject(over);
  expect(await tryAgain(answer, null)).toMatchObject(over);
});

test('waits for an unreadable file, regardless of the number of tries', async () => {
  expect(await tryAgain(new StoreAway('no answer'), null)).toMatchObject({
    kind: 'postponed',
    state: 'ready',
    awaits: null,
  });
});
