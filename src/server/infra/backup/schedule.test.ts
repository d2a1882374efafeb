import { describe, expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { lastBackup, storedRun } from './runs.ts';
import { isDue, isOverdue, lastTimeOf } from './schedule.ts';
import { BackupError } from './archive/trouble.ts';

const at = (words: string) => new Date(`${words}+07:00`);
const long = at('2026-01-01T00:00');
const state = { installedAt: long, triedAt: undefined, okAt: undefined };

describe('the schedule of backups', () => {
  test('times of day are in WIB', () => {
    expect(lastTimeOf('03:15', at('2026-11-23T03:15'))).toEqual(at('2026-11-23T03:15'));
    expect(lastTimeOf('03:15', at('2026-11-23T03:14'))).toEqual(at('2026-11-22T03:15'));
    expect(lastTimeOf('03:15, 12:15', at('2026-11-23T12:20'))).toEqual(at('2026-11-23T12:15'));
    expect(lastTimeOf('03:15,12:15', at('2026-11-23T12:10'))).toEqual(at('2026-11-23T03:15'));
    expect(lastTimeOf('23:59', at('2026-11-23T00:10'))).toEqual(at('2026-11-22T23:59'));
  });

  test('a backup is due from its time until one succeeds', () => {
    const okAt = at('2026-11-22T03:16');
    const tried = { ...state, triedAt: okAt, okAt };
    expect(isDue('03:15', at('2026-11-23T03:14'), tried)).toBe(false);
    expect(isDue('03:15', at('2026-11-23T03:15'), tried)).toBe(true);
    const again = { ...state, triedAt: at('2026-11-23T03:15'), okAt: at('2026-11-23T03:15') };
    expect(isDue('03:15', at('2026-11-23T03:20'), again)).toBe(false);
  });

  test('a backup missed while nothing ran is due', () => {
    const okAt = at('2026-11-20T03:15');
    expect(isDue('03:15', at('2026-11-23T09:00'), { ...state, triedAt: okAt, okAt })).toBe(true);
  });

  test('a failed backup is retried every hour', () => {
    const failed = { ...state, triedAt: at('2026-11-23T03:15'), okAt: at('2026-11-22T03:15') };
    expect(isDue('03:15', at('2026-11-23T04:14'), failed)).toBe(false);
    expect(isDue('03:15', at('2026-11-23T04:15'), failed)).toBe(true);
  });

  test('a new installation starts with the next time of day', () => {
    const fresh = { ...state, installedAt: at('2026-11-23T10:00') };
    expect(isDue('03:15', at('2026-11-23T10:05'), fresh)).toBe(false);
    expect(isDue('03:15', at('2026-11-24T03:15'), fresh)).toBe(true);
    expect(isOverdue(at('2026-11-24T11:59'), fresh)).toBe(false);
    expect(isOverdue(at('2026-11-24T12:01'), fresh)).toBe(true);
  });
});

describe('the state of backups', () => {
  const made = { path: '/b/kabari-1', bytes: 5_000, files: 1, removed: [] };

  test('shows the last backup, its result, and the last success', async ({ sql }) => {
    expect(await lastBackup(sql)).toBeUndefined();
    const first = at('2026-11-22T03:15');
    await storedRun(sql, first, async () => made);
    const good = { at: first, isOk: true, bytes: 5_000, path: '/b/kabari-1', okAt: first };
    expect(await lastBackup(sql, at('2026-11-22T20:00'))).toEqual({ ...good, error: undefined });
    const second = at('2026-11-23T03:15');
    const failing = storedRun(sql, second, () => {
      throw new BackupError('disk_full', 'no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(await lastBackup(sql, second)).toEqual({
      at: second,
      isOk: false,
      bytes: undefined,
      path: undefined,
      error: 'disk_full',
      okAt: first,
    });
  });

  test('a success older than 26 hours is overdue', async ({ sql }) => {
    await storedRun(sql, at('2026-11-22T03:15'), async () => made);
    expect(await lastBackup(sql, at('2026-11-23T05:14'))).toMatchObject({ isOk: true });
    expect(await lastBackup(sql, at('2026-11-23T05:16'))).toMatchObject({
      isOk: false,
      error: 'overdue',
    });
  });

  test('a killed backup counts as failed after the next one has ended', async ({ sql, db }) => {
    await db.owner`
      insert into backups (backup_id, started_at)
      values (gen_random_uuid(), ${at('2026-11-22T03:15')})`;
    await storedRun(sql, at('2026-11-22T04:15'), async () => made);
    const runs = await sql`select is_ok, problem from backups order by started_at`;
    expect(runs).toEqual([
      { is_ok: false, problem: 'interrupted' },
      { is_ok: true, problem: null },
    ]);
  });

  test('a backup by another process is not a failure', async ({ sql }) => {
    const busy = storedRun(sql, at('2026-11-22T03:15'), () => {
      throw new BackupError('running', 'another');
    });
    await expect(busy).rejects.toThrow('another');
    expect(await sql`select from backups`).toEqual([]);
  });
});
