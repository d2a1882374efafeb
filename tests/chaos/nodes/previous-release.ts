import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const MIGRATIONS = 'src/server/migrations';

/** The release before, as it can be started; or why it cannot be had here. */
export type Previous = { main: string; commit: string } | { missing: string };

const git = async (...given: string[]): Promise<string> =>
  (await run('git', given, { cwd: root })).stdout.trim();

/**
 * Unpacks the release before this one into a folder: the newest tag that this commit comes after; without tags,
 * the commit before the newest migration, so that the database changes between the two. It works with the
 * packages of this checkout, unless it needs one that is not here, or of another major version.
 */
export async function unpackPrevious(folder: string): Promise<Previous> {
  const commit = await previousCommit().catch(() => undefined);
  if (commit === undefined) return { missing: 'there is no git history here' };
  const archive = join(folder, 'previous.tar');
  await git('archive', '--output', archive, commit, 'src', 'package.json');
  await run('tar', ['-xf', archive, '-C', folder]);
  const unfit = await unfitPackages(folder);
  if (unfit.length > 0) return { missing: `${commit} needs other packages: ${unfit.join(', ')}` };
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { main: join(folder, 'src/server/main.ts'), commit };
}

async function previousCommit(): Promise<string | undefined> {
  if ((await git('rev-parse', '--is-shallow-repository')) !== 'false') return undefined;
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => undefined);
  if (tag !== undefined) return tag;
  // One that was written and not committed yet.
  if ((await git('status', '--porcelain', '--', MIGRATIONS)) !== '')
    return git('rev-parse', 'HEAD');
  const newest = await git('log', '-1', '--diff-filter=A', '--format=%H', '--', MIGRATIONS);
  return git('rev-parse', `${newest}^`);
}

/** Packages of production that are not here in the major version that a checkout asks for. */
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
