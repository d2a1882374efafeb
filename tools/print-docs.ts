/**
 * `npm run docs`: prints the pages generated from code, so that they stay up to date. With `--check` it writes nothing
 * and names outdated pages.
 */
import { commonRefusals } from '#contract/base/act.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { englishFor } from '#contract/language/english.ts';
import { type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { sentenceFor } from '#contract/language/indonesian.ts';
import { settings } from '#server/infra/settings/settings.ts';
import { rulesPage } from './rules-page.ts';

const docs = join(import.meta.dirname, '../docs');
const printed = '<!-- Printed by `npm run docs`; change the code it comes from instead. -->';

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const cells = [head, ...lines].map((line) => line.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const row = (line: readonly string[]) =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [top = [], ...rest] = cells;
  return [row(top), row(widths.map((width) => '-'.repeat(width))), ...rest.map(row)].join('\n');
}

function settingsPage(): string {
  const lines = Object.entries(settings).map(([name, { means, fallback, ...how }]) => [
    `\`${name}\`${how.secret ? ' *' : ''}`,
    fallback === undefined || fallback === '' ? '' : `\`${fallback}\``,
    'live' in how ? 'yes' : '',
    means,
  ]);
  return `# Settings

${printed}

Settings are environment variables; \`npm start\` also reads them from a file \`.env\` beside
\`package.json\`. An empty one counts as absent. One that makes no sense stops the start with one
sentence. A secret one (*) may stand in a file instead, which the same name with \`_FILE\` names:
\`SECRET_KEY_FILE=/run/secrets/kabari\`.

"Live" marks those that an admin may also change in the portal, at /operator/pengaturan, while it runs. What was
saved there wins over the environment, on every node within two seconds, until it is reset ("Kembalikan ke
bawaan"); the page shows both, and who changed it when and why. The others are read at the start: they are secret,
name addresses and files, or are promises that must not change under work that has begun.

${table(['Setting', 'Default', 'Live', 'Meaning'], lines)}
`;
}

const example = {
  by: 'Rina',
  account: '1234567890',
  ours: '8800123456',
  seconds: 30,
  hours: 23,
  left: 3,
  line: 12,
  limit: 5,
  minimum: 10_000,
  maximum: 10_000_000,
  total: 100_217,
  received: 100_000,
  required: 15_000,
  available: 2_500,
  request: 'req_01JD8ZK3',
  allow: 'GET, HEAD, OPTIONS',
  why: 'akhir tidak terduga',
  what: 'Pesan',
  ref: 'pesanan-17',
  day: '2026-11-30',
  address: '203.0.113.7',
  scope: 'messages.send',
  status: 'sent',
  fields: {},
  allowed: 'JPG, PNG, WEBP',
  bytesMax: 5_000_000,
  offset: 5_000_000,
  length: 12_000_000,
  captured: 150,
  lacking: 1_500,
  type: 'image',
  variable: 'nomor',
  name: 'pesanan_siap',
  languages: 'id, en',
  language: 'id',
  expected: 2,
  given: 1,
  text: 'Pendaftaran akun baru sedang ditutup.',
  code: 190,
  templates: 3,
  missing: 'content',
  header: 'image',
  buttons: [1],
};

/** Facts whose name has another meaning in these refusals. */
const ownExamples: Partial<Record<RefusalCode, object>> = {
  webhook_unconfirmed: { status: 503, why: 'status' },
  recipients_unreadable: { why: 'no_numbers' },
  template_value_unfit: { why: 'breaks' },
};

/** @throws Error when a sentence could mention a fact that has no example here. */
function factsOf(code: RefusalCode): string[] {
  const facts = Object.keys(refusals[code].facts().shape);
  const missing = facts.find((fact) => !(fact in example));
  if (missing !== undefined) throw new Error(`print-docs: give an example of the fact ${missing}`);
  return facts;
}

function errorsPage(): string {
  const lines = Object.entries(refusals).map(([name, entry]) => {
    const code = name as RefusalCode;
    const facts = { ...example, ...ownExamples[code] };
    return [
      `\`${code}\``,
      String(entry.status),
      'retryable' in entry ? 'yes' : '',
      factsOf(code)
        .map((fact) => `\`${fact}\``)
        .join(', '),
      sentenceFor({ code, facts }),
      englishFor({ code, facts }),
    ];
  });
  return `# Errors

${printed}

Every way Kabari says no. \`type\` never changes its meaning; the sentences may get better. "Again" marks
what the same request may overcome later. Facts in the sentences below are examples. Any request may
be answered by ${commonRefusals.map((code) => `\`${code}\``).join(', ')}.

${table(['Type', 'Status', 'Again', 'Facts', 'Sentence', 'In English'], lines)}
`;
}

const pages = {
  'settings.md': settingsPage(),
  'errors.md': errorsPage(),
  'rules.md': await rulesPage(printed, table),
};
const behind: string[] = [];
for (const [name, text] of Object.entries(pages)) {
  const file = join(docs, name);
  const old = await readFile(file, 'utf8').catch(() => '');
  if (old === text) continue;
  behind.push(name);
  if (!process.argv.includes('--check')) await writeFile(file, text);
}
if (process.argv.includes('--check') && behind.length > 0) {
  console.error(`Behind the code: docs/${behind.join(', docs/')}. Run npm run docs.`);
  process.exitCode = 1;
}
