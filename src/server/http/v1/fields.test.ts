import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Language } from '#contract/language/language.ts';
import { type FactsOf, Refusal } from '#contract/base/refusals.ts';
import { ApiMessageQuery, ManyMessages, NewMessage } from '#contract/rest/messages.ts';
import { eventEndpoints } from '#contract/webhooks.ts';
import { readFields } from './send.ts';

const languages: readonly Language[] = ['id', 'en'];

function errorsOf(input: unknown, language: Language, schema: z.ZodMiniType = NewMessage()) {
  const read = readFields(schema, input, { language, fromAddress: schema === ApiMessageQuery() });
  return read instanceof Refusal ? (read.facts as FactsOf<'input_invalid'>).fields : {};
}

const link = 'https://toko.example/a.jpg';
const whole = {
  text: { text: { body: 'Halo' } },
  image: { image: { link }, caption: 'a' },
  video: { video: { link }, caption: 'a' },
  audio: { audio: { link } },
  document: { document: { link, filename: 'a.pdf' }, caption: 'a' },
  sticker: { sticker: { link } },
  location: { location: { latitude: -6.2, longitude: 106.8, name: 'a', address: 'b' } },
  contact: { contact: { name: 'Ani', phone: '0812-3456-7890', organization: 'a', email: 'b' } },
  template: { template: { name: 'pesanan', language: 'id', variables: ['a'] } },
};
const envelope = {
  to: '0812-3456-7890',
  ref: 'a',
  send_at: '2026-11-21T09:05:00+07:00',
  ttl: 60,
  priority: 'otp',
  metadata: { a: 'b' },
};
const message_id = 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E';
const messages = [
  ...Object.entries(whole).map(([type, content]) => ({
    type,
    ...envelope,
    reply_to: message_id,
    ...content,
  })),
  { type: 'reaction', ...envelope, reaction: { message_id, emoji: '👍' } },
];

function placesIn(value: object, before: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...before, name];
    return typeof inner === 'object' ? [path, ...placesIn(inner as object, path)] : [path];
  });
}

function withAt(value: object, [first = '', ...rest]: readonly string[], put: unknown): object {
  const inner = (value as Record<string, unknown>)[first];
  if (Array.isArray(value)) return value.with(Number(first), put);
  return { ...value, [first]: rest.length === 0 ? put : withAt(inner as object, rest, put) };
}

const wrongs: readonly unknown[] = [null, true, 1.5, 'kata\nkata', [], { lain: {} }];

describe('a message with one wrong field', () => {
  for (const message of messages) {
    test(`describes each field of a ${message.type} in both languages`, () => {
      for (const path of placesIn(message)) {
        for (const wrong of wrongs) {
          const input = withAt(message, path, wrong);
          if (NewMessage().safeParse(input).success) continue;
          const name = path.join('.');
          const [id, en] = languages.map((language) => errorsOf(input, language));
          const about = `${name}: ${JSON.stringify(wrong)}`;
          const named = Object.keys(id ?? {}).filter(
            (one) => one === name || one.startsWith(`${name}.`),
          );
          expect(named, about).not.toEqual([]);
          expect(Object.keys(en ?? {}), about).toEqual(Object.keys(id ?? {}));
          for (const sentence of Object.values(id ?? {})) {
            expect(sentence, about).toMatch(
              /^(Harus|Wajib diisi:|Isian ini tidak dikenal\.) .{4,}\.$/s,
            );
          }
          for (const sentence of Object.values(en ?? {})) {
            expect(sentence, about).toMatch(
              /^(Expected|Required:|This field is not known\.) .{4,}\.$/s,
            );
          }
        }
      }
    });
  }
});

test('a text in place of an object gets an example of the object', () => {
  const input = { type: 'text', to: '0812-3456-7890', text: 'hai' };
  expect(errorsOf(input, 'id')).toEqual({ text: 'Harus {"body": "…"}, bukan teks.' });
  expect(errorsOf(input, 'en')).toEqual({ text: 'Expected {"body": "…"}, got a string.' });
});

test('missing, too long, unknown and unlisted values are reported with numbers', () => {
  const input = { type: 'text', text: { body: 'x'.repeat(5000) }, ttl: 1, priority: 'cepat', x: 1 };
  expect(errorsOf(input, 'en')).toEqual({
    to: 'Required: a phone number as a string, such as "0812-3456-7890" or "6281234567890".',
    'text.body': 'Expected a string of 1 to 4,096 characters, got 5,000 characters.',
    ttl: 'Expected a whole number from 30 to 2,592,000.',
    priority: 'Expected one of "otp", "normal", "bulk".',
    x: 'This field is not known. Known here: to, ref, send_at, ttl, priority, metadata, reply_to, type, text.',
  });
  expect(errorsOf(input, 'id')).toMatchObject({
    'text.body': 'Harus teks 1 sampai 4.096 karakter, bukan 5.000 karakter.',
    ttl: 'Harus bilangan bulat 30 sampai 2.592.000.',
  });
});

test('reports the right place of a field one level too high', () => {
  const image = { link: 'https://toko.example/a.jpg', caption: 'Menu baru' };
  const input = { to: '0812-3456-7890', type: 'image', image };
  const known = 'This field is not known. Known here: link, id.';
  const sentence = `${known} "caption" stands outside of it, one level up.`;
  expect(errorsOf(input, 'en')).toEqual({ 'image.caption': sentence });
  expect(errorsOf({ ...input, image: { link: image.link, x: 1 } }, 'en')).toEqual({
    'image.x': known,
  });
});

