import { posix } from 'node:path';
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

async function readAll(pattern: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const file of glob(pattern)) files.set(file, await readFile(file, 'utf8'));
  return files;
}

const sheets = await readAll('{src/web,stories}/**/*.module.css');
const parts = await readAll('{src/web,stories}/**/*.{ts,tsx}');

const classesIn = (css: string): Set<string> =>
  new Set([...css.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name));

const uses = [...parts].flatMap(([file, text]) => {
  const imports = text.matchAll(/import (\w+) from '(#web|#stories|\.)\/([^']+\.module\.css)'/g);
  return [...imports].map(([, as = '', from = '', path = '']) => {
    const folders: Record<string, string> = { '#web': 'src/web', '#stories': 'stories' };
    const sheet = posix.join(folders[from] ?? posix.dirname(file), path);
    const named = text.matchAll(new RegExp(`\\b(?:${as}\\[|part\\()'([^']+)'`, 'g'));
    return { file, sheet, named: [...named].map(([, name = '']) => name) };
  });
});

test('every class that a component names is in its stylesheet', () => {
  const missing = uses.flatMap(({ file, sheet, named }) => {
    const known = classesIn(sheets.get(sheet) ?? '');
    return named.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`);
  });
  expect(uses.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('every stylesheet has a component that uses it', () => {
  const used = new Set(uses.map(({ sheet }) => sheet));
  expect([...sheets.keys()].filter((sheet) => !used.has(sheet))).toEqual([]);
});

test('every class name that a component writes is in layout.css, and every class there is used', async () => {
  const known = classesIn(await readFile('src/web/styles/layout.css', 'utf8'));
  const texts = [...parts].flatMap(([file, text]) =>
    [...text.matchAll(/className=(?:"([^"]+)"|\{classes\(\s*'([^']+)')/g)].map(
      ([, attribute, argument]) => ({ file, names: (attribute ?? argument ?? '').split(' ') }),
    ),
  );
  const unknown = texts.flatMap(({ file, names }) =>
    names.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
  const words = new Set(
    [...parts.values()].flatMap((text) =>
      [...text.matchAll(/['"]([\w -]+)['"]/g)].flatMap(([, words = '']) => words.split(' ')),
    ),
  );
  expect([...known].filter((name) => !words.has(name))).toEqual([]);
});

test('every custom property that a stylesheet reads is set somewhere', async () => {
  const all = [...(await readAll('{src/web,stories}/**/*.css')).values()].join('\n');
  const code = [...parts.values()].join('\n');
  const set = new Set(
    [...`${all}\n${code}`.matchAll(/(--[\w-]+)(?:'?:|',)/g)].map(([, name]) => name),
  );
  const read = [...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
  expect([...new Set(read)].filter((name) => !set.has(name))).toEqual([]);
});

/** The widths at which windows change their layout, in px; a container may also have the widths of its own content. */
const windows = [360, 480, 768, 1024, 1360];
const containers = new Map([
  ['src/web/app/layout/frame.module.css', 101],
  ['src/web/features/saldo/saldo.module.css', 330],
  ['src/web/ui/pagination/Pagination.module.css', 641],
  ['src/web/ui/table/table.module.css', 1_000],
]);
/** Narrower tables are cards. */
const CARDS = 680;

test('layouts change at the listed widths only', () => {
  const others = [...sheets].flatMap(([file, css]) =>
    [...css.matchAll(/@(media|container)[^{]*?(min|max)-width: (\d+)px/g)]
      .map(([, kind, edge, px]) => ({ kind, from: Number(px) + (edge === 'max' ? 1 : 0) }))
      .filter(({ kind, from }) => {
        if (windows.includes(from)) return false;
        return kind === 'media' || (from !== CARDS && from !== containers.get(file));
      })
      .map(({ kind, from }) => `${file}: ${kind} ${from}`),
  );
  expect(others).toEqual([]);
});
