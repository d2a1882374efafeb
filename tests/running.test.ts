import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { openLog } from '#server/infra/observability/log.ts';
import { test } from '#tests/support/app/running-app.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

const root = resolve(import.meta.dirname, '..');
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

const metricsIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\bkabari_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  );

function callAt(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(open + 1, at);
  }
  return '';
}

const logCalls = /\b(?:log(?:\.(?:warn|error|fatal)|\[level\])|countedWarnings\(log\))\(/g;

/** Warnings and errors that the server's code logs: level, fields, message. */
async function troubleLines(): Promise<{ place: string; fields: string[]; words: string }[]> {
  const names = await readdir(join(root, 'src/server'), { recursive: true });
  const files = names.filter((name) => /(?<!\.test)\.ts$/.test(name));
  const found = await Promise.all(
    files.map(async (name) => {
      const text = await read(join('src/server', name));
      return [...text.matchAll(logCalls)].map((match) => {
        const call = callAt(text, match.index + match[0].length - 1);
        const words = /'([^']*)',?\s*$/.exec(call)?.[1] ?? '';
        const object = /^\s*\{([^}]*)\}/.exec(call)?.[1] ?? '';
        const fields = object
          .split(',')
          .map((part) => /^\s*(\w+)\s*(?::|$)/.exec(part)?.[1])
          .filter((field) => field !== undefined);
        return { place: name, fields, words };
      });
    }),
  );
  return found.flat();
}

