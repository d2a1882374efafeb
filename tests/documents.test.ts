import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, posix, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const OWN = 'tests/documents.test.ts';

type File = { path: string; text: string };

async function filesIn(folder: string, ends: RegExp): Promise<File[]> {
  const found = await readdir(join(root, folder), { recursive: true });
  const paths = found
    .map((file) => posix.join(folder, file.split(sep).join('/')))
    .filter((file) => ends.test(file) && !/(^|\/)\./.test(file));
  return Promise.all(paths.map(read));
}

const read = async (path: string): Promise<File> => ({
  path,
  text: await readFile(join(root, path), 'utf8'),
});

const inRepository = (path: string): boolean => existsSync(join(root, path));

/** A link to a page without a translation opens the English one, as in the portal. */
const pageAt = (target: string): string =>
  inRepository(target) ? target : target.replace(/^docs\/id\//, 'docs/');

const pages = [...(await filesIn('docs', /\.md$/)), await read('README.md')];
const folders = ['src', 'tests', 'tools', 'bench'];
const sources = (await Promise.all(folders.map((folder) => filesIn(folder, /\.\w+$/))))
  .flat()
  .filter(({ path }) => /\.(tsx?|mjs|css|sql|md)$/.test(path) && path !== OWN);
const allFiles = [...sources, ...pages];
const packageJson = await read('package.json');

/** The anchor of a heading: GitHub's, or the English one that a translation names. */
const anchorOf = (heading: string): string =>
  / \{#([\w-]+)\}$/.exec(heading)?.[1] ??
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** A page without code fences: examples contain no headings or links. */
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

const anchors = new Map(
  pages.map(({ path, text }) => [
    path,
    new Set([...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title!))),
  ]),
);

function linkResolves(target: string, anchor: string | undefined): boolean {
  const path = pageAt(target);
  if (!inRepository(path)) return false;
  return anchor === undefined || (anchors.get(path)?.has(anchor) ?? false);
}

test('every named document is in the repository', () => {
  const lost = allFiles.flatMap(({ path, text }) =>
    [...text.matchAll(/[\w./-]*\w\.md\b/g)]
      .map(([name]) => name)
      .filter((name) => {
        const places = [name, posix.join('docs', name), pageAt(posix.join(dirname(path), name))];
        return !places.some(inRepository);
      })
      .map((name) => `${path} names ${name}`),
  );
  expect(lost).toEqual([]);
});

test('nothing cites a ruling or section by number', () => {
  const outside =
    /\brulings?,? \d|\bspecification\b|\bsecurity, T\d|\bledger\.md|\.\.\/shared\/\w+\.md/i;
  const citing = allFiles.filter(({ text }) => outside.test(text)).map(({ path }) => path);
  expect(citing).toEqual([]);
});

test('every section that code cites is a heading, and every threat a row', async () => {
  const threats = await read('docs/threats.md');
  const rows = new Set([...threats.text.matchAll(/^\| (T\d+) \|/gm)].map(([, row]) => row!));
  const lost = sources.flatMap(({ path, text }) => {
    const sections = [...text.matchAll(/\b(docs\/[\w/-]+\.md)#([\w-]+)/g)]
      .filter(([, page, anchor]) => !linkResolves(page!, anchor))
      .map(([citation]) => citation);
    const numbers = [...text.matchAll(/docs\/threats\.md, (T\d+)(?: to (T\d+))?/g)]
      .flatMap(([, first, last]) => [first!, last ?? first!])
      .filter((row) => !rows.has(row));
    return [...sections, ...numbers].map((citation) => `${path} cites ${citation}`);
  });
  expect(lost).toEqual([]);
});

test('every link between pages resolves, with its section', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, target, anchor]) => {
        const page = target === '' ? path : posix.join(dirname(path), target!);
        return !linkResolves(page, anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

const outer = pages.filter(({ path }) =>
  /^(docs\/((internals|id)\/)?[^/]+|README)\.md$/.test(path),
);

test('every path that a page names is a file or a folder of the repository', () => {
  const lost = outer.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:src|tests|tools|bench)\/[\w./-]*[\w/]/g)]
      .map(([named]) => named)
      // `src/server/migrations/NNNN_name.sql` is a pattern for names.
      .filter((named) => !named.includes('NNNN') && !inRepository(named))
      .map((named) => `${path} names ${named}`),
  );
  expect(lost).toEqual([]);
});

/** Pages about the code name server files without `src/server/` and `domains/`, others without `src/`. */
const hasSource = (named: string): boolean =>
  ['', 'src', 'src/server', 'src/server/domains'].some((folder) =>
    inRepository(posix.join(folder, named)),
  );
const filesNamed = (text: string): string[] => [
  ...new Set([...text.matchAll(/`([\w-]+\/[\w./-]+\.(?:tsx?|sql))`/g)].map(([, file]) => file!)),
];

test('every file that a page about the code names exists', () => {
  const lost = pages
    .filter(({ path }) => /^docs\/(ARCHITECTURE|internals\/.+)\.md$/.test(path))
    .flatMap(({ path, text }) =>
      filesNamed(text)
        .filter((file) => !hasSource(file))
        .map((file) => `${path} names ${file}`),
    );
  expect(lost).toEqual([]);
});

