import { describe, expect, test as plain } from 'vitest';
import type { Act } from '#contract/base/act.ts';
import { acts } from '#contract/acts.ts';
import { NewMessage } from '#contract/rest/messages.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import type { ApiAnswer } from './support/app/api-caller.ts';
import { samplesOf } from './support/hostile/hostile-acts.ts';
import { type Hostile, inParallel, openHostile } from './support/hostile/hostile-app.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { type ApiResponse, test } from './support/app/running-app.ts';

const inForms = unstorables.filter((text) => text.includes('\0'));
const shapeOf = (act: Act) => Object.keys((act.input as unknown as { shape: object }).shape);
const withFields = acts.filter((act) => shapeOf(act).length > 0);

type Case = { act: Act; field: string; text: string; fields: Record<string, unknown> };

const ofAll = process.env['TEST_ALL'] === '1';

/** `npm test` sends 1 of so many accepted texts per field, different ones each; `test:all` all. */
const TAKEN_EACH = ofAll ? 1 : 13;

/** The same for texts that a form cannot carry into the database. */
const POISONED_EACH = ofAll ? 1 : 3;

/** The endpoint refuses all texts alike that a schema refuses, so only this many are sent. */
const REFUSED_SENT = ofAll ? 3 : 1;

/** Acts that hash a password get only some texts: a hash takes a tenth of a second. */
const hashing = new Set(['user_reauth', 'user_change_password', 'user_delete']);
const HASHED_EACH = 30;

function sent<T>(
  tried: readonly T[],
  takes: (one: T) => boolean,
  { each = TAKEN_EACH, from = 0 } = {},
): T[] {
  const { taken = [], refused = [] } = Object.groupBy(tried, (one) =>
    takes(one) ? 'taken' : 'refused',
  );
  const some = taken.filter((_, index) => (index + from) % each === 0);
  return [...some, ...refused.slice(0, REFUSED_SENT)];
}

type Sample = Readonly<Record<string, string | readonly string[]>>;

/** Every field of an act with every text in its place, and appended to an accepted value. */
function casesOf(act: Act, sample: Sample): Case[] {
  const takes = (fields: object) => act.input.safeParse(fields).success;
  return shapeOf(act).flatMap((field, from) => {
    const given = sample[field] ?? '';
    const isList = typeof given !== 'string';
    const valid = isList ? given.join() : given;
    const put = (text: string, value: string): Case => ({
      act,
      field,
      text,
      fields: { ...sample, [field]: isList ? [value] : value },
    });
    const poisoned = inForms.flatMap((text) => [put(text, text), put(text, `${valid}${text}`)]);
    const strange = oddities.flatMap((text) => [put(text, text), put(text, `${valid}${text}`)]);
    const each = hashing.has(act.name) ? HASHED_EACH : TAKEN_EACH;
    const every = { each: POISONED_EACH, from };
    const cases = [
      ...sent(poisoned, () => true, every),
      ...sent(strange, (one) => takes(one.fields), { each, from }),
    ];
    // A granted stream never ends.
    return cases.filter((one) => !act.streams || !takes(one.fields));
  });
}

function problemOf({ act, field, text }: Case, { status, body }: ApiResponse): string | undefined {
  const shown = `${act.name}.${field} ${JSON.stringify(text.slice(0, 40))}: ${status}`;
  if (status >= 500) return shown;
  if (body?.code !== 1 && !(body?.code === 0 && body.error?.type && body.msg)) return `${shown} ?`;
  if (!text.includes('\0')) return undefined;
  const fields = body.error?.type === 'input_invalid' ? body.error.fields : {};
  const named = field in fields || `${field}.0` in fields;
  return named ? undefined : `${shown} ${JSON.stringify(body)}`;
}