describe('the pages for operators', () => {
  test('name exactly the metrics that /metrics prints; so do alerts and dashboard', async ({
    openApp,
  }) => {
    const running = await openApp({ works: true, env: { METRICS_TOKEN: 'of-this-test' } });
    const { body } = await running.app.inject({
      url: '/metrics',
      headers: { authorization: 'Bearer of-this-test' },
    });
    const printed = new Set([...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!));
    expect(printed.size).toBeGreaterThan(15);
    const page = await read('docs/running/metrics-and-logs.md');
    const documented = [...page.matchAll(/^\| `(kabari_\w+)/gm)].map(([, name]) => name!);
    expect(documented.toSorted()).toEqual([...printed].toSorted());
    for (const path of [
      'deploy/prometheus/kabari.rules.yaml',
      'deploy/prometheus/kabari.test.yaml',
      'deploy/grafana/kabari.json',
      'docs/running/incidents.md',
      'docs/running/capacity.md',
    ]) {
      const unknown = [...metricsIn(await read(path))].filter((name) => !printed.has(name));
      expect(unknown, path).toEqual([]);
    }
  });

  test('show every figure on the dashboard', async () => {
    const page = await read('docs/running/metrics-and-logs.md');
    const documented = [...page.matchAll(/^\| `(kabari_\w+)/gm)].map(([, name]) => name!);
    const shown = metricsIn(await read('deploy/grafana/kabari.json'));
    expect(documented.filter((name) => !shown.has(name))).toEqual([]);
  });

  test('count transfers in the metrics as in the overview', async ({ db, openApp }) => {
    const received = new Date(Date.now() - 3_600_000);
    await db.allAccountsSql`
      insert into bank_lines (hash, bank, amount, description, reference, at, received_at,
        dismissed_at, dismissed_by, dismiss_reason)
      select 'line-' || n, '8800123456', 50000, 'TRSF', '', ${received}, ${received},
        case n when 2 then now() end, case n when 2 then gen_random_uuid() end,
        case n when 2 then 'Milik lain' end
      from generate_series(1, 2) n`;
    const { app } = await openApp({ env: { METRICS_TOKEN: 'of-this-test' } });
    const { body } = await app.inject({
      url: '/metrics',
      headers: { authorization: 'Bearer of-this-test' },
    });
    expect(body).toContain('\nkabari_transfers_waiting 1\n');
    expect(body).toContain('\nkabari_money_waiting{work="bank_lines"} 1\n');
    expect(Number(/^kabari_transfers_oldest_seconds (\S+)$/m.exec(body)?.[1])).toBeGreaterThan(
      3_590,
    );
  });

  test('count no code as read in simulated phones that are off', async ({ openApp }) => {
    const figure = async (SIMULATOR: string) => {
      const env = { SIMULATOR, METRICS_TOKEN: 'of-this-test' };
      const { body } = await (
        await openApp({ env })
      ).app.inject({
        url: '/metrics',
        headers: { authorization: 'Bearer of-this-test' },
      });
      return /^kabari_codes_sendable (\d)$/m.exec(body)?.[1];
    };
    expect([await figure('on'), await figure('off')]).toEqual(['1', '0']);
  });

  test('name exactly the warnings and errors of the log', async () => {
    const page = await read('docs/running/metrics-and-logs.md');
    const section = page.slice(page.indexOf('## Lines of the log'));
    const documented = new Set([...section.matchAll(/^\| `([^`]+)`/gm)].map(([, words]) => words!));
    const lines = await troubleLines();
    expect(lines.length).toBeGreaterThan(25);
    expect([...documented].toSorted()).toEqual(
      [...new Set(lines.map(({ words }) => words))].toSorted(),
    );
  });

  test('only name fields of these entries that the log shows', async () => {
    const hidden = (await troubleLines()).flatMap(({ place, fields, words }) =>
      fields
        .filter((field) => {
          let line = '';
          openLog({ level: 'info' }, { write: (out) => void (line = out) }).info({ [field]: 'x' });
          return !(field in (JSON.parse(line) as object));
        })
        .map((field) => `${place}: ${field} of "${words}"`),
    );
    expect(hidden).toEqual([]);
  });

  test('name files that are in the repository', async () => {
    const names = (await readdir(join(root, 'docs/running'))).map((name) => `docs/running/${name}`);
    const pages = [...names, 'Dockerfile', 'compose.yaml', 'deploy/systemd/kabari.service'];
    const texts = await Promise.all(pages.map(async (page) => [page, await read(page)] as const));
    const lost = texts.flatMap(([page, text]) =>
      [
        ...text.matchAll(
          /(?<![\w/.])(?:\/opt\/kabari\/)?((?:deploy|docs|src|tests|tools|bench)\/[\w./-]*\w)/g,
        ),
      ]
        .map(([, named]) => named!)
        .filter((named) => !existsSync(join(root, named)))
        .map((named) => `${page} names ${named}`),
    );
    expect(lost).toEqual([]);
  });

  test('have a section for every alert', async () => {
    const rules = await read('deploy/prometheus/kabari.rules.yaml');
    const page = await read('docs/running/incidents.md');
    const anchors = new Set(
      [...page.matchAll(/^## (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    );
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    const books = [...rules.matchAll(/runbook: docs\/running\/incidents\.md#(\S+)/g)].map(
      ([, anchor]) => anchor!,
    );
    expect(books).toHaveLength(alerts.length);
    expect(books.filter((anchor) => !anchors.has(anchor))).toEqual([]);
    expect(alerts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('have a case for every alert', async () => {
    const rules = await read('deploy/prometheus/kabari.rules.yaml');
    const cases = await read('deploy/prometheus/kabari.test.yaml');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    const tried = new Set([...cases.matchAll(/alertname: (\w+)/g)].map(([, name]) => name!));
    expect(alerts.filter((name) => !tried.has(name))).toEqual([]);
  });

  test.skipIf(!hasPromtool)('have alerts that fire as their cases say', async () => {
    const cwd = join(root, 'deploy/prometheus');
    for (const words of [
      ['check', 'rules', 'kabari.rules.yaml'],
      ['test', 'rules', 'kabari.test.yaml'],
    ]) {
      const { stdout } = await promisify(execFile)('promtool', words, { cwd });
      expect(stdout).toContain('SUCCESS');
    }
  });
});