test('each type shows the contents of its object', () => {
  const shown = Object.keys(whole).map((type) => {
    const input = { type, to: '0812-3456-7890' };
    return errorsOf(input, 'en')[type];
  });
  const media = 'Required: {"link": "https://…"} or {"id": "med_…"}, one of them.';
  expect(shown).toEqual([
    'Required: {"body": "…"}.',
    media,
    media,
    media,
    media,
    media,
    'Required: {"latitude": -6.2, "longitude": 106.8}.',
    'Required: {"name": "…", "phone": "0812-3456-7890"}, or "phones" with several numbers.',
    'Required: {"name": "…"}.',
  ]);
  expect(errorsOf({ ...envelope, type: 'surat' }, 'en')).toEqual({
    type: 'Expected one of "text", "image", "video", "audio", "document", "sticker", "location", "contact", "template", "reaction".',
  });
});

test('many messages are counted, and query fields are named', () => {
  const wanted = 'Expected an array of 1 to 1,000 messages';
  expect(errorsOf({ messages: {} }, 'en', ManyMessages())).toEqual({
    messages: `${wanted}, got an object.`,
  });
  const many = Array.from({ length: 1001 }, () => 1);
  expect(errorsOf({ messages: many }, 'en', ManyMessages())).toEqual({
    messages: `${wanted}, got 1,001.`,
  });
  const query = { limit: '1000', cursor: 'x', status: '', direction: 'naik', peer: 'Ani', x: '' };
  expect(errorsOf(query, 'en', ApiMessageQuery())).toEqual({
    limit: 'Expected a whole number from 1 to 100.',
    cursor: 'Expected the `next_cursor` of the page before.',
    status: expect.stringContaining('Expected one of "scheduled", "accepted", "queued",'),
    direction: 'Expected one of "out", "in".',
    peer: expect.stringContaining('Expected a phone number'),
    x: 'This field is not known. Known here: limit, cursor, status, direction, peer.',
  });
  for (const limit of ['', 'x', '0', '101', '1.5']) {
    expect(errorsOf({ limit }, 'id', ApiMessageQuery())).toEqual({
      limit: 'Harus bilangan bulat 1 sampai 100.',
    });
  }
});

test('comma-separated names are one field, and its error lists the valid names', () => {
  const { query } = eventEndpoints.listEvents;
  for (const types of ['message.sent,pesan.terkirim', '', 'message.sent,']) {
    const read = readFields(query(), { types }, { language: 'id', fromAddress: true });
    expect(read).toMatchObject({
      facts: {
        fields: {
          types: expect.stringMatching(
            /^Harus nama peristiwa dengan koma di antaranya, dari message\.accepted, .*optout\.added\.$/,
          ),
        },
      },
    });
  }
});

test('a custom rule uses its own words, in English where it has them', () => {
  const schema = z.strictObject({
    hari: z
      .string()
      .check(
        z.refine(() => false, { error: 'Hari itu tidak ada.', params: { en: 'No such day.' } }),
      ),
  });
  expect(errorsOf({ hari: 'x' }, 'id', schema)).toEqual({ hari: 'Hari itu tidak ada.' });
  expect(errorsOf({ hari: 'x' }, 'en', schema)).toEqual({ hari: 'No such day.' });
});

test('at most twenty fields are named', () => {
  const extra = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x${n}`, n]));
  expect(Object.keys(errorsOf({ type: 'text', ...extra }, 'en'))).toHaveLength(20);
});

test('too many items are refused before they are read one by one', () => {
  const to = '08123456789';
  const many = Array.from({ length: 100 }, () => '');
  const metadata = Object.fromEntries(many.map((_, index) => [`x${index}`, 1]));
  const issuesOf = (input: object) => NewMessage().safeParse(input).error?.issues ?? [];
  for (const input of [
    { to, type: 'text', text: { body: 'a' }, metadata },
    { to, type: 'template', template: { name: 'pesanan', variables: many } },
    { to, type: 'contact', contact: { name: 'Ani', phones: many } },
  ]) {
    expect(issuesOf(input)).toHaveLength(1);
  }
});

test('sentences are generated only for the named fields', () => {
  const named = (letter: string, length: number) =>
    Array.from({ length }, (_, index) => `${letter}${index}`);
  const known = named('known', 2_000).map((name) => [name, z.optional(z.string())] as const);
  const schema = z.strictObject(Object.fromEntries(known));
  const unknown = named('x', 40_000);
  const input = Object.fromEntries(unknown.map((name) => [name, 1]));
  errorsOf({ x: 1 }, 'id', schema);
  expect(Object.keys(errorsOf(input, 'id', schema))).toEqual(unknown.slice(0, 20));
});

test('a metadata key that no record can hold is refused', () => {
  const metadata: unknown = JSON.parse('{"__proto__": "x"}');
  const fields = errorsOf({ to: '08123456789', type: 'text', text: { body: 'a' }, metadata }, 'en');
  expect(fields).toEqual({ metadata: expect.stringContaining('up to 20 pairs') });
});
