import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Locked = {
  version?: string;
  optional?: boolean;
  integrity?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

async function readLockfile(): Promise<Map<string, Locked>> {
  const text = await readFile(join(import.meta.dirname, '../package-lock.json'), 'utf8');
  return new Map(
    Object.entries((JSON.parse(text) as { packages: Record<string, Locked> }).packages),
  );
}

/** Whether npm finds a package that another needs: in its own folder, or in one above it. */
function find(packages: ReadonlyMap<string, Locked>, from: string, name: string): boolean {
  for (
    let place = from;
    ;
    place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))
  ) {
    if (packages.has(`${place === '' ? '' : `${place}/`}node_modules/${name}`)) return true;
    if (place === '') return false;
  }
}

test('the lockfile names every package for every system, so that npm ci accepts it everywhere', async () => {
  const packages = await readLockfile();
  const missing = [...packages].flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !find(packages, place, name))
      .map((name) => `${name}, asked for by ${place || 'package.json'}`),
  );
  expect(missing).toEqual([]);
});

test('npm ci itself accepts it', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-lockfile-'));
  for (const name of ['package.json', 'package-lock.json']) {
    await copyFile(join(import.meta.dirname, '..', name), join(folder, name));
  }
  const given = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const windows = process.platform === 'win32';
  const npm = spawnSync(
    windows ? 'npm.cmd' : 'npm',
    [...given, `--cache=${join(folder, 'cache')}`],
    {
      cwd: folder,
      encoding: 'utf8',
      shell: windows,
    },
  );
  await rm(folder, { recursive: true, force: true });
  expect(npm.stderr).not.toContain('npm error');
  expect(npm.status).toBe(0);
});

test('every package has an integrity hash, and no fixed registry', async () => {
  const packages = [...(await readLockfile())].filter(([place]) => place !== '');
  expect(packages.length).toBeGreaterThan(300);
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
