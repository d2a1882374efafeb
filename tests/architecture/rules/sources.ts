import { readFile, readdir } from 'node:fs/promises';
import { join, posix, resolve, sep } from 'node:path';

export type Sources = ReadonlyMap<string, string>;

/** Returns each violation with its remedy, and an empty list if the rule holds. */
export type Rule = (sources: Sources) => string[];

export const root = resolve(import.meta.dirname, '../../..');

const FOLDERS = ['src', 'stories', 'tests', 'bench', 'tools'];
const READ = /\.(tsx?|mjs|css|sql)$/;

let reading: Promise<Sources> | undefined;

export const repository = (): Promise<Sources> => (reading ??= readSources());

async function readSources(): Promise<Sources> {
  const found = await Promise.all(FOLDERS.map((folder) => filesIn(folder)));
  const files = found.flat().toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return new Map(files.map((file, at) => [file, texts[at] ?? '']));
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(join(root, folder), { recursive: true });
  return found
    .map((file) => posix.join(folder, file.split(sep).join('/')))
    .filter((file) => READ.test(file) && !/(^|\/)\./.test(file));
}

export const syntheticSources = (files: Readonly<Record<string, string>>): Sources =>
  new Map(Object.entries(files));

export const isTest = (file: string): boolean => /\.(test|spec)\.tsx?$/.test(file);

export const sourcesIn = (sources: Sources, folder: string, ends = /\.tsx?$/): [string, string][] =>
  [...sources].filter(
    ([file]) => file.startsWith(`${folder}/`) && ends.test(file) && !isTest(file),
  );

const importing = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)'([^'\n]+)'/g;
const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

export const importsOf = (text: string): string[] =>
  [...text.replace(comments, '').matchAll(importing)].map(([, name = '']) => name);

/** Resolves an import to a path; undefined for packages. */
export function pathOf(name: string, file: string): string | undefined {
  const [bare = ''] = name.split('?');
  if (/^#(?:tests|stories)\//.test(bare)) return bare.slice(1);
  if (bare.startsWith('#')) return `src/${bare.slice(1)}`;
  return bare.startsWith('.') ? posix.join(posix.dirname(file), bare) : undefined;
}

export const importsIn = (sources: Sources, folder: string): Map<string, string[]> =>
  new Map(
    sourcesIn(sources, folder).map(([file, text]) => {
      const paths = importsOf(text).map((name) => pathOf(name, file));
      return [file, [...new Set(paths.filter((path) => path !== undefined && path !== file))]];
    }),
  ) as Map<string, string[]>;

export function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    index.set(node, index.size);
    let lowest = index.size - 1;
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!edges.has(next)) continue;
      if (!index.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, index.get(next) ?? lowest);
    }
    low.set(node, lowest);
    if (lowest === index.get(node)) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) found.push(group.toSorted());
    }
    return lowest;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return found;
}
