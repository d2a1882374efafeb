import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test as base } from 'vitest';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'kabari-ready-')));
    await mkdir(join(folder, 'tools'));
    for (const name of ['ready.mjs', 'bundle-server.mjs']) {
      await cp(join(import.meta.dirname, name), join(folder, 'tools', name));
    }
    await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, 'src/server/domains'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module","sideEffects":false}');
    await writeFile(
      join(folder, 'src/server/main.ts'),
      `import { place } from './domains/place.ts';\nconsole.log(place);`,
    );
    await writeFile(
      join(folder, 'src/server/domains/place.ts'),
      `const url: string = new URL('place.sql', import.meta.url).href;\nexport const place = import.meta.dirname + ' ' + url;`,
    );
    await writeFile(join(folder, 'src/server/domains/place.sql'), 'select 1;');
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** Calls the checkout's own `ready.mjs`; the tools are plain JavaScript, without types here. */
function call(folder: string, code: string): unknown {
  const program = `import * as ready from ${JSON.stringify(join(folder, 'tools/ready.mjs'))};
    process.stdout.write(JSON.stringify(${code} ?? null));`;
  const given = ['--input-type=module', '--eval', program];
  return JSON.parse(String(execFileSync(process.execPath, given, { cwd: folder })));
}

test('the server starts from its bundle, and from its sources once one of them has changed', async ({
  folder,
}) => {
  const entry = () => call(folder, 'ready.serverEntry()');
  const bundle = () => call(folder, 'ready.bundleServer(process.execPath)');
  expect(entry()).toBe('src/server/main.ts');
  bundle();
  expect(entry()).toBe(join(folder, 'dist-server/main.js'));
  // A module in the bundle finds its neighbours, even after the folder was moved.
  const run = (where: string) =>
    execFileSync(process.execPath, [join(where, 'dist-server/main.js')], { encoding: 'utf8' });
  const placesIn = (where: string) => {
    const neighbours = join(where, 'src/server/domains');
    return `${neighbours} ${pathToFileURL(join(neighbours, 'place.sql')).href}\n`;
  };
  expect(run(folder)).toBe(placesIn(folder));
  const moved = `${folder}-moved`;
  await rename(folder, moved);
  expect(call(moved, 'ready.serverEntry()')).toBe(join(moved, 'dist-server/main.js'));
  expect(run(moved)).toBe(placesIn(moved));
  await rename(moved, folder);

  await writeFile(join(folder, 'src/server/domains/place.sql'), 'select 2;');
  await writeFile(join(folder, 'src/server/domains/place.test.ts'), '');
  expect(entry()).toBe(join(folder, 'dist-server/main.js'));
  await writeFile(join(folder, 'src/server/domains/place.ts'), `export const place = 'new';`);
  expect(entry()).toBe('src/server/main.ts');
  bundle();
  expect(execFileSync(process.execPath, [String(entry())], { encoding: 'utf8' })).toBe('new\n');
});

test('a server that cannot be bundled starts from its sources', async ({ folder }) => {
  call(folder, 'ready.bundleServer(process.execPath)');
  await writeFile(join(folder, 'src/server/domains/place.ts'), 'export const place = ;');
  expect(call(folder, 'ready.bundleServer(process.execPath)')).toBeNull();
  expect(call(folder, 'ready.serverEntry()')).toBe('src/server/main.ts');
});
