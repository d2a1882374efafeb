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

test('every stylesheet puts its rules into a layer', () => {
  const loose = [...sheets].filter(([, css]) => !/^@layer (?:ui|features) \{/.test(css));
  expect(loose.map(([file]) => file)).toEqual([]);
});
