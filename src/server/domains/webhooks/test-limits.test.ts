import { expect } from 'vitest';
import type { Refusal } from '#contract/base/refusals.ts';
import { WEBHOOK_LIMITS } from '#contract/webhooks.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';

const codeOf = (result: PromiseSettledResult<unknown>): string =>
  result.status === 'fulfilled' ? 'ok' : (result.reason as Refusal).code;

test('allows one test of a token at a time', async ({ hooks }) => {
  const ani = await hooks.customerWithWebhook();
  const before = hooks.target.tests.length;
  const held: (() => void)[] = [];
  hooks.target.answer((_post, response) => void held.push(() => response.end('ya')));
  const first = hooks.calls.test(ani);
  await waitFor(() => held.length === 1);
  const others = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => hooks.calls.test(ani)),
    ...Array.from({ length: 20 }, (_, n) =>
      hooks.calls.save(ani, { url: `${hooks.target.url}?n=${n}` }),
    ),
  ]);
  expect(new Set(others.map(codeOf))).toEqual(new Set(['too_many_requests']));
  expect(hooks.target.tests).toHaveLength(before + 1);
  held[0]?.();
  expect(await first).toMatchObject({ ok: true });
  hooks.target.answer(200);
  expect(await hooks.calls.test(ani)).toMatchObject({ ok: true });
});

test('limits the tests of an account over all calls, and does not limit another account', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const budi = await hooks.customerWithWebhook();
  const { testsPerMinute } = WEBHOOK_LIMITS;
  const codes: string[] = [];
  // The minute may end in between: then the count restarts, once.
  for (let n = 0; n < 2 * testsPerMinute && !codes.includes('too_many_requests'); n++) {
    const url = `${hooks.target.url}?n=${n}`;
    const call = n % 2 === 0 ? hooks.calls.test(ani) : hooks.calls.save(ani, { url });
    codes.push(...(await Promise.allSettled([call])).map(codeOf));
  }
  expect(codes).toContain('too_many_requests');
  const { url } = (await hooks.calls.read(ani)) ?? {};
  const tests = hooks.target.tests.length;
  await expect(hooks.calls.save(ani, { url: `${hooks.target.url}?last` })).rejects.toMatchObject({
    code: 'too_many_requests',
    facts: { seconds: expect.any(Number) },
  });
  expect((await hooks.calls.read(ani))?.url).toBe(url);
  expect(hooks.target.tests).toHaveLength(tests);
  expect(await hooks.calls.test(budi)).toMatchObject({ ok: true });
});
