import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiRefusals } from '#contract/rest.ts';
import { parseMarkdown } from './markdown.ts';
import { searchIn } from './search.ts';

const page = await readFile(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8');
const blocks = parseMarkdown(page);

test('every error is found by its code, with its cause and fix', () => {
  for (const code of apiRefusals) {
    const found = searchIn(blocks, code).find(({ id }) => id === 'errors');
    expect(found, code).toBeDefined();
  }
  const [found] = searchIn(blocks, 'token_invalid').filter(({ id }) => id === 'errors');
  expect(found?.words).toContain('401');
});

test('headings come first, and all words must be on one line', () => {
  expect(searchIn(blocks, 'opt-outs')[0]).toMatchObject({ title: 'POST /v1/opt-outs', words: '' });
  expect(searchIn(blocks, 'qxz limits')).toEqual([]);
  expect(searchIn(blocks, '  ')).toEqual([]);
  expect(searchIn(blocks, 'a').length).toBe(20);
});
