import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const MAIN = 'src/server/main.ts';
const SQL = 'src/server/*.sql';

export type Versions = { older: string; newer: string } | { missing: string };

const git = async (...given: string[]): Promise<string> =>
  (await run('git', given, { cwd: root })).stdout.trim();

/**
 * Two adjacent versions: the newest release before this commit and this checkout. Before the first release,
 * without git history, or if the release has the same SQL, this checkout and a next version derived from it.
 * The other version is written into a folder. It runs with the packages of this checkout, unless it needs one that is
 * not installed, or another major version.
 */
export async function unpackVersions(folder: string): Promise<Versions> {
  const present = join(root, MAIN);
  const tag = await previousTag().catch(() => undefined);
  const isSame = tag !== undefined && (await git('diff', '--name-only', tag, '--', SQL)) === '';
  if (tag === undefined || isSame) {
    await writeNext(folder);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return { older: present, newer: join(folder, MAIN) };
  }
  const archive = join(folder, 'previous.tar');
  await git('archive', '--output', archive, tag, 'src', 'package.json');
  await run('tar', ['-xf', archive, '-C', folder]);
  const unfit = await unfitPackages(folder);
  if (unfit.length > 0) return { missing: `${tag} needs other packages: ${unfit.join(', ')}` };
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { older: join(folder, MAIN), newer: present };
}

async function previousTag(): Promise<string | undefined> {
  if ((await git('rev-parse', '--is-shallow-repository')) !== 'false') return undefined;
  return git('describe', '--tags', '--abbrev=0', 'HEAD^');
}

/** A next version: a higher number, an additive migration, and functions with changed text. */
async function writeNext(folder: string): Promise<void> {
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
  const file = await readFile(join(root, 'package.json'), 'utf8');
  const { version, ...rest } = JSON.parse(file) as { version: string };
  const next = { ...rest, version: `${Number(version.split('.')[0])}.999.0` };
  await writeFile(join(folder, 'package.json'), JSON.stringify(next));
  const server = join(folder, 'src/server');
  await writeFile(
    join(server, 'migrations/9999_next.sql'),
    "alter table accounts add column next text not null default '';",
  );
  await appendFile(join(server, 'infra/postgres/base.sql'), '\n-- Changed by the next version.\n');
}

/** Production packages that are not installed in the major version that a checkout requires. */
async function unfitPackages(folder: string): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const unfit: string[] = [];
  for (const [name, version] of Object.entries(dependencies)) {
    const file = join(root, 'node_modules', name, 'package.json');
    const here = existsSync(file)
      ? (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
      : 'none';
    if (here.split('.')[0] !== version.split('.')[0]) unfit.push(`${name} ${version}`);
  }
  return unfit;
}
