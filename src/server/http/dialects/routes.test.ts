import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import type { DialectDeps } from './dialect.ts';
import { openFonnte } from './fonnte.ts';
import { openWablas } from './wablas/wablas.ts';

const page = await readFile(join(import.meta.dirname, '../../../../docs/dialects.md'), 'utf8');

async function routesOf(open: (scope: FastifyInstance, deps: DialectDeps) => void) {
  const app = fastify();
  const routes = new Set<string>();
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.refusesMethod) return;
    const path = url.replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}');
    for (const one of [method].flat()) routes.add(`${one} ${path}`);
  });
  const access = { recordRejectedCall: () => undefined } as unknown as DialectDeps['access'];
  await app.register(async (scope) => open(scope, { access } as DialectDeps));
  await app.ready();
  await app.close();
  return [...routes].toSorted();
}

/** The addresses in a section's table, such as "`GET`, `POST /send`", one per method. */
function documented(section: string, isAnswered: boolean): string[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const found: string[] = [];
  for (const [, cell = '', here] of text.matchAll(/^\| ([^|]+) \| (same|differs|missing) \|/gm)) {
    if ((here !== 'missing') !== isAnswered || !/`[A-Z]+[ `]/.test(cell)) continue;
    let methods: string[] = [];
    let isOpen = false;
    for (const [, given] of cell.matchAll(/`([^`]+)`/g)) {
      const [, method, path] = /^([A-Z]+)?(?: ?(\/\S+))?$/.exec(given ?? '') ?? [];
      if (method !== undefined) methods = isOpen ? [...methods, method] : [method];
      isOpen = path === undefined;
      if (path !== undefined) found.push(...methods.map((one) => `${one} ${path}`));
    }
  }
  return found.toSorted();
}

test('the documentation names every Fonnte address, answered or missing', async () => {
  const answered = documented('Fonnte', true);
  const routes = [...answered, ...documented('Fonnte', false)];
  expect(routes.toSorted()).toEqual(await routesOf(openFonnte));
  const [, first = ''] = /^\| \[Fonnte\]\(#fonnte\) \| ([^|]+) \|/m.exec(page) ?? [];
  const named = [...first.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
  expect(new Set(named)).toEqual(new Set(answered.map((route) => route.split(' ')[1])));
});

test('the documentation names every Wablas address; all others below /api/ are missing', async () => {
  const routes = await routesOf(openWablas);
  const missing = routes.filter((route) => route.endsWith(' /api/*'));
  expect(missing).toHaveLength(5);
  expect(documented('Wablas', true)).toEqual(routes.filter((route) => !missing.includes(route)));
  expect(page).toContain('| [Wablas](#wablas) | `/api/…` |');
});
