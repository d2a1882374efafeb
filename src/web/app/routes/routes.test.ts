import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const open = ['/scan/$data', '/simulator', '/docs', '/leaving'];

test('redirects signed-out visitors to login from every page but the public ones', async () => {
  const text = await readFile(new URL('routes.ts', import.meta.url), 'utf8');
  const pages = [
    ...text.matchAll(/^ {2}'(\/[^']*)': (\{[^\n]*page[^\n]*\}|\{\n[\s\S]*?\n {2}\}),$/gm),
  ];
  const inLayout = (layout: string) =>
    pages
      .filter(([, , route = '']) => route.includes(`layout: ${layout},`))
      .map(([, path]) => path);
  expect(inLayout('app')).toEqual([
    '/',
    '/token',
    '/token/templat',
    '/token/webhook',
    '/message-history',
    '/message-history/kiriman',
    '/message-history/ekspor',
    '/message-history/berhenti',
    '/saldo',
    '/billing',
    '/customer-service',
    '/profile',
    '/operator/*',
  ]);
  const others = pages
    .map(([, path = '']) => path)
    .filter((path) => !inLayout('app').includes(path) && !inLayout('auth').includes(path));
  expect(others.toSorted()).toEqual(open.toSorted());
});
