import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/messages.ts';
import { type GivenFile, givenOf } from './dialect.ts';
import { reasonOf, type ReadContext, readSend } from '#server/http/dialects/fonnte.ts';

const NOW = new Date('2026-11-23T08:00:00.000Z');
const context: ReadContext = {
  now: NOW,
  random: () => 0.5,
  storeFile: async () => ({ id: 'med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E', type: 'image' }),
};

const read = async (fields: Record<string, unknown>) => {
  const { pieces } = await readSend(givenOf(fields) ?? new Map(), context);
  return pieces;
};

const messagesOf = async (fields: Record<string, unknown>): Promise<NewMessage[]> =>
  (await read(fields)).map(({ message }) => {
    if (message instanceof Refusal) throw message;
    return message;
  });

const reasonFor = async (fields: Record<string, unknown>): Promise<string> => {
  const failed = await read(fields).catch((error: unknown) => error);
  if (failed instanceof Refusal) return reasonOf(failed);
  const [piece] = failed as Awaited<ReturnType<typeof read>>;
  return piece?.message instanceof Refusal ? reasonOf(piece.message) : 'none';
};

test('each target becomes a separate message with its own placeholder values', async () => {
  const messages = await messagesOf({
    target: '08123456789|Fonnte|Admin,+62 812-3456-788|Lili|User,8123456787',
    message: 'test message to {name} as {var1}',
  });
  expect(messages).toEqual([
    { type: 'text', to: '628123456789', text: { body: 'test message to Fonnte as Admin' } },
    { type: 'text', to: '628123456788', text: { body: 'test message to Lili as User' } },
    { type: 'text', to: '628123456787', text: { body: 'test message to {name} as {var1}' } },
  ]);
});

test('a leading 0 becomes the country code, and is unchanged where that is disabled', async () => {
  const to = async (target: unknown, countryCode?: unknown) =>
    (await read({ target, message: 'x', countryCode })).map((piece) => piece.target);
  expect(await to('0123456789', '60')).toEqual(['60123456789']);
  expect(await to('08123456789')).toEqual(['628123456789']);
  expect(await to(6_281_234_567_890)).toEqual(['6281234567890']);
  expect(await to('60123456789', 0)).toEqual(['60123456789']);
  expect(await reasonFor({ target: '08123456789', message: 'x', countryCode: '0' })).toBe(
    'target invalid',
  );
  expect(await reasonFor({ target: '120363@g.us', message: 'x' })).toBe('target invalid');
  expect(await reasonFor({ target: '0812345', message: 'x', countryCode: 'ID' })).toBe(
    'input invalid',
  );
});

test('a delay schedules the targets one after the other', async () => {
  const plans = async (fields: object) =>
    (await messagesOf({ target: '0812345671,0812345672,0812345673', message: 'x', ...fields })).map(
      ({ send_at }) => send_at,
    );
  expect(await plans({ delay: '2' })).toEqual([
    undefined,
    '2026-11-23T08:00:02.000Z',
    '2026-11-23T08:00:04.000Z',
  ]);
  expect(await plans({ delay: '1-10' })).toEqual([
    undefined,
    '2026-11-23T08:00:06.000Z',
    '2026-11-23T08:00:12.000Z',
  ]);
  for (const delay of ['-1', '5-1', 'x', '1e9', '99999999']) {
    expect(await reasonFor({ target: '0812345671', message: 'x', delay }), delay).toBe(
      'input invalid',
    );
  }
});

test('schedule is Unix seconds: 0 and past times are now, impossible dates are refused', async () => {
  const at = async (schedule: unknown) =>
    (await messagesOf({ target: '08123456789', message: 'x', schedule }))[0]?.send_at;
  const tomorrow = NOW.getTime() / 1000 + 86_400;
  expect(await at(tomorrow)).toBe('2026-11-24T08:00:00.000Z');
  expect(await at(String(tomorrow))).toBe('2026-11-24T08:00:00.000Z');
  expect(await at('0')).toBeUndefined();
  expect(await at(NOW.getTime() / 1000 - 60)).toBeUndefined();
  for (const schedule of [1, 900_000_000, 253_370_764_800, '9'.repeat(15), '1.5', '-5', [], {}]) {
    expect(await reasonFor({ target: '08123456789', message: 'x', schedule })).toBe(
      'input invalid',
    );
  }
  const [later] = await messagesOf({ target: '08123456789', message: 'x', followup: 60 });
  expect(later?.send_at).toBe('2026-11-23T08:01:00.000Z');
});

test('a linked file has the kind of its extension, with the message as caption', async () => {
  const one = async (fields: object) =>
    (await messagesOf({ target: '08123456789', message: 'Halo', ...fields }))[0];
  expect(await one({ url: 'https://md.example/logo.PNG?x=1.pdf' })).toMatchObject({
    type: 'image',
    image: { link: 'https://md.example/logo.PNG?x=1.pdf' },
    caption: 'Halo',
  });
  expect(await one({ url: 'https://md.example/a.mp4' })).toMatchObject({ type: 'video' });
  expect(await one({ url: 'https://md.example/a.mp3' })).not.toHaveProperty('caption');
  expect(await one({ url: 'https://md.example/7', filename: 'nota.pdf' })).toMatchObject({
    type: 'document',
    document: { link: 'https://md.example/7', filename: 'nota.pdf' },
    caption: 'Halo',
  });
  for (const url of ['ftp://x/y', 'halo', 'javascript:alert(1)', `https://x/${'a'.repeat(3000)}`]) {
    expect(await reasonFor({ target: '08123456789', url }), url).toBe('url invalid');
  }
});

