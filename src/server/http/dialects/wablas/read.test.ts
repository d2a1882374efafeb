import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/messages.ts';
import { givenOf } from '#server/http/dialects/dialect.ts';
import { messageOf, dialectId, messageId } from './wablas.ts';
import { type Piece, readMany, readOne, readPlan, readPlans, dayAt, dayOf, inWib } from './read.ts';

const givenFrom = (fields: object) => givenOf(fields) ?? new Map<string, unknown>();
const taken = (pieces: readonly Piece[]): NewMessage[] =>
  pieces.map(({ message }) => {
    if (message instanceof Refusal) throw message;
    return message;
  });
const wordsFor = async (work: () => Piece[] | Promise<Piece[]>): Promise<string> => {
  try {
    const [piece] = await work();
    return piece?.message instanceof Refusal ? messageOf(piece.message) : 'none';
  } catch (error) {
    if (error instanceof Refusal) return messageOf(error);
    throw error;
  }
};

test('one text goes to each phone of a list', async () => {
  const given = givenFrom({ phone: '08123456789, 628123456788', message: 'halo', ref_id: 'promo' });
  expect(taken(await readOne(given, 'message'))).toEqual([
    { type: 'text', to: '628123456789', text: { body: 'halo' }, metadata: { ref_id: 'promo' } },
    { type: 'text', to: '628123456788', text: { body: 'halo' }, metadata: { ref_id: 'promo' } },
  ]);
});

test('an error in one item refuses only that item', () => {
  const pieces = readMany(
    givenFrom({
      data: [
        { phone: '6281218000001', message: 'hello there' },
        { phone: '6281218000002' },
        { phone: 'x', message: 'y' },
        { phone: '628-1218-grup', message: 'y', isGroup: 'true' },
        { phone: 6_281_218_000_003, message: 'angka', priority: 'low' },
      ],
    }),
    'message',
  );
  const said = pieces.map(({ message }) =>
    message instanceof Refusal ? messageOf(message) : message.to,
  );
  expect(said).toEqual([
    '6281218000001',
    'message invalid',
    'format phone invalid',
    'group is not supported',
    '6281218000003',
  ]);
  expect(pieces[4]?.message).toMatchObject({ priority: 'bulk' });
});

test('linked files: image, document, video, audio', async () => {
  const one = async (kind: 'image' | 'document' | 'video' | 'audio', fields: object) => {
    const [piece] = await readOne(givenFrom({ phone: '08123456789', ...fields }), kind);
    return piece;
  };
  expect(
    await one('image', { image: 'https://x.example/a/foto.jpg', caption: 'tes' }),
  ).toMatchObject({
    message: { type: 'image', image: { link: 'https://x.example/a/foto.jpg' }, caption: 'tes' },
    shown: { message: null, caption: 'tes', image: 'foto.jpg' },
  });
  expect(await one('document', { document: 'https://x.example/a%20b.pdf' })).toMatchObject({
    message: { document: { filename: 'a b.pdf' } },
  });
  expect(await one('audio', { audio: 'https://x.example/a.mp3', caption: 'x' })).toMatchObject({
    message: { type: 'audio', audio: { link: 'https://x.example/a.mp3' } },
  });
  const wordsOf = (fields: object) =>
    wordsFor(() => readOne(givenFrom({ phone: '0812345678', ...fields }), 'video'));
  expect(await wordsOf({ video: 'file:///etc/passwd' })).toBe('url file invalid');
  expect(await wordsOf({ video: ['x'] })).toBe('video invalid');
  expect(await wordsOf({})).toBe('video invalid');
});

test("a local file comes as a part, or as base64 with PHP's file fields", async () => {
  const files: string[] = [];
  const store = async ({ filename, bytes }: { filename: string; bytes: Buffer }) => {
    files.push(`${filename} ${bytes.toString()}`);
    return { id: 'med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E' };
  };
  const phone = '08123456789';
  await readOne(
    givenFrom({ phone, file: { filename: 'a.png', bytes: Buffer.from('satu') } }),
    'image',
    store,
  );
  await readOne(givenFrom({ phone, file: 'ZHVh', data: '{"name":"b.png"}' }), 'image', store);
  expect(files).toEqual(['a.png satu', 'b.png dua']);
  for (const file of [undefined, '%%%', 7, {}, []]) {
    expect(await wordsFor(() => readOne(givenFrom({ phone, file }), 'image', store))).toBe(
      'file invalid',
    );
  }
});

