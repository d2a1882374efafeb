import type { Tx } from '#server/infra/postgres/database.ts';
import { readPlaced } from '#server/infra/postgres/distribution/cluster.ts';

/**
 * Splits a file into commands at each `;` outside of comments, texts, and bodies between `$$`.
 *
 * @throws Error if the file has a comment or a body of another kind.
 */
export function commandsOf(text: string): string[] {
  const odd = /\/\*|\$\w+\$/.exec(text.replaceAll(/--[^\n]*/g, ''));
  if (odd) throw new Error(`SQL is not read behind ${odd[0]}: write -- and $$`);
  const commands = [''];
  for (const [piece] of text.matchAll(/--[^\n]*|\$\$[^]*?\$\$|'[^']*'|[^-$';]+|[^]/g)) {
    if (piece === ';') commands.push('');
    else if (!piece.startsWith('--')) commands.push(`${commands.pop() ?? ''}${piece}`);
  }
  return commands.map((command) => command.trim()).filter((command) => command !== '');
}

/**
 * Runs the text of a migration. In a distributed database, new tables and their foreign keys are created on the
 * coordinator only, as on one server: Citus refuses foreign keys between distributed and local tables.
 * `distributeTables` brings them to the other servers.
 */
export async function runMigration(tx: Tx, text: string): Promise<void> {
  const placed = await readPlaced(tx);
  if (placed.size === 0) {
    await tx.query(text);
    return;
  }
  // Commands on tables linked by foreign keys must use one connection to each server.
  await tx.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
  for (const command of commandsOf(text)) {
    await (isOfNewTable(command, placed) ? onlyHere(tx, command) : tx.query(command));
  }
}

export async function onlyHere(tx: Tx, command: string): Promise<void> {
  await tx.query('set local citus.enable_ddl_propagation = off');
  await tx.query(command);
  await tx.query('set local citus.enable_ddl_propagation = on');
}

/**
 * Whether a command creates a table, or adds a foreign key with one end not distributed yet. A partition is colocated
 * with its siblings.
 */
export function isOfNewTable(command: string, placed: ReadonlySet<string>): boolean {
  if (/^create\s+(?:unlogged\s+)?table\b/i.test(command)) {
    return !/^[^(]*\bpartition\s+of\b/i.test(command);
  }
  const [, one, other] = KEY.exec(command) ?? [];
  if (one === undefined || other === undefined) return false;
  return !(placed.has(one) && placed.has(other));
}

const KEY = new RegExp(
  [
    /^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?(?:public\.)?(\w+)/,
    /\s+add\s+(?:constraint\s+"?\w+"?\s+)?foreign\s+key\s*\([^)]*\)/,
    /\s*references\s+(?:public\.)?(\w+)\s*(?:\([^)]*\))?[^,()]*$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);