test('an uploaded file precedes a linked one, and a linked one a location', async () => {
  const file: GivenFile = { filename: 'foto.jpg', type: '', bytes: Buffer.from('x') };
  const [first] = await messagesOf({
    target: '08123456789',
    location: '-7.983908, 112.621391',
    url: 'https://md.example/logo.png',
  });
  expect(first).toMatchObject({ type: 'image' });
  const asked: string[] = [];
  const storeFile: ReadContext['storeFile'] = async ({ filename }) => {
    asked.push(filename);
    throw new Refusal('media_type_unsupported', {});
  };
  const given = givenOf({ target: '0812345671,0812345672', file, url: 'https://x.example/y.png' });
  await expect(readSend(given ?? new Map(), { ...context, storeFile })).rejects.toThrow('refused');
  expect(asked).toEqual(['foto.jpg']);
});

test('a location, a poll and buttons', async () => {
  const one = async (fields: object) => (await messagesOf({ target: '08123456789', ...fields }))[0];
  expect(await one({ location: '-7.983908, 112.621391', message: 'Toko' })).toMatchObject({
    type: 'location',
    location: { latitude: -7.983908, longitude: 112.621391, name: 'Toko' },
  });
  expect(await reasonFor({ target: '08123456789', location: '91,0' })).toBe('input invalid');
  expect(await reasonFor({ target: '08123456789', location: 'Malang' })).toBe('input invalid');
  expect(await one({ message: 'Pilih', choices: 'kopi,teh', select: 'single' })).toMatchObject({
    text: { body: 'Pilih\n1. kopi\n2. teh' },
  });
  const buttonJSON = '{"message":"Halo","footer":"Toko","buttons":[{"id":"a","message":"Harga"}]}';
  expect(await one({ buttonJSON })).toMatchObject({ text: { body: 'Halo\n• Harga\nToko' } });
  expect(await one({ buttonJSON, message: 'Teks' })).toMatchObject({ text: { body: 'Teks' } });
  const listJSON = '{"message":"Menu","buttons":[{"title":"a","list":[{"message":"satu"}]}]}';
  expect(await one({ listJSON })).toMatchObject({ text: { body: 'Menu\n• satu' } });
});

test('data holds several messages in one call', async () => {
  const data = [
    { target: '0812345671', message: '1', delay: '1' },
    { target: '0812345672,0812345673', message: '2' },
  ];
  for (const given of [data, JSON.stringify(data)]) {
    expect((await read({ data: given })).map(({ target }) => target)).toEqual([
      '62812345671',
      '62812345672',
      '62812345673',
    ]);
  }
  for (const given of ['[', '{}', '[]', '[1]', '"x"', 7, [null], [[]]]) {
    expect(await reasonFor({ data: given }), JSON.stringify(given)).toBe('JSON format invalid');
  }
});

test("arbitrary input is refused in the dialect's words or accepted, never an internal error", async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const hostile: [Record<string, unknown>, string][] = [
    [{}, 'target invalid'],
    [{ target: '', message: 'x' }, 'target invalid'],
    [{ target: ',,,', message: 'x' }, 'target invalid'],
    [{ target: {}, message: 'x' }, 'target invalid'],
    [{ target: [['0812']], message: 'x' }, 'target invalid'],
    [
      { target: Array.from({ length: 10_000 }, (_, n) => `0812${n}`).join(','), message: 'x' },
      'target invalid',
    ],
    [{ target: Array.from({ length: 10_000 }, () => 1), message: 'x' }, 'target invalid'],
    [{ target: `0812345678\uD800`, message: 'x' }, 'target invalid'],
    [{ target: '08123456789' }, 'input invalid'],
    [{ target: '08123456789', message: ['x'] }, 'input invalid'],
    [{ target: '08123456789', message: 'x\0' }, 'input invalid'],
    [{ target: '08123456789', message: '\uDC00' }, 'input invalid'],
    [{ target: '08123456789', message: 'x'.repeat(5000) }, 'input invalid'],
    [
      { target: `08123456789|${'n'.repeat(900_000)}`, message: '{name}'.repeat(600) },
      'input invalid',
    ],
    [
      { target: '08123456789', message: 'x', filename: 'y\0.pdf', url: 'https://x.example/y' },
      'input invalid',
    ],
    [{ target: '08123456789', data: deep }, 'JSON format invalid'],
    [JSON.parse('{"__proto__":{"target":"08123456789"},"message":"x"}'), 'target invalid'],
  ];
  for (const [fields, reason] of hostile) {
    expect(await reasonFor(fields), JSON.stringify(fields).slice(0, 80)).toBe(reason);
  }
  const nested = JSON.parse(`${'{"list":['.repeat(2000)}${']}'.repeat(2000)}`) as object;
  const [named] = await messagesOf({
    target: '08123456789|Ani',
    message: '{name} {constructor} {__proto__} {var99}',
    listJSON: { message: 'x', buttons: [nested] },
  });
  expect(named).toMatchObject({ text: { body: 'Ani {constructor} {__proto__} ' } });
});

test('an error in one item of data refuses only that item', async () => {
  const good = { target: '0812345671', message: 'satu' };
  const data = [
    { target: '0812345672' },
    null,
    { target: '0812345673', message: 'x'.repeat(5_000) },
    { target: '0812345674', message: 'x', schedule: 'besok' },
    good,
  ];
  const pieces = await read({ data: JSON.stringify(data) });
  expect(
    pieces.map(({ target, message }) => [
      target,
      message instanceof Refusal ? reasonOf(message) : message.to,
    ]),
  ).toEqual([
    ['0812345672', 'input invalid'],
    ['', 'JSON format invalid'],
    ['0812345673', 'input invalid'],
    ['0812345674', 'input invalid'],
    ['62812345671', '62812345671'],
  ]);
});