describe('acts', () => {
  plain('all have a sample here, with every field and no other', () => {
    const samples = samplesOf({
      tokenId: '',
      messageId: '',
      topupId: '',
      campaignId: '',
      vapidKey: '',
    });
    const missing = withFields.flatMap((act) =>
      shapeOf(act)
        .filter((field) => !(field in (samples[act.name] ?? {})))
        .map((field) => `${act.name}.${field}`),
    );
    expect(missing).toEqual([]);
    // An unknown field makes every call fail, with any texts.
    const unknown = withFields.flatMap((act) =>
      Object.keys(samples[act.name] ?? {})
        .filter((field) => !shapeOf(act).includes(field))
        .map((field) => `${act.name}.${field}`),
    );
    expect(unknown).toEqual([]);
    expect(Object.keys(samples)).toHaveLength(withFields.length);
  });

  test('never answer a hostile text with a fault of ours, and name the field that cannot be stored', async ({
    db,
    openApp,
  }) => {
    const setup = await openHostile(db, openApp);
    const samples = samplesOf(setup.held);
    const cases = withFields.flatMap((act) => casesOf(act, samples[act.name] ?? {}));
    const outcomes = new Map<string, number>();
    const wrong: string[] = [];
    await inParallel(cases, async (one) => {
      const response = await setup.ask(one.act, one.fields);
      const outcome = String(response.body?.error?.type ?? 'ok');
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const trouble = problemOf(one, response);
      if (trouble !== undefined) wrong.push(trouble);
    });
    expect(wrong).toEqual([]);
    // The texts got past the limiter and the session, and often the schema.
    expect(outcomes.get('too_many_requests') ?? 0).toBeLessThan(cases.length / 100);
    expect(outcomes.get('not_signed_in') ?? 0).toBe(0);
    expect(outcomes.get('ok')).toBeGreaterThan(cases.length / 10);
    await expectHealthy(setup);
  });
});

/** Checks that a valid request still works, the books are right, and no bug was reported. */
async function expectHealthy({ db, ani, running, perform, held }: Hostile) {
  const sent = { token_id: held.tokenId, to: '62800000001', text: 'Halo 👋' };
  expect(await perform('message_send', sent)).toMatchObject({ status: 'queued' });
  const { status } = await ani.call('/v1/messages', {
    body: { to: '62800000001', text: { body: 'Halo' } },
  });
  expect(status).toBe(202);
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
  const bugs = running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line));
  expect(bugs).toEqual([]);
}

const link = { link: 'https://contoh.id/a.png' };
const envelope = {
  to: '62800000001',
  ref: 'r',
  send_at: '2020-01-01T00:00:00Z',
  ttl: 3600,
  priority: 'normal',
  metadata: { kunci: 'nilai' },
};
const unknownMessage = 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E';
const messages: readonly object[] = [
  { ...envelope, type: 'text', text: { body: 'Halo' } },
  { to: '62800000001', type: 'image', image: link, caption: 'Foto' },
  { to: '62800000001', type: 'video', video: link, caption: 'Film' },
  { to: '62800000001', type: 'audio', audio: link },
  {
    to: '62800000001',
    type: 'document',
    document: { ...link, filename: 'a.pdf' },
    caption: 'Berkas',
  },
  { to: '62800000001', type: 'sticker', sticker: link },
  {
    to: '62800000001',
    type: 'location',
    location: { latitude: -6.2, longitude: 106.8, name: 'Toko', address: 'Jakarta' },
  },
  {
    to: '62800000001',
    type: 'contact',
    contact: {
      name: 'Ani',
      phones: ['081234567890'],
      organization: 'Toko',
      email: 'ani@contoh.id',
    },
  },
];

/** Well-formed references are refused as not found: they are sent unchanged only. */
const naming: readonly object[] = [
  { to: '62800000001', text: { body: 'Ya' }, reply_to: unknownMessage },
  {
    to: '62800000001',
    type: 'audio',
    audio: { id: 'med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E', voice: true },
  },
  { to: '62800000001', type: 'reaction', reaction: { message_id: unknownMessage, emoji: '👍' } },
  {
    to: '62800000001',
    type: 'template',
    template: { name: 'pesanan', language: 'id', variables: ['Ani'] },
  },
];

type Made = { path: string; value: unknown };

function* replaced(value: unknown, text: string, path = ''): Generator<Made> {
  if (typeof value !== 'object' || value === null) {
    yield { path, value: text };
    if (typeof value === 'string') yield { path, value: `${value}${text}` };
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const below = path === '' ? name : `${path}.${name}`;
    for (const made of replaced(inner, text, below)) {
      yield { ...made, value: { ...value, [name]: made.value } };
    }
  }
  yield { path: `${path}.*`, value: { ...value, [text]: 'x' } };
}

const numbers = [-0, 1e308, 5e-324, 1.5, 2 ** 53, -1, 90.000_000_1];

