import { describe, expect } from 'vitest';
import { type Fragment, openDatabase } from './database.ts';
import { test } from '#tests/support/database/database.ts';
import { identifier, json } from './sql.ts';

describe('a statement', () => {
  test('accepts nested fragments, and numbers the values in order', async ({ sql }) => {
    const condition = (min: number): Fragment => sql`n > ${min}`;
    const both = sql`${condition(1)} and n < ${4}`;
    const found = await sql`
      select n, ${'x'}::text as x from generate_series(${0}::int, ${9}::int) n where ${both}`;
    expect(found).toEqual([
      { n: 2, x: 'x' },
      { n: 3, x: 'x' },
    ]);
  });

  test('differs with another fragment at the same place', async ({ sql }) => {
    const sorted = (descending: boolean) =>
      sql`select n from generate_series(1, 2) n order by n ${descending ? sql`desc` : sql`asc`}`;
    expect([...(await sorted(true)), ...(await sorted(false))].map(({ n }) => n)).toEqual([
      2, 1, 1, 2,
    ]);
  });

  test('runs once, when it is awaited', async ({ db }) => {
    await db.owner`create table ran (n int)`;
    const insert = db.owner`insert into ran values (1)`;
    expect(await db.owner`select from ran`).toHaveLength(0);
    await Promise.all([insert, insert]);
    expect((await insert).count).toBe(1);
    expect(await db.owner`select from ran`).toHaveLength(1);
  });

  test('returns the number of changed rows', async ({ db }) => {
    await db.owner`create table counted (n int)`;
    expect((await db.owner`insert into counted select generate_series(1, 3)`).count).toBe(3);
    expect((await db.owner`update counted set n = 0 where n > 1`).count).toBe(2);
    expect((await db.owner`select from counted where n = 0`).count).toBe(2);
  });

  test('quotes identifiers of tables and columns', async ({ db }) => {
    await db.owner`create table "a ""b" ("select" int)`;
    await db.owner`insert into ${identifier('a "b')} (${identifier('select')}) values (${1})`;
    expect(await db.owner`select t.${identifier('select')} from ${identifier('a "b')} t`).toEqual([
      { select: 1 },
    ]);
  });

  test('is prepared once per place in the source', async ({ db }) => {
    const ask = (n: number) => db.owner`select ${n}::int as asked`;
    for (const n of [1, 2, 3]) expect(await ask(n)).toEqual([{ asked: n }]);
    const prepared = await db.owner`
      select statement from pg_prepared_statements where statement like '%as asked'`;
    expect(prepared).toEqual([{ statement: 'select $1::int as asked' }]);
  });

  test('still works after its table has changed', async ({ db }) => {
    await db.owner`create table grows (a int)`;
    const read = () => db.owner`select * from grows`;
    await db.owner`insert into grows values (1)`;
    expect(await read()).toEqual([{ a: 1 }]);
    await db.owner`alter table grows add b text default 'x'`;
    expect(await read()).toEqual([{ a: 1, b: 'x' }]);
    await db.owner`alter table grows alter a type text`;
    expect(await read()).toEqual([{ a: '1', b: 'x' }]);
  });

  test('with a syntax error fails, and the next one runs', async ({ sql }) => {
    await expect(sql`selec ${1}`).rejects.toMatchObject({ code: '42601' });
    await expect(sql`select ${'x'}::uuid`).rejects.toMatchObject({ code: '22P02' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

test('a script has several statements, and rolls all back if one fails', async ({ db }) => {
  await db.owner.query('create table one (n int); create table two (n int)');
  const failed = db.owner.query('insert into one values (1); select 1 / 0');
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  const left = db.owner.query('begin; insert into one values (1); select 1 / 0; commit');
  await expect(left).rejects.toMatchObject({ code: '22012' });
  expect(await db.owner`select from one`).toEqual([]);
});

describe('parameters', () => {
  const at = new Date('2026-11-21T02:05:00.123Z');

  test('are encoded for the server', async ({ sql }) => {
    const bytes = Buffer.from([0, 34, 92, 255]);
    const [row] = await sql`
      select ${'01234567-89ab-7def-8123-456789abcdef'}::uuid as id, ${'a"\\{},b'}::text as text,
        ${-7}::int as n, ${1.5}::float8 as f, ${9_007_199_254_740_991}::bigint as big, ${12}::text as t,
        ${true} as yes, ${at} as at, ${'2026-11-21'}::date as day, ${bytes} as bytes, ${null}::text as none`;
    expect(row).toEqual({
      id: '01234567-89ab-7def-8123-456789abcdef',
      text: 'a"\\{},b',
      n: -7,
      f: 1.5,
      big: 9_007_199_254_740_991,
      t: '12',
      yes: true,
      at,
      day: '2026-11-21',
      bytes,
      none: null,
    });
  });

  test('declare times, booleans and bytes for expressions', async ({ sql }) => {
    const [row] = await sql`
      select ${at} - interval '5 minutes' as before, ${true} and not ${false} as both,
        length(${Buffer.from('abc')}) as length, jsonb_build_object('yes', ${true}) as object`;
    expect(row).toEqual({
      before: new Date('2026-11-21T02:00:00.123Z'),
      both: true,
      length: 3,
      object: { yes: true },
    });
  });

  test('may be arrays of any type, with nulls and quotes', async ({ sql }) => {
    const words = ['', 'NULL', 'a,b', '"', '\\', '{}', 'é\n', null];
    const bytes = [Buffer.from([0, 255]), null, Buffer.alloc(0)];
    const [row] = await sql`
      select ${words}::text[] as words, ${[]}::text[] as none, ${[1, null, -2]}::bigint[] as numbers,
        ${[true, null, false]}::boolean[] as truths, ${[at, null]}::timestamptz[] as times,
        ${bytes}::bytea[] as bytes, ${[
          [1, 2],
          [3, 4],
        ]}::int[] as table,
        ${['2026-11-21']}::date[] as days, ${[json({ a: [1] }), null, json('x')]}::jsonb[] as objects,
        ${['01234567-89ab-7def-8123-456789abcdef']}::uuid[] as ids`;
    expect(row).toEqual({
      words,
      none: [],
      numbers: [1, null, -2],
      truths: [true, null, false],
      times: [at, null],
      bytes,
      table: [
        [1, 2],
        [3, 4],
      ],
      days: ['2026-11-21'],
      objects: [{ a: [1] }, null, 'x'],
      ids: ['01234567-89ab-7def-8123-456789abcdef'],
    });
  });

  test('are JSON if marked', async ({ sql }) => {
    for (const value of [{ a: 'b' }, [1, 2], [], 'a text', 3, true, null]) {
      const [row] =
        await sql`select ${json(value)}::jsonb as value, jsonb_typeof(${json(value)}) as type`;
      expect(row?.['value']).toEqual(value);
    }
    const [row] = await sql`select ${json('a text')}::jsonb #>> '{}' as text`;
    expect(row).toEqual({ text: 'a text' });
  });

  test('are never mistaken for JSON, nor JSON for another type', async ({ sql }) => {
    for (const value of ['a text', '{"a": 1}', 3, true, [], [1, 2], at]) {
      await expect(sql`select ${value}::jsonb`).rejects.toThrow();
      await expect(sql`select jsonb_array_length(${value as never})`).rejects.toThrow();
    }
    await expect(sql`select ${json([1])}::int[]`).rejects.toThrow(TypeError);
    await expect(sql`select ${json('x')}::text`).rejects.toThrow(TypeError);
  });

  test('of a wrong type are refused before anything is sent', async ({ sql }) => {
    const refused = (value: unknown) => sql`select ${value as never}::text`;
    for (const value of [undefined, {}, { a: 1 }, [undefined], [1, 2], () => 1, Symbol('x')]) {
      await expect(refused(value)).rejects.toThrow(TypeError);
    }
    await expect(sql`select ${2 ** 53}::bigint`).rejects.toThrow(RangeError);
    await expect(sql`select ${[2 ** 53]}::bigint[]`).rejects.toThrow(RangeError);
    await expect(sql`select ${at}::date`).resolves.toEqual([{ date: '2026-11-21' }]);
    await expect(sql`select ${new Date(Number.NaN)}`).rejects.toThrow(RangeError);
  });

  test('must not be unsafe integers in either direction', async ({ sql }) => {
    await expect(sql`select array[9007199254740993]::bigint[] as n`).rejects.toThrow(RangeError);
    await expect(sql`select 9007199254740993::bigint as n`).rejects.toThrow(RangeError);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

test('a pool shows its target, but not the password', async () => {
  const sql = openDatabase('postgres://ani:hunter2@[::1]:5433/kabari', {
    max: 1,
    as: 'tenant',
    name: 'tests',
  });
  expect(sql.place).toEqual({
    hosts: [{ host: '::1', port: 5433 }],
    user: 'ani',
    database: 'kabari',
    tls: false,
  });
  await sql.end();
});
