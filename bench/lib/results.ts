import { execFileSync } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const resultsFile = join(import.meta.dirname, '../results.md');

/** The present commit, short; `+` when files differ from it. */
function commit(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return 'no commit';
  }
}

function machine(): string {
  const all = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GB, Node ${process.version}`;
}

/** Rows of cells as a Markdown table: the first column to the left, the others to the right. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...body.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((w, i) => (i ? (cells[i] ?? '').padStart(w) : (cells[i] ?? '').padEnd(w))).join(' | ')} |`;
  const rule = `| ${widths.map((w, i) => (i ? `${'-'.repeat(w - 1)}:` : '-'.repeat(w))).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

/** Prints what a bench found and appends it to `bench/results.md`, dated, with commit and machine. */
export async function report(title: string, found: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const text = `\n## ${title}\n\n${day}, ${commit()}, ${machine()}\n\n${found}\n`;
  process.stdout.write(text);
  await appendFile(resultsFile, text);
}
