import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const resultsFile = join(import.meta.dirname, '../results.md');

const HEAD =
  '# Figures\n\nWritten by `npm run bench:*`: the newest run of each, ratios measured in one run; the machines are shared and noisy.\n';

/** The current commit, short; `+` when files differ from it. */
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

export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...body.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((w, i) => (i ? (cells[i] ?? '').padStart(w) : (cells[i] ?? '').padEnd(w))).join(' | ')} |`;
  const rule = `| ${widths.map((w, i) => (i ? `${'-'.repeat(w - 1)}:` : '-'.repeat(w))).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

const sectionsOf = (page: string): Map<string, string> =>
  new Map(
    page
      .split(/^(?=## )/m)
      .filter((part) => part.startsWith('## '))
      .map((section) => [section.slice(3, section.indexOf('\n')).trim(), `${section.trim()}\n`]),
  );

/**
 * Prints a result and writes it into `bench/results.md`, with date, commit and machine, in place of the section with
 * the same title. All sections are sorted by title.
 */
export async function report(title: string, found: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const section = `## ${title}\n\n${day}, ${commit()}, ${machine()}\n\n${found}\n`;
  process.stdout.write(`\n${section}`);
  const sections = sectionsOf(await readFile(resultsFile, 'utf8').catch(() => ''));
  sections.set(title, section);
  const sorted = [...sections].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  await writeFile(resultsFile, [HEAD, ...sorted.map(([, text]) => text)].join('\n'));
}
