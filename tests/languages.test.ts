import { glob, readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { developerSentenceFor } from '#contract/language/indonesian.ts';
import { englishFor } from '#contract/language/english.ts';
import { failureSentence, retrySentence } from '#contract/messages/failures.ts';
import { languageOf } from '#contract/language/language.ts';
import { Failure } from '#contract/messages.ts';
import { type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { apiRefusals } from '#contract/rest.ts';

const facts = {
  why: '…',
  what: 'Pesan',
  variable: '2',
  allow: 'GET',
  seconds: 30,
  limit: 5,
  required: 150,
  available: 100,
  ref: 'a',
  day: '2026-11-30',
  address: '203.0.113.7',
  scope: 'messages.send',
  status: 'sent',
  request: 'req_1',
  fields: {},
  type: 'image',
  allowed: 'JPG',
  bytesMax: 5_000_000,
  name: 'pesanan',
  languages: 'id, en',
  language: 'id',
  expected: 2,
  given: 1,
  header: 'image',
  buttons: [1],
};

const factsOf = (code: RefusalCode) => {
  if (code === 'template_value_unfit') return { ...facts, why: 'breaks' };
  return code === 'webhook_unconfirmed' ? { ...facts, status: null, why: 'late' } : facts;
};

const indonesian =
  /\b(yang|tidak|sudah|belum|lagi|dengan|untuk|harus|pesan|kunci|nomor|jaringan|perlu|akun|saldo|sedang|bila|kami|kirim|terlalu)\b/i;
/** Texts in English call a page by the name in the menu. */
const withoutPages = (text: string) => text.replaceAll('page Nomor', 'page');
const english = /\b(the|is|was|many|has|this|not|to|with|of|and|are)\b/i;

describe('sentences of the API', () => {
  test('explain every refusal to developers in both languages', () => {
    for (const code of apiRefusals) {
      const missing = Object.keys(refusals[code].facts().shape).filter((fact) => !(fact in facts));
      expect(missing, code).toEqual([]);
      const no = { code, facts: factsOf(code) };
      const [id, en] = [developerSentenceFor(no), englishFor(no)];
      expect(id, code).toMatch(indonesian);
      expect(id, code).not.toMatch(/ditandai|Muat ulang|undefined/);
      expect(en, code).toMatch(english);
      expect(withoutPages(en), code).not.toMatch(indonesian);
      expect(en, code).not.toContain('undefined');
    }
  });

  test('explain every failure, final or temporary, in both languages', () => {
    for (const failure of Failure().options) {
      for (const sentence of [failureSentence, retrySentence]) {
        const [id, en] = [sentence(failure, 'id'), sentence(failure, 'en')];
        expect(id, failure).toMatch(indonesian);
        expect(withoutPages(en), failure).not.toMatch(indonesian);
        expect(en, failure).toMatch(english);
      }
    }
  });

  test('are all in the list of possible answers', async () => {
    const server = resolve(import.meta.dirname, '../src/server');
    const inFolders = ['http/v1', 'domains/messages'].map(async (folder) => {
      const names = await readdir(join(server, folder), { recursive: true });
      return names.map((name) => join(server, folder, name));
    });
    const places = ['http/answer.ts', 'http/server.ts'].map((place) => join(server, place));
    const files = [...places, ...(await Promise.all(inFolders)).flat()];
    const thrown = new Set<string>();
    // The portal's own acts answer in its own language.
    const ofPortal = /messages\/resend\.ts$/;
    const portalOnly = ['pins_full', 'quick_replies_full', 'view_name_taken', 'views_full'];
    for (const file of files.filter(
      (path) => /(?<!\.test)\.ts$/.test(path) && !ofPortal.test(path),
    )) {
      const text = await readFile(file, 'utf8');
      for (const [, code = ''] of text.matchAll(/new Refusal\(\s*'(\w+)'/g)) thrown.add(code);
    }
    expect(thrown.size).toBeGreaterThan(15);
    const listed: readonly string[] = [...apiRefusals, ...portalOnly];
    const unlisted = [...thrown].filter((code) => !listed.includes(code));
    expect(unlisted).toEqual([]);
  });
});

test('answers in English to callers who prefer it to Indonesian, in Indonesian to all others', () => {
  const cases: [string | undefined, 'id' | 'en'][] = [
    [undefined, 'id'],
    ['', 'id'],
    ['*', 'id'],
    ['en', 'en'],
    ['en-GB,en;q=0.9', 'en'],
    ['EN-us', 'en'],
    ['id-ID,id;q=0.9,en-US;q=0.8,en;q=0.7', 'id'],
    ['fr, en;q=0.8, id;q=0.5', 'en'],
    ['id;q=0.3, en;q=0.4', 'en'],
    ['en, id', 'en'],
    ['id, en', 'id'],
    ['en;q=0', 'id'],
    ['en;q=x', 'id'],
    ['fr', 'id'],
    ['english', 'id'],
    [`${'x,'.repeat(10_000)}en`, 'id'],
  ];
  for (const [header, language] of cases) {
    expect(languageOf(header), String(header).slice(0, 40)).toBe(language);
  }
});

/** Translated words, and the word that shops use instead. */
const translated: Record<string, RegExp> = {
  email: /\bsurel\b/i,
  browser: /\bperamban\b/i,
  otomatis: /\bdengan sendirinya\b/i,
  minimal: /\bpaling sedikit\b/i,
  'pesan kesalahan': /\bgalat\b/i,
  kecepatan: /\blaju\b/i,
};

test('the interface and its documentation use the words of shops', async () => {
  const files = await Array.fromAsync(
    glob('{src/{web,contract,server}/**/*.{ts,tsx},docs/id/**/*.md}', {
      exclude: (path) => path.includes('.test.'),
    }),
  );
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })),
  );
  const found = texts.flatMap(({ file, text }) =>
    Object.entries(translated).flatMap(([word, pattern]) =>
      pattern.test(text) ? [`${file}: write “${word}” for ${pattern.exec(text)?.[0]}`] : [],
    ),
  );
  expect(found).toEqual([]);
});
