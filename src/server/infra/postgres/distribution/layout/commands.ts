import type { Tx } from '#server/infra/postgres/database.ts';
import { readPlaced } from '#server/infra/postgres/distribution/cluster.ts';

/**
 * The commands of a file: what ends with a `;` that is in no comment, no text, and no body between `$$`.
 *
 * @throws Error when the file has a comment or a body of another kind.
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
 * Runs the text of a migration. Where the database is distributed, new tables and their keys are made at the coordinator
 * alone, as on one server: Citus refuses keys between a table that is laid out and one that is not yet. They come to the
 * other servers with the layout (`distributeTables`).
 */
export async function runMigration(tx: Tx, text: string): Promise<void> {
  const placed = await readPlaced(tx);
  if (placed.size === 0) {
    await tx.query(text);
    return;
  }
  // Commands about tables with keys between them go over one connection to each server.
  await tx.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
  for (const command of commandsOf(text)) {
    await (isOfNewTable(command, placed) ? onlyHere(tx, command) : tx.query(command));
  }
}

/** Runs a command at the coordinator, and not on the servers that keep shards. */
export async function onlyHere(tx: Tx, command: string): Promise<void> {
  await tx.query('set local citus.enable_ddl_propagation = off');
  await tx.query(command);
  await tx.query('set local citus.enable_ddl_propagation = on');
}

/**
 * Whether a command makes a table, or adds a key of which one end is not laid out yet. A part of a table lies beside
 * its others.
 */
export function isOfNewTable(command: string, placed: ReadonlySet<string>): boolean {
  if (/^create\s+(?:unlogged\s+)?table\b/i.test(command)) {
    return !/^[^(]*\bpartition\s+of\b/i.test(command);
  }
  const [, one, other] = KEY.exec(command) ?? [];
  if (one === undefined || other === undefined) return false;
  return !(placed.has(one) && placed.has(other));
}

/** A command that adds a foreign key and does nothing else: from which table, and to which. */
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
