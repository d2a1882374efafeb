import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { listBackups } from './archive/folder.ts';
import { superseded } from './backup.ts';
import { backupKeyOf, sealing, unsealing } from './archive/seal.ts';
import { inside, tarEntries } from './archive/tar.ts';

const key = backupKeyOf('a key of chance, long enough for everything');

async function through(bytes: Buffer, step: NodeJS.ReadWriteStream): Promise<Buffer> {
  let out = Buffer.alloc(0);
  await pipeline(Readable.from([bytes], { objectMode: false }), step, async (made) => {
    out = await buffer(made as AsyncIterable<Buffer>);
  });
  return out;
}

describe('sealing', () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
    test(`${size} bytes are restored unchanged`, async () => {
      const plain = randomBytes(size);
      const sealed = await through(plain, sealing(key, 'part'));
      expect(await through(sealed, unsealing(key, 'part'))).toEqual(plain);
    });
  }

  test('rejects truncated, swapped, changed or renamed files and another key', async () => {
    const sealed = await through(randomBytes(200_000), sealing(key, 'part'));
    const piece = 65_536 + 16;
    const head = sealed.subarray(0, 24);
    const [first, second, rest] = [0, 1, 2].map((nth) =>
      sealed.subarray(24 + nth * piece, nth === 2 ? undefined : 24 + (nth + 1) * piece),
    ) as [Buffer, Buffer, Buffer];
    const changed = Buffer.from(sealed);
    changed[100_000] = (changed[100_000] ?? 0) ^ 1;
    const wrong = [
      Buffer.concat([head, first, second]),
      Buffer.concat([head, first]),
      head,
      sealed.subarray(0, 10),
      Buffer.concat([head, second, first, rest]),
      changed,
    ];
    for (const one of wrong) await expect(through(one, unsealing(key, 'part'))).rejects.toThrow();
    await expect(through(sealed, unsealing(key, 'other'))).rejects.toThrow();
    const other = backupKeyOf('another key of chance, as long as the first');
    await expect(through(sealed, unsealing(other, 'part'))).rejects.toThrow();
    expect(await through(sealed, unsealing(key, 'part'))).toHaveLength(200_000);
  });
});

describe('archives', () => {
  test('refuses a name outside the folder', () => {
    expect(inside('./base/1/112')).toBe('base/1/112');
    for (const name of ['../x', '/etc/passwd', 'a/../../b', '', '.', 'c:x', 'a\\b', 'a\0b']) {
      expect(() => inside(name), name).toThrow(/leads out/);
    }
  });

  test('refuses invalid and truncated archives', async () => {
    const read = async (bytes: Buffer) => {
      for await (const _ of tarEntries(Readable.from([bytes], { objectMode: false })));
    };
    await expect(read(randomBytes(2_048))).rejects.toThrow(/damaged/);
    await expect(read(Buffer.alloc(100, 1))).rejects.toThrow(/cut off/);
    await read(Buffer.alloc(1_024));
  });
});

test.skipIf(process.platform === 'win32')(
  'a folder of backups that cannot be read is not taken for an empty one',
  async () => {
    expect(await listBackups(join(import.meta.dirname, 'none'))).toEqual([]);
    await expect(listBackups(join(import.meta.filename, 'none'))).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
  },
);

describe('retention', () => {
  const backup = (at: string) => ({ at: new Date(at) });
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => ({
      at: new Date(Date.UTC(2026, 10, 22, 20, 15) - day * 86_400_000),
    }));
  const kept = <T extends { at: Date }>(all: T[], keep: Parameters<typeof superseded>[1]) => {
    const gone = superseded(all, keep);
    return all.filter((one) => !gone.includes(one)).map(({ at }) => at.toISOString().slice(0, 10));
  };

  test('always retains the newest', () => {
    expect(kept(days(5), { daily: 0, weekly: 0, monthly: 0 })).toEqual(['2026-11-22']);
  });

  test('retains the newest of each of the last days, weeks and months', () => {
    const all = kept(days(400), { daily: 7, weekly: 4, monthly: 6 });
    const november = '22 21 20 19 18 17 16 14 07'.split(' ').map((day) => `2026-11-${day}`);
    const months = ['2026-10-30', '2026-09-29', '2026-08-30', '2026-07-30', '2026-06-29'];
    expect(all).toEqual(november.concat(months));
  });

  test('counts only the newest of a day', () => {
    const all = [
      backup('2026-11-22T01:00:00Z'),
      backup('2026-11-22T05:00:00Z'),
      backup('2026-11-21T05:00:00Z'),
    ];
    const gone = superseded(all, { daily: 7, weekly: 0, monthly: 0 });
    expect(gone).toEqual([all[0]]);
  });

  test('does not count weeks without a backup', () => {
    const all = [backup('2026-11-22T01:00:00Z'), backup('2026-05-01T01:00:00Z')];
    expect(superseded(all, { daily: 1, weekly: 4, monthly: 0 })).toEqual([]);
  });
});