describe('the API', () => {
  test('never answers a hostile text with a fault of ours, and names what cannot be stored', async ({
    db,
    openApp,
  }) => {
    const setup = await openHostile(db, openApp);
    const wrong: string[] = [];
    const check = (what: string, poisoned: boolean, { status, body }: ApiAnswer) => {
      const fine = status < 500 && (status < 300 || typeof body.code === 'string');
      const named = body.code === 'input_invalid' && Object.keys(body.fields ?? {}).length > 0;
      if (!fine || (poisoned && !named)) wrong.push(`${what}: ${status} ${JSON.stringify(body)}`);
    };
    const call: Hostile['ani']['call'] = (path, options) => setup.ani.call(path, options);

    const bodies = [...messages, ...naming].flatMap((message) => {
      const made = (texts: readonly string[], poisoned: boolean) =>
        texts.flatMap((text) =>
          [...replaced(message, text)].map((one) => ({ ...one, text, poisoned })),
        );
      const places = Map.groupBy(made(oddities, false), ({ path }) => path).values();
      const strange = [...places].flatMap((place, from) =>
        sent(place, ({ value }) => NewMessage().safeParse(value).success, { from }),
      );
      return [...made(unstorables, true), ...strange];
    });
    await inParallel(bodies, async ({ path, value, text, poisoned }) => {
      const response = await call('/v1/messages', { body: value });
      check(`${path} ${JSON.stringify(text.slice(0, 40))}`, poisoned, response);
    });
    const places = messages.flatMap((message) =>
      numbers.flatMap((number) =>
        [...replaced(message, 'here')].map(({ path, value }) => ({
          path,
          body: JSON.stringify(value).replace(/"[^"]*here"(?!:)/, String(number)),
        })),
      ),
    );
    await inParallel(places, async ({ path, body }) =>
      check(`${path} ${body}`, false, await call('/v1/messages', { body })),
    );
    await inParallel([...unstorables, ...oddities], async (text) => {
      const value = encodeURIComponent(text.toWellFormed());
      for (const name of ['limit', 'cursor', 'status', 'direction', 'peer', 'x']) {
        const poisoned = text.includes('\0');
        if (value.length > 10_000) continue;
        check(`?${name}`, poisoned, await call(`/v1/messages?${name}=${value}`));
      }
      const headers = { 'idempotency-key': text };
      check('the key', false, await call('/v1/messages', { body: messages[0], headers }));
    });
    expect(wrong).toEqual([]);
    await expectHealthy(setup);
  });

  test('refuses only the unstorable entries of a list, and accepts all others', async ({
    db,
    openApp,
  }) => {
    const setup = await openHostile(db, openApp);
    const poisoned = unstorables.flatMap((text) =>
      messages.flatMap((message) => [...replaced(message, text)].map(({ value }) => value)),
    );
    const good = { to: '62800000001', text: { body: 'Halo' } };
    for (let from = 0; from < poisoned.length; from += 300) {
      const list = poisoned.slice(from, from + 300).flatMap((one) => [good, one]);
      const { status, body } = await setup.ani.call('/v1/messages', { body: { messages: list } });
      expect([status, body.accepted, body.refused]).toEqual([
        202,
        list.length / 2,
        list.length / 2,
      ]);
      for (const [index, { error }] of body.data.entries()) {
        expect(error?.code).toBe(index % 2 === 0 ? undefined : 'input_invalid');
      }
    }
    await expectHealthy(setup);
  });

  test('explains errors in English to callers who ask for English, and refuses invalid UTF-8', async ({
    db,
    openApp,
  }) => {
    const { ani, running } = await openHostile(db, openApp);
    const body = { to: '62800000001', text: { body: 'a\u0000' }, metadata: { 'b\uD800': 'c' } };
    const english = await ani.call('/v1/messages', { body, headers: { 'accept-language': 'en' } });
    expect(english).toMatchObject({ status: 422, body: { code: 'input_invalid' } });
    expect(Object.keys(english.body.fields).toSorted()).toEqual(['metadata.b\uFFFD', 'text.body']);
    expect(english.body.fields['text.body']).toMatch(/^Contains a character that cannot be kept/);
    const indonesian = await ani.call('/v1/messages', { body });
    expect(indonesian.body.fields['text.body']).toMatch(/^Ada karakter yang tidak dapat disimpan/);

    const bytes = Buffer.from('{"to":"62800000001","text":{"body":"a\xFF"}}', 'latin1');
    const foreign = await running.app.inject({
      method: 'POST',
      url: '/v1/messages',
      headers: { authorization: `Bearer ${ani.key}`, 'content-type': 'application/json' },
      payload: bytes,
    });
    expect([foreign.statusCode, foreign.json().code]).toEqual([400, 'request_malformed']);
    // Nested as deep as the length of a body allows.
    for (const deep of ['{"a":', '[']) {
      const nested = deep.repeat(150_000);
      const closed = deep === '[' ? `${nested}"\\u0000"${']'.repeat(150_000)}` : nested;
      for (const raw of [closed, `{"text":${closed}}`, `{"messages":[${closed}]}`]) {
        expect((await ani.call('/v1/messages', { body: raw })).status).toBeLessThan(500);
      }
    }
  });
});
