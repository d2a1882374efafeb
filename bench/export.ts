/**
 * Measures the export of a large account: the peak memory of the exporting process above its baseline, and the
 * duration, for each format.
 *
 * `npm run bench:export`; `EXPORT_ROWS` sets another size. The control is a file with a hundredth of the rows, made
 * before by the same process.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toPairs } from '#contract/base/form.ts';
import type { ExportFormat, RowExport } from '#contract/exports.ts';
import { fillMessages } from './history/fill.ts';
import { openBenchDatabase } from './lib/bench-database.ts';
import { BROWSER, signIn } from './lib/customers.ts';
import { report, table } from './lib/results.ts';
import { startApp } from './lib/server.ts';

const ROWS = Number(process.env['EXPORT_ROWS'] ?? 1_000_000);
const CONTROL_ROWS = ROWS / 100;
const GROWTH_MB_MAX = 60;
const LOOK_MS = 100;

/** Resident megabytes of a process: current, and the peak since `forgetMost`. */
async function memoryOf(pid: number): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  return { now: of('VmRSS'), most: of('VmHWM') };
}

const forgetMost = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

const bench = await openBenchDatabase(2);
try {
  const accounts = await fillMessages(bench.owner, {
    sizes: [ROWS, CONTROL_ROWS],
    days: 40,
    end: new Date(),
  });
  const tokens = await Promise.all(
    accounts.map(({ accountId }) => signIn(bench.allAccountsSql, accountId)),
  );
  const app = await startApp({ DATABASE_URL: bench.url, KABARI_DATA: join(bench.folder, 'app') });
  const ask = async (token: string, act: string, fields: Record<string, unknown> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${app.port}/api`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: `kabari-device=${BROWSER}`,
      },
      body: new URLSearchParams(toPairs({ act, token, fcm: '', ...fields })).toString(),
    });
    const { data, msg } = (await answer.json()) as { data?: unknown; msg: string };
    if (data === undefined) throw new Error(`${act}: ${msg}`);
    return data;
  };
  const make = async (token: string, format: ExportFormat) => {
    const before = await memoryOf(app.pid);
    await forgetMost(app.pid);
    const began = performance.now();
    await ask(token, 'message_export', { key: crypto.randomUUID(), format });
    for (;;) {
      await pause(LOOK_MS);
      const { exports } = (await ask(token, 'export_list')) as { exports: RowExport[] };
      const [made] = exports;
      if (made?.status === 'failed') throw new Error('the file could not be made');
      if (made?.status !== 'ready') continue;
      const seconds = (performance.now() - began) / 1_000;
      const { most } = await memoryOf(app.pid);
      return {
        rows: made.rows ?? 0,
        seconds,
        growth: most - before.now,
        size: made.size_bytes ?? 0,
      };
    }
  };
  try {
    const [large = '', small = ''] = tokens;
    const body: string[][] = [];
    let most = 0;
    for (const format of ['csv', 'xlsx'] as const) {
      for (const token of [small, large]) {
        const { rows, seconds, growth, size } = await make(token, format);
        if (token === large) most = Math.max(most, growth);
        body.push([
          format,
          rows.toLocaleString('en'),
          growth.toFixed(0),
          (size / 1_000_000).toFixed(1),
          (rows / seconds).toFixed(0),
        ]);
      }
    }
    const held = most <= GROWTH_MB_MAX ? 'held' : 'NOT held';
    await report(
      `Export: ${ROWS.toLocaleString('en')} messages as a file`,
      `${table(['format', 'rows', 'memory, MB more', 'file, MB', 'rows/s'], body)}\n\nAt most ${most.toFixed(0)} MB more (at most ${GROWTH_MB_MAX}): ${held}.`,
    );
  } finally {
    await app.stop();
  }
} finally {
  await bench.close();
}
