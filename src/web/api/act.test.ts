import * as z from 'zod/mini';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { act } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { perform } from '#web/api/act.ts';
import {
  AnswerError,
  fieldsOf,
  isAbort,
  isDefinite,
  refusalCode,
  sentenceOf,
  TransportError,
} from '#web/api/errors.ts';
import { setPushToken } from '#web/browser/push/pushToken.ts';
import { saveSessionToken } from '#web/browser/session.ts';

const showThing = act({
  name: 'thing_get',
  by: 'customer',
  input: () => ({
    name: z.optional(z.string()),
    tags: z.optional(z.array(z.string())),
    note: z.optional(z.nullable(z.string())),
    shape: z.optional(z.object({ wide: z.boolean() })),
  }),
  output: () => z.object({ at: z.coerce.date() }),
});
const changeThing = act({
  name: 'thing_update',
  by: 'customer',
  changes: true,
  output: () => z.object({}),
});
const things = { by: 'customer', output: () => z.object({ id: z.int() }) } as const;
const listDefault = act({ ...things, name: 'thing_list', list: 'default' });
const listArrow = act({ ...things, name: 'thing_arrow', list: 'arrow' });
const listManual = act({ ...things, name: 'thing_manual', list: 'manual' });

type Sent = { url: string; body: URLSearchParams | FormData; keepalive: boolean };
let sent: Sent[] = [];

function serverSays(body: unknown, status = 200): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  vi.stubGlobal('fetch', async (url: string, init: Omit<Sent, 'url'>) => {
    sent.push({ url, body: init.body, keepalive: init.keepalive });
    return new Response(text, { status });
  });
}
const thing = { code: 1, data: { at: '2026-11-21T02:05:00Z' } };
const lastBody = () => sent.at(-1)?.body;
const lastForm = () => new URLSearchParams(lastBody() as URLSearchParams).toString();