test('each of the five paths has as many files as its heading says', async () => {
  const { text } = await read('docs/ARCHITECTURE.md');
  const paths = [...text.matchAll(/^### (.+): (\d+) files\n\n((?:\d+\. .+\n)+)/gm)];
  expect(paths).toHaveLength(5);
  const counted = paths.map(([, title, , steps]) => `${title}: ${filesNamed(steps!).length} files`);
  expect(counted).toEqual(paths.map(([, title, count]) => `${title}: ${count} files`));
});

test('the diagrams of the tables draw a solid line for each foreign key they show', async () => {
  const page = await read('docs/ARCHITECTURE.md');
  const baseline = await read('src/server/migrations/0001_baseline.sql');
  const references = new Map(
    [...baseline.text.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm)].map(
      ([, table, body]) => [
        table!,
        new Set([...body!.matchAll(/ references (\w+)/g)].map(([, parent]) => parent!)),
      ],
    ),
  );
  const lines = [...page.text.matchAll(/^ {2}(\w+) \S\S(--|\.\.)\S\S (\w+) : .+$/gm)];
  expect(lines.length).toBeGreaterThan(40);
  const wrong = lines.filter(([, parent, line, child]) => {
    if (!references.has(parent!) || !references.has(child!)) return true;
    return (line === '--') !== references.get(child!)!.has(parent!);
  });
  expect(wrong.map(([line]) => line)).toEqual([]);
});

test('every test that a page names exists, and so does the proof of each threat', () => {
  const tests = [...sources.map(({ path }) => `/${path}`), `/${OWN}`].filter((path) =>
    path.endsWith('.test.ts'),
  );
  const lost = outer.flatMap(({ path, text }) =>
    [...text.matchAll(/[\w./-]+\.test\.ts\b/g)]
      .filter(([named]) => !tests.some((one) => one.endsWith(`/${named}`)))
      .map(([named]) => `${path} names ${named}`),
  );
  expect(lost).toEqual([]);
  const threats = outer.find(({ path }) => path === 'docs/threats.md')!;
  const unproved = threats.text
    .split('\n')
    .filter((line) => /^\| T\d+ \|/.test(line) && !/\.test\.ts|#api-keys/.test(line));
  expect(unproved).toEqual([]);
});

test('every line of an example for contributors is a line of the repository', async () => {
  const page = await read('docs/contributing.md');
  const lines = new Set(sources.flatMap(({ text }) => text.split('\n').map((one) => one.trim())));
  const made = [...page.text.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)]
    .flatMap(([, example]) => example!.split('\n').map((one) => one.trim()))
    .filter((line) => line !== '' && line !== '// …' && !lines.has(line));
  expect(made).toEqual([]);
});

test('every identifier on a page about the code is in the code', () => {
  const code = [...sources.map(({ text }) => text), packageJson.text].join('\n');
  // The naming table lists former names.
  const unknown = outer
    .filter(({ path }) => path !== 'docs/style.md')
    .flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/`([\w.]+(?:\(\))?)`/g)]
        .filter(([, name]) => !/\.(ts|tsx|mjs|md|sql|css)$/.test(name!))
        .flatMap(([, name]) => name!.replace('()', '').split('.'))
        .filter((name) => /[a-z][A-Z]|[a-z]_[a-z]/.test(name) && !code.includes(name))
        .map((name) => `${path} says ${name}`),
    );
  expect(unknown).toEqual([]);
});

function cellsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const isHead = (at: number) => /^[|\s-]+$/.test(rows[at + 1] ?? '');
  return rows
    .filter((line, at) => !/^[|\s-]+$/.test(line) && !isHead(at))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the glossary uses no word that the naming table replaces', async () => {
  const [style, glossary] = await Promise.all([read('docs/style.md'), read('docs/glossary.md')]);
  const banned = cellsOf(style.text).flatMap(([not = '']) =>
    [...not.matchAll(/`([^`]+)`/g)].map(([, word]) => word!),
  );
  expect(banned.length).toBeGreaterThan(40);
  const used = banned.filter((word) => {
    const exact = /[A-Z]/.test(word) ? '' : 'i';
    return new RegExp(`(?<![\\w-])${word.replaceAll('.', '\\.')}(?![\\w-])`, exact).test(
      glossary.text,
    );
  });
  expect(used).toEqual([]);
});

test('every label that the glossary quotes from the screen is on the screen', async () => {
  const glossary = await read('docs/glossary.md');
  const shown = sources
    .filter(({ path }) => /^src\/(web|contract)\//.test(path) && !path.includes('.test.'))
    .map(({ text }) => text.toLowerCase())
    .join('\n');
  const missing = cellsOf(glossary.text)
    .flatMap(([, screen = '']) => screen.split(/, |: /))
    .filter((word) => word !== '—' && !shown.includes(word.toLowerCase()));
  expect(missing).toEqual([]);
});
