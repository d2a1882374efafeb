import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseMarkdown, type Block, type Inline } from './markdown.ts';
import { linkedHere } from './pages.ts';

const docs = join(import.meta.dirname, '../../../../docs');
const names = (await readdir(docs, { recursive: true })).flatMap(
  (name) => /^id\/(.+\.md)$/.exec(name.replaceAll('\\', '/'))?.[1] ?? [],
);

const read = async (name: string): Promise<Block[]> =>
  parseMarkdown(linkedHere(await readFile(join(docs, name), 'utf8')));

const codeIn = (line: readonly Inline[]) =>
  [...new Set(line.flatMap(({ kind, text }) => (kind === 'code' ? [text] : [])))].toSorted();

function linesOf(block: Block): (readonly Inline[])[] {
  if (block.kind === 'paragraph') return [block.line];
  if (block.kind === 'list') return [...block.items];
  return block.kind === 'table' ? [...block.head, ...block.rows.flat()] : [];
}

const linksOf = (block: Block) =>
  linesOf(block)
    .flat()
    .flatMap((inline) => (inline.kind === 'link' ? [inline.href] : []))
    .toSorted();

/** The parts of a block that both languages share: its form, code and links. */
function shapeOf(block: Block): object {
  const { kind } = block;
  if (kind === 'heading') return { kind, level: block.level, id: block.id };
  if (kind === 'code') return block;
  const links = linksOf(block);
  if (kind === 'list') return { kind, links, items: block.items.map(codeIn) };
  if (kind === 'paragraph') return { kind, links, code: codeIn(block.line) };
  return {
    kind,
    links,
    head: block.head.map(codeIn),
    rows: block.rows.map((row) => row.map(codeIn)),
  };
}

/** The blocks by the anchor of their section, in the order of the page. */
function sectionsOf(blocks: readonly Block[]): Map<string, object[]> {
  const sections = new Map<string, object[]>();
  let id = '';
  for (const block of blocks) {
    if (block.kind === 'heading') ({ id } = block);
    sections.set(id, [...(sections.get(id) ?? []), shapeOf(block)]);
  }
  return sections;
}

test.each(names)(
  'docs/id/%s has the sections, examples, tables and links of the English page',
  async (name) => {
    const [english, indonesian] = await Promise.all([read(name), read(`id/${name}`)]);
    const sections = sectionsOf(indonesian);
    const expected = sectionsOf(english);
    expect([...sections.keys()], 'headings').toEqual([...expected.keys()]);
    for (const [id, blocks] of expected)
      expect(sections.get(id), `section #${id} of docs/id/${name}`).toEqual(blocks);
  },
);

test('a translation that lacks a code, a row or a link of its section is refused', () => {
  const source = '## A\n\nThe `x` of [b](#b).\n\n| a | b |\n|---|---|\n| `c` | d |\n';
  const same = '## Huruf A {#a}\n\nSebuah `x` dari [b](#b).\n\n| a | b |\n|---|---|\n| `c` | e |\n';
  const shapes = (text: string) => sectionsOf(parseMarkdown(text)).get('a');
  expect(shapes(same)).toEqual(shapes(source));
  for (const [from, to] of [
    ['`x`', 'x'],
    ['[b](#b)', 'b'],
    ['| `c` | e |\n', ''],
    [' {#a}', ''],
  ] as const)
    expect(shapes(same.replace(from, to)), from).not.toEqual(shapes(source));
});
