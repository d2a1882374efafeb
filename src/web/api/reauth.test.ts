import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { performWithReauth } from '#web/api/act.ts';
import { isAbort, refusalCode } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { answerReauth, reauthRequest } from '#web/api/reauth.ts';

const secret = act({
  name: 'thing_rotate',
  by: 'customer',
  changes: true,
  requiresRecentPassword: 'to_take',
  output: () => z.object({ done: z.boolean() }),
});

let proved = false;
let keys: (string | null)[] = [];
const reauthNeeded = {
  code: 0,
  msg: 'Masukkan kata sandi.',
  error: { type: 'reauth_needed', facts: {} },
};

beforeEach(() => {
  proved = false;
  keys = [];
  vi.stubGlobal('document', { querySelector: () => null });
  vi.stubGlobal('fetch', async (_: string, { body }: { body: URLSearchParams }) => {
    keys.push(body.get('key'));
    const reply = proved ? { code: 1, data: { done: true } } : reauthNeeded;
    return Response.json(reply, { status: proved ? 200 : 403 });
  });
});
afterEach(() => void vi.unstubAllGlobals());

const ask = () => performWithReauth(secret, { input: {}, key: newIdempotencyKey() });

function openLayout() {
  const put: boolean[] = [];
  const leave = reauthRequest.subscribe(() => void put.push(reauthRequest.get() !== undefined));
  return { put, leave };
}

test('performs the same call again with a new key after the password', async () => {
  const { put, leave } = openLayout();
  const call = ask();
  await waitFor(() => expect(put).toEqual([true]));
  proved = true;
  answerReauth(true);
  expect(await call).toEqual({ done: true });
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
  leave();
});

test('prompts once for several concurrent calls', async () => {
  const { put, leave } = openLayout();
  const asks = [ask(), ask(), ask()];
  await waitFor(() => expect(keys).toHaveLength(3));
  await waitFor(() => expect(put).toEqual([true]));
  proved = true;
  answerReauth(true);
  expect(await Promise.all(asks)).toEqual([{ done: true }, { done: true }, { done: true }]);
  expect(put).toEqual([true, false]);
  leave();
});

test('ends the call silently when the person cancels', async () => {
  const { put, leave } = openLayout();
  const call = ask().catch((no: unknown) => no);
  await waitFor(() => expect(put).toEqual([true]));
  answerReauth(false);
  expect(isAbort(await call)).toBe(true);
  expect(keys).toHaveLength(1);
  leave();
});

test('closes the prompt on leaving the signed-in screens', async () => {
  const { put, leave } = openLayout();
  const call = ask().catch((no: unknown) => no);
  await waitFor(() => expect(put).toEqual([true]));
  leave();
  expect(isAbort(await call)).toBe(true);
});

test('reports the refusal itself when no layout can prompt', async () => {
  const no = await ask().catch((error: unknown) => error);
  expect(refusalCode(no)).toBe('reauth_needed');
});
