import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { screens } from '#server/http/site/static.ts';

const file = join(import.meta.dirname, '..', 'src/web/app/routes/routes.tsx');
/** Answered by rules of their own: any code, the simulator's installations, the gallery's builds. */
const ruled = ['/scan/$data', '/simulator', '/__galeri/{-$piece}'];

test('the server knows every address of the web app, and no other', async () => {
  const routes = new Map(
    [
      ...(await readFile(file, 'utf8')).matchAll(
        /const (\w+) = createRoute\(\{\s+getParentRoute: \(\) => (\w+),(?:\s+path: '([^']*)')?/g,
      ),
    ].map(([, name = '', parent = '', path = '']) => [name, { parent, path }]),
  );
  const addressOf = (name: string): string => {
    const route = routes.get(name);
    if (!route) return '';
    return `${addressOf(route.parent)}/${route.path}`.replaceAll(/\/+/g, '/');
  };
  const addresses = new Set(
    [...routes.keys()].map((name) => addressOf(name).replace(/(.)\/$/, '$1')),
  );
  const missing = [...addresses].filter((one) => !screens.has(one) && !ruled.includes(one));
  expect(missing, 'add them to screens in src/server/http/site/static.ts').toEqual([]);
  expect([...screens].filter((one) => !addresses.has(one))).toEqual([]);
});