test('a schedule has a date, a time and a zone', () => {
  const at = (fields: object) =>
    taken(readPlan(givenFrom({ phone: '08123456789', message: 'x', ...fields })))[0]?.send_at;
  const plan = { date: '2026-12-24', time: '13:20:00' };
  expect(at({ ...plan, timezone: 'Asia/Jakarta' })).toBe('2026-12-24T06:20:00.000Z');
  expect(at({ ...plan, timezone: 'Asia/Jayapura' })).toBe('2026-12-24T04:20:00.000Z');
  expect(at(plan)).toBe('2026-12-24T06:20:00.000Z');
  const [piece] = readPlans(
    givenFrom({
      data: [
        {
          category: 'image',
          phone: '08123456789',
          scheduled_at: '2026-12-24 13:20:00',
          text: 'Cover',
          url: 'https://x.example/a.jpeg',
        },
      ],
    }),
  );
  expect(piece).toMatchObject({
    message: { type: 'image', caption: 'Cover', send_at: '2026-12-24T06:20:00.000Z' },
    planned: { timezone: 'Asia/Jakarta', schedule_at: '2026-12-24 13:20:00' },
  });
});

test('refuses impossible dates and implausible years', async () => {
  const wordsOf = (fields: object) =>
    wordsFor(() => readPlan(givenFrom({ phone: '08123456789', message: 'x', ...fields })));
  for (const date of ['2026-02-30', '0000-01-01', '1999-12-31', '9999-01-01', 'besok', {}, -1]) {
    const words = await wordsOf({ date, time: '10:00:00' });
    expect(words, JSON.stringify(date)).toMatch(/^(?:schedule time|date) invalid$/);
  }
  for (const time of ['24:00:00', '10:60', '10', '']) {
    expect(await wordsOf({ date: '2026-12-24', time }), time).toBe('schedule time invalid');
  }
  for (const timezone of ['Mars/Olympus', '__proto__', 'constructor', 7]) {
    const plan = { date: '2026-12-24', time: '10:00:00', timezone };
    expect(await wordsOf(plan)).toBe('timezone invalid');
  }
  expect(dayOf('0001-01-01')).toBeUndefined();
  expect(dayOf('2026-11-31')).toBeUndefined();
  expect(dayAt(new Date('2026-11-23T18:00:00Z')).from.toISOString()).toBe(
    '2026-11-23T17:00:00.000Z',
  );
  expect(inWib('2026-11-23T18:00:00Z')).toBe('2026-11-24 01:00:00');
});

test('ids are UUIDs, and our own ids are accepted too', () => {
  const id = 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E';
  expect(dialectId(id)).toMatch(/^[0-9a-f-]{36}$/);
  expect(messageId(dialectId(id))).toBe(id);
  expect(messageId(dialectId(id).toUpperCase())).toBe(id);
  expect(messageId(id)).toBe(id);
  expect(messageId('x')).toBe('x');
});

test("arbitrary input is refused in the dialect's words or accepted, never an internal error", async () => {
  const hostile: [object, RegExp][] = [
    [{}, /^message invalid$/],
    [{ message: 'x' }, /^phone is required$/],
    [{ phone: {}, message: 'x' }, /^phone is required$/],
    [{ phone: Array.from({ length: 10_000 }, () => '08123456789'), message: 'x' }, /^phone/],
    [{ phone: '0812,'.repeat(10_000), message: 'x' }, /^phone/],
    [{ phone: '08123456789', message: 'x\0' }, /^message invalid$/],
    [{ phone: '0812345678\uD800', message: 'x' }, /^format phone invalid$/],
    [{ phone: '08123456789', message: 'x'.repeat(900_000) }, /^message invalid$/],
    [{ phone: '08123456789', message: 'x', ref_id: 'r'.repeat(9000) }, / invalid$/],
    [{ phone: '08123456789', message: 'x', ref_id: '\uDC00' }, / invalid$/],
    [JSON.parse('{"__proto__":{"phone":"0812","message":"x"}}') as object, /^message invalid$/],
  ];
  for (const [fields, words] of hostile) {
    expect(await wordsFor(() => readOne(givenFrom(fields), 'message'))).toMatch(words);
  }
  const many = [{}, 7, '[', 'null', [], [7], [[]], Array.from({ length: 1001 }, () => ({}))];
  for (const data of many) {
    expect(await wordsFor(() => readMany(givenFrom({ data }), 'message'))).toBe('data invalid');
  }
  const crowd = { phone: '08123456789,'.repeat(600), message: 'x' };
  expect(await wordsFor(() => readMany(givenFrom({ data: [crowd, crowd] }), 'message'))).toBe(
    'none',
  );
  expect(readMany(givenFrom({ data: [crowd, crowd] }), 'message')).toHaveLength(601);
});

test('base64 may contain line breaks; other text is refused quickly, however long', async () => {
  const stored: Buffer[] = [];
  const storeFile = async ({ bytes }: { bytes: Buffer }) => {
    stored.push(bytes);
    return { id: 'med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E' };
  };
  const send = (file: string) =>
    readOne(givenFrom({ phone: '6281218000001', file }), 'image', storeFile);
  await send('SGFs\r\nbw==\r\n');
  expect(stored).toEqual([Buffer.from('Halo')]);
  expect(await wordsFor(() => send(`A${' '.repeat(1_000_000)}!`))).toBe('file invalid');
});
