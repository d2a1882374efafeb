import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { watchDisks } from '#server/infra/observability/disk.ts';
import { startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { makeSmallDisk, mayMount } from '#tests/support/database/small-disk.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { addressOf, ended, oneSentence, test as base } from '#tests/support/app/started-app.ts';

const test = base.extend<{ disk: (megabytes: number) => ReturnType<typeof makeSmallDisk> }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  disk: async ({}, use) => {
    const made: ReturnType<typeof makeSmallDisk>[] = [];
    await use((megabytes) => {
      const disk = makeSmallDisk(megabytes);
      made.push(disk);
      return disk;
    });
    for (const one of made) one.remove();
  },
});

/** Each test starts its own PostgreSQL and waits for it. */
const longer = { timeout: 90_000 };

const about = (words: string): { level: string; disk: string; msg: string }[] =>
  words
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"disk"'))
    .map((line) => JSON.parse(line) as { level: string; disk: string; msg: string });

describe.skipIf(!mayMount)('a full disk (tried where root may mount a small one)', longer, () => {
  test('stops the first start with one sentence that names the disk', async ({ disk, start }) => {
    const { folder, fill } = disk(60);
    const small = ended(start({ DATABASE_URL: '', KABARI_DATA: join(folder, 'data') }));
    expect(await small).toEqual(
      oneSentence(new RegExp(`^The disk with ${folder}/data has \\S+ MB free, and Kabari needs`)),
    );
    fill();
    const full = await Promise.all([
      ended(start({ DATABASE_URL: '', KABARI_DATA: join(folder, 'data') })),
      ended(start({ KABARI_DATA: folder })),
    ]);
    for (const one of full) expect(one).toEqual(oneSentence(/ has 0\.0 MB free, /));
  });

  test('appears in /readyz and once in the log, and clears by itself', async ({ disk, start }) => {
    const { folder, fill, empty } = disk(400);
    const running = start({ DATABASE_URL: '', KABARI_DATA: folder });
    const address = await addressOf(running);
    const ready = async () => {
      const answer = await fetch(`${address}/readyz`);
      return { ...((await answer.json()) as { checks: object }), status: answer.status };
    };
    await waitFor(async () =>
      expect(await ready()).toMatchObject({ status: 200, checks: { disk: 'ok' } }),
    );
    fill();
    await waitFor(async () =>
      expect(await ready()).toMatchObject({ status: 503, checks: { disk: 'failing' } }),
    );
    empty();
    await waitFor(async () =>
      expect(await ready()).toMatchObject({ status: 200, checks: { disk: 'ok' } }),
    );
    const said = about(running.out());
    expect(said.filter(({ disk: which }) => which === folder)).toMatchObject([
      { level: 'error', msg: expect.stringContaining('the disk is full') },
      { level: 'warn', msg: 'the disk has room again' },
    ]);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
  });

  test('of the database is detected through the database', async ({ disk, folder }) => {
    const far = disk(400);
    const server = await startEmbedded({ dataFolder: far.folder, durable: false });
    const sql = openDatabase(server.url, { max: 1, as: 'owner', name: 'tests' });
    const lines: string[] = [];
    const log = openLog({ level: 'info' }, { write: (line) => void lines.push(line) });
    const watch = watchDisks({ folder, sql, log });
    await sql`select 1`;
    far.fill();
    await waitFor(() => expect(watch.full()).toEqual(['the database']));
    far.empty();
    await waitFor(() => expect(watch.full()).toEqual([]));
    expect(about(lines.join('')).map(({ disk: which }) => which)).toEqual([
      'the database',
      'the database',
    ]);
    await watch.close();
    await sql.end();
    await server.stop();
  });
});
