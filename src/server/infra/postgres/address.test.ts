import { expect, test as plain } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { readConfig } from '#server/infra/config.ts';
import { canonicalAddress, hostsOf, targetSessionOf, withTargetSession } from './address.ts';
import { openDatabase } from './database.ts';

plain('an address may be written in every way PostgreSQL’s own clients take', () => {
  const written = {
    'postgres://ani@/kabari?host=/run/pg': 'postgres://ani@%2Frun%2Fpg/kabari',
    'postgresql:///kabari?host=/run/pg&user=ani&port=5433':
      'postgres://ani@%2Frun%2Fpg:5433/kabari',
    'postgres://ani@%2Frun%2Fpg/kabari': 'postgres://ani@%2Frun%2Fpg/kabari',
    'postgres://ani:rahasia%40@db.example:6432/kabari?sslmode=require':
      'postgres://ani:rahasia%40@db.example:6432/kabari?sslmode=require',
    'postgres://ani@[::1]:5432/kabari': 'postgres://ani@[::1]:5432/kabari',
    'postgres://ani@:5433/kabari': 'postgres://ani@localhost:5433/kabari',
    'postgres:///?dbname=kabari&host=db&user=ani&password=a b': 'postgres://ani:a%20b@db/kabari',
  };
  for (const [words, address] of Object.entries(written)) {
    expect(canonicalAddress(words)).toBe(address);
    expect(readConfig({ DATABASE_URL: words }).DATABASE_URL).toBe(address);
  }
});

plain('several servers stand behind the question mark, with how the one to use must be', () => {
  const hostsIn = (words: string) => {
    const address = canonicalAddress(words) ?? '';
    return [
      ...hostsOf(address).map(({ host, port }) => `${host} ${port}`),
      targetSessionOf(address),
    ];
  };
  expect(hostsIn('postgres://ani:r@a:5433,b/kabari?target_session_attrs=read-write')).toEqual([
    'a 5433',
    'b 5432',
    'read-write',
  ]);
  expect(hostsIn('postgres://ani@/kabari?host=a,/run/pg,[::1]&port=6432')).toEqual([
    'a 6432',
    '/run/pg 6432',
    '::1 6432',
    'any',
  ]);
  expect(hostsIn('postgres://a,b/kabari?target_session_attrs=prefer-standby').at(-1)).toBe(
    'standby',
  );
  expect(targetSessionOf(withTargetSession('postgres://a/kabari', 'read-write'))).toBe(
    'read-write',
  );
  for (const words of [
    'postgres:///kabari?host=a,b,c&port=1,2',
    'postgres://a,b/kabari?target_session_attrs=writable',
  ]) {
    expect(canonicalAddress(words)).toBeUndefined();
  }
});

plain('what names no database, or is no address of one, is refused in a sentence', () => {
  for (const words of [
    'postgres://ani@db',
    'postgres://ani@db/',
    'mysql://ani@db/kabari',
    'kabari',
  ]) {
    expect(() => readConfig({ DATABASE_URL: words })).toThrow(
      'DATABASE_URL must be an address such as postgres://user:password@host:5432/kabari.',
    );
  }
});

test('accepts the folder of a socket in the query', async ({ db }) => {
  const { hostname, pathname } = new URL(db.url);
  const words = `postgres://kabari@${pathname}?host=${decodeURIComponent(hostname)}`;
  const url = readConfig({ DATABASE_URL: words }).DATABASE_URL ?? '';
  const sql = openDatabase(url, { max: 1, as: 'tenant', name: 'tests' });
  expect(await sql`select current_user as who`).toEqual([{ who: 'kabari_app' }]);
  await sql.end();
});