beforeEach(() => {
  sent = [];
  vi.stubGlobal('document', { querySelector: () => null });
  saveSessionToken('');
  setPushToken('');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('posts a call to /api as a form with its act, the session token and the push token', async () => {
  saveSessionToken('rahasia');
  setPushToken('gawai');
  serverSays(thing);
  await perform(showThing, { name: 'a b&c', tags: ['x', 'y'], note: null, shape: { wide: true } });
  expect(sent[0]?.url).toBe('/api');
  expect(lastForm()).toBe(
    'act=thing_get&token=rahasia&fcm=gawai&name=a+b%26c&tags%5B%5D=x&tags%5B%5D=y&note=&shape=%7B%22wide%22%3Atrue%7D',
  );
});

test('sends an empty token and push token without a session, and omits undefined fields', async () => {
  serverSays(thing);
  await perform(showThing, { name: undefined });
  expect(lastForm()).toBe('act=thing_get&token=&fcm=');
});

test('calls the address that the page names when the portal is served elsewhere', async () => {
  vi.stubGlobal('document', { querySelector: () => ({ content: 'https://api.example/api' }) });
  serverSays(thing);
  await perform(showThing, {});
  expect(sent[0]?.url).toBe('https://api.example/api');
});

test('sends a form with a file as multipart, with the same envelope', async () => {
  const form = new FormData();
  form.set('proof', new Blob(['x']), 'bukti.png');
  serverSays(thing);
  await perform(showThing, form);
  const body = lastBody();
  expect(body).toBeInstanceOf(FormData);
  expect([...(body as FormData).keys()]).toEqual(['proof', 'act', 'token', 'fcm']);
});

test('sends an idempotency key with changes only, a new one each time unless one is given', async () => {
  serverSays({ code: 1, data: {} });
  await perform(changeThing, {});
  await perform(changeThing, {});
  await perform(changeThing, {}, { key: 'sama' });
  const keys = sent.map(({ body }) => body.get('key'));
  expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  expect(keys[1]).not.toBe(keys[0]);
  expect(keys[2]).toBe('sama');
  serverSays(thing);
  await perform(showThing, {});
  expect(lastBody()?.get('key')).toBe(null);
});

test('returns the answer as its schema defines it', async () => {
  serverSays(thing);
  expect((await perform(showThing, {})).at).toEqual(new Date('2026-11-21T02:05:00Z'));
});

test('rejects an answer that does not match its schema', async () => {
  serverSays({ code: 1, data: { at: 'kapan-kapan' } });
  await expect(perform(showThing, {})).rejects.toThrow();
});

test('throws a known refusal with its sentence and its field errors', async () => {
  serverSays(
    {
      code: 0,
      msg: 'Ada isian yang perlu diperbaiki.',
      error: { type: 'input_invalid', facts: { fields: { phone: 'Nomor salah.' } } },
    },
    422,
  );
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect(refusalCode(error)).toBe('input_invalid');
  expect(sentenceOf(error)).toBe('Ada isian yang perlu diperbaiki.');
  expect(fieldsOf(error)).toEqual({ phone: 'Nomor salah.' });
  expect(isDefinite(error)).toBe(true);
});

test.each([
  [{ result: { msg: 'dari result' }, msg: 'dari msg' }, 'dari result'],
  [{ result: { msg: '' }, msg: 'dari msg' }, 'dari msg'],
])('a known refusal tells the same words first: %j', async (words, sentence) => {
  serverSays({ code: 0, ...words, error: busy }, 503);
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect(sentenceOf(error)).toBe(sentence);
});

const busy = { type: 'busy', facts: { seconds: 3 }, retryable: true };

test('does not treat a retryable refusal as definite', async () => {
  serverSays({ code: 0, msg: 'Coba lagi dalam 3 detik.', error: busy }, 503);
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect(isDefinite(error)).toBe(false);
  expect(sentenceOf(error)).toContain('3 detik');
});

test.each([
  [{ code: 0, result: { msg: 'dari result' }, msg: 'dari msg' }, 'dari result'],
  [{ code: '0', msg: 'dari msg' }, 'dari msg'],
  [{ code: 0, result: { msg: '' }, msg: 'B' }, 'B'],
  [{ code: 0, result: { msg: ' \n' }, msg: 'B' }, 'B'],
  [{ code: 0, result: { msg: 7 }, msg: 'B' }, 'B'],
  [{ code: 0, result: 'tidak', msg: 'B' }, 'B'],
  [{ code: 0, response: 'dari response' }, 'dari response'],
  [{ code: 0, result: { msg: '' }, msg: ' ', response: 'C' }, 'C'],
  [{ code: 0, msg: 'B', response: 'C' }, 'B'],
  [{ code: 0, result: { msg: '' }, msg: '', response: {} }, 'Error'],
  [{ code: 0, result: { msg: '' }, msg: '' }, 'Error'],
  [{ code: 0, msg: 'tak dikenal', error: { type: 'constructor' } }, 'tak dikenal'],
])('code 0 in %j is told as "%s"', async (body, sentence) => {
  serverSays(body);
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AnswerError);
  expect(sentenceOf(error)).toBe(sentence);
});

test('rejects with the response itself on code 0 without a message', async () => {
  serverSays({ code: 0, data: 7 });
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect((error as AnswerError).response).toEqual({ code: 0, data: 7 });
});

test.each(['null', ''])('turns a body of %j into the Error "Error"', async (body) => {
  serverSays(body);
  await expect(perform(showThing, {})).rejects.toThrow(/^Error$/);
});

test('checks the body before the status', async () => {
  serverSays({ code: 0, msg: 'Tidak boleh.' }, 403);
  await expect(perform(showThing, {})).rejects.toThrow('Tidak boleh.');
  serverSays('<html>Bad gateway</html>', 502);
  await expect(perform(showThing, {})).rejects.toEqual(new TransportError('http', 502));
});

test('reads the rows and page count of each paging type', async () => {
  const rows = [{ id: 1 }, { id: 2 }];
  serverSays({ code: 1, result: { data: rows, total_page: 7 } });
  expect(await perform(listDefault, {})).toEqual({ rows, totalPages: 7, count: 2 });
  serverSays({ code: 1, result: { data: rows, total: 63 } });
  expect(await perform(listArrow, {})).toEqual({ rows, totalPages: 7, total: 63, count: 2 });
  serverSays({ code: 1, data: rows, count: 20 });
  expect(await perform(listManual, {})).toEqual({ rows, totalPages: undefined, count: 20 });
});

test('rejects a text where a list is expected', async () => {
  serverSays('"tidak ada"');
  await expect(perform(listDefault, {})).rejects.toEqual(new TransportError('http', 200));
  serverSays('<html>Sedang perbaikan</html>');
  await expect(perform(listManual, {})).rejects.toEqual(new TransportError('http', 200));
});

test('reads a list of unknown shape as empty', async () => {
  serverSays({ code: 1, result: 'tidak ada' });
  expect(await perform(listDefault, {})).toEqual({ rows: [], totalPages: 0, count: 0 });
  serverSays([1, 2]);
  expect(await perform(listManual, {})).toEqual({ rows: [], totalPages: 0, count: 0 });
});

test('sets keepalive for small changes only, not for reads or bodies above the browser’s limit', async () => {
  const changeNote = act({
    ...things,
    name: 'note',
    changes: true,
    input: () => ({ note: z.string() }),
  });
  serverSays({ code: 1, data: { id: 1 } });
  await perform(changeNote, { note: 'Tutup' });
  await perform(changeNote, { note: 'a'.repeat(70_000) });
  await perform(changeNote, new FormData());
  serverSays(thing);
  await perform(showThing, {});
  expect(sent.map(({ keepalive }) => keepalive)).toEqual([true, false, false, false]);
});

/** A server that never answers but honours `signal`. */
function serverSleeps(): void {
  vi.stubGlobal(
    'fetch',
    (_url: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  );
}

test('times out after 20 seconds', async () => {
  vi.useFakeTimers();
  serverSleeps();
  const failure = perform(showThing, {}).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(19_999);
  await vi.advanceTimersByTimeAsync(1);
  expect(await failure).toEqual(new TransportError('timeout'));
});

test('distinguishes an abort from a failure', async () => {
  serverSleeps();
  const control = new AbortController();
  const failure = perform(showThing, {}, { signal: control.signal }).catch((no: unknown) => no);
  control.abort();
  expect(isAbort(await failure)).toBe(true);
});

test('describes a missing network with an instruction', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch');
  });
  const error = await perform(showThing, {}).catch((thrown: unknown) => thrown);
  expect(sentenceOf(error)).toContain('Tidak dapat terhubung');
});
