import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import { fixedOutcomeOf, planFor } from './outcomes.ts';
import { picture } from './network.ts';

const lifelike = { speed: 1, seed: 'test' };
const planned = (to: string, attempt = 1, messageId = newId()) =>
  planFor({ messageId, to, attempt }, lifelike);

test('an ordinary number has the message after 0.3 to 2 s and has read it 1 to 6 s later', () => {
  for (let count = 0; count < 500; count++) {
    const plan = planned('6281234567890');
    if (plan.outcome !== 'accepted') throw new Error(plan.outcome);
    expect(plan.deliveredMs).toBeGreaterThanOrEqual(300);
    expect(plan.deliveredMs).toBeLessThanOrEqual(2_000);
    const readAfterMs = (plan.readMs ?? 0) - plan.deliveredMs;
    expect(readAfterMs).toBeGreaterThanOrEqual(999);
    expect(readAfterMs).toBeLessThanOrEqual(6_001);
    expect(plan.reply).toBeNull();
  }
});

test('the same seed gives the same message the same times, another seed different ones', () => {
  const messageId = newId();
  const message = { messageId, to: '6281234567890', attempt: 1 };
  expect(planFor(message, lifelike)).toEqual(planFor(message, { speed: 1, seed: 'test' }));
  expect(planFor(message, lifelike)).not.toEqual(planFor(message, { speed: 1, seed: 'other' }));
});

test('at speed 2 everything takes half as long, at speed 0 no time at all', () => {
  const message = { messageId: newId(), to: '62800000007', attempt: 1 };
  const slow = planFor(message, lifelike);
  const fast = planFor(message, { ...lifelike, speed: 2 });
  if (slow.outcome !== 'accepted' || fast.outcome !== 'accepted') throw new Error('not taken');
  expect(Math.abs(fast.deliveredMs - slow.deliveredMs / 2)).toBeLessThanOrEqual(1);
  expect(planFor(message, { ...lifelike, speed: 0 })).toEqual({
    outcome: 'accepted',
    deliveredMs: 0,
    readMs: 0,
    reply: { what: 'stop', afterMs: 0 },
  });
});

test('…001 reads, …002 does not', () => {
  expect(planned('62800000001')).toMatchObject({ outcome: 'accepted', readMs: expect.any(Number) });
  expect(planned('62800000002')).toMatchObject({ outcome: 'accepted', readMs: null });
});

test('…003 is not on WhatsApp', () => {
  expect(planned('62800000003')).toEqual({ outcome: 'failed', failure: 'not_on_whatsapp' });
});

test('…004 fails for a while, then takes the message', () => {
  const outcomes = [1, 2, 3, 4].map((attempt) => planned('62800000004', attempt).outcome);
  expect(outcomes).toEqual(['later', 'later', 'later', 'accepted']);
});

test('…005 is rate limited, longer each time, and fails in the end', () => {
  const plans = [1, 2, 3, 4, 5].map((attempt) => planned('62800000005', attempt));
  expect(plans).toEqual([
    { outcome: 'later', afterMs: 1_000, failure: 'rate_limited' },
    { outcome: 'later', afterMs: 2_000, failure: 'rate_limited' },
    { outcome: 'later', afterMs: 4_000, failure: 'rate_limited' },
    { outcome: 'later', afterMs: 8_000, failure: 'rate_limited' },
    { outcome: 'failed', failure: 'rate_limited' },
  ]);
});

test('…006 is silent, …007 answers STOP, …008 answers with a picture', () => {
  expect(planned('62800000006')).toEqual({ outcome: 'silent' });
  expect(planned('62800000007')).toMatchObject({ reply: { what: 'stop' } });
  expect(planned('62800000008')).toMatchObject({ reply: { what: 'picture' } });
});

test('each fixed outcome has a sentence, and ordinary numbers have none', () => {
  const numbers = Array.from(
    { length: 16 },
    (_, index) => `62800000${String(index + 1).padStart(3, '0')}`,
  );
  expect(numbers.map(fixedOutcomeOf)).not.toContain(null);
  expect(fixedOutcomeOf('62800000017')).toBeNull();
  expect(fixedOutcomeOf('6281234567890')).toBeNull();
});

test('the picture is a PNG that other programs can read', () => {
  const read = PNG.sync.read(picture());
  expect([read.width, read.height]).toEqual([240, 320]);
  expect([...read.data.subarray(0, 4)]).toEqual([0x2f, 0x6f, 0x5e, 255]);
  expect(picture().length).toBeLessThan(4_000);
});
