import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Inline, parseInline, parseMarkdown } from './markdown.ts';
import { linkedHere } from './pages.ts';

const page = await readFile(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8');

test('parses headings, paragraphs, lists, tables and code', () => {
  const source = `# One\n\nTwo lines\nof \`code\`.\n\n- a\n  goes on\n- **b**\n\n| x | y |\n|---|---|\n| 1 | \\|2 |\n\n\`\`\`json 202\n# no heading\n| no table |\n\`\`\`\n## GET /v1/x/{id}\n`;
  expect(parseMarkdown(source)).toEqual([
    { kind: 'heading', level: 1, id: 'one', text: 'One' },
    {
      kind: 'paragraph',
      line: [
        { kind: 'text', text: 'Two lines of ' },
        { kind: 'code', text: 'code' },
        { kind: 'text', text: '.' },
      ],
    },
    {
      kind: 'list',
      items: [[{ kind: 'text', text: 'a goes on' }], [{ kind: 'strong', text: 'b' }]],
    },
    {
      kind: 'table',
      head: [[{ kind: 'text', text: 'x' }], [{ kind: 'text', text: 'y' }]],
      rows: [[[{ kind: 'text', text: '1' }], [{ kind: 'text', text: '|2' }]]],
    },
    { kind: 'code', language: 'json', note: '202', code: '# no heading\n| no table |' },
    { kind: 'heading', level: 2, id: 'get-v1xid', text: 'GET /v1/x/{id}' },
  ]);
});

test('a heading may have the anchor of its translation', () => {
  expect(parseMarkdown('## Batas {#limits}\n### GET /v1/x/{id}')).toEqual([
    { kind: 'heading', level: 2, id: 'limits', text: 'Batas' },
    { kind: 'heading', level: 3, id: 'get-v1xid', text: 'GET /v1/x/{id}' },
  ]);
});

test('links may point within the page, to own addresses, or to https; others become text', () => {
  const kinds = (line: string) => parseInline(line).map(({ kind }) => kind);
  for (const href of ['#a', '/token', 'https://a.example/b']) {
    expect(kinds(`[x](${href})`)).toEqual(['link']);
  }
  for (const href of ['javascript:alert(1)', '//a.example', 'data:text/html,x', 'errors.md']) {
    expect(new Set(kinds(`[x](${href})`))).toEqual(new Set(['text']));
  }
});

test('a link to a document that is no page shows its text alone', () => {
  expect(parseInline('[`settings`](settings.md)')).toEqual([{ kind: 'text', text: 'settings' }]);
});

test('emphasis is rendered, and a lone asterisk is text', () => {
  expect(parseInline('*Terkirim*, `*` and 2 * 3 * 4')).toEqual([
    { kind: 'emphasis', text: 'Terkirim' },
    { kind: 'text', text: ', ' },
    { kind: 'code', text: '*' },
    { kind: 'text', text: ' and 2 * 3 * 4' },
  ]);
});

test('an open fence or a broken table ends without losing text', () => {
  expect(parseMarkdown('```sh\nx')).toEqual([
    { kind: 'code', language: 'sh', note: '', code: 'x' },
  ]);
  expect(parseMarkdown('| a')).toMatchObject([{ kind: 'table', rows: [] }]);
  expect(parseMarkdown('')).toEqual([]);
});

test('the API page parses fully, and its links resolve', () => {
  const blocks = parseMarkdown(linkedHere(page));
  const ids = blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  const lines: readonly Inline[][] = blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return [[...block.line]];
    if (block.kind === 'list') return block.items.map((one) => [...one]);
    return block.kind === 'table'
      ? [...block.head, ...block.rows.flat()].map((one) => [...one])
      : [];
  });
  for (const inline of lines.flat()) {
    if (inline.kind === 'link' && !inline.href.startsWith('/docs?page=')) {
      expect(ids).toContain(inline.href.slice(1));
    }
    if (inline.kind === 'text') expect(inline.text).not.toMatch(/`|\*\*|\]\(/);
  }
  const codes = blocks.filter(({ kind }) => kind === 'code');
  expect(codes).toHaveLength((page.match(/^```/gm) ?? []).length / 2);
});
