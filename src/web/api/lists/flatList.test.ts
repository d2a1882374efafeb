import { expect, test } from 'vitest';
import { merged, readNewest, readOlder, type Flat } from './flatList.ts';

type Row = { id: number; status: string };

/** A server with messages 1 … count, newest first, that counts its requests. */
function aServer(count: number) {
  const rows: Row[] = Array.from({ length: count }, (_, index) => ({
    id: count - index,
    status: 'sent',
  }));
  const requested: number[] = [];
  return {
    requested,
    add: (id: number) => rows.unshift({ id, status: 'sent' }),
    source: {
      page: async (start: number) => {
        requested.push(start);
        const page = rows.slice(start, start + 10);
        return { rows: page, count: page.length };
      },
      keyOf: ({ id }: Row) => String(id),
      order: (a: Row, b: Row) => b.id - a.id,
    },
  };
}

const ids = (list: Flat<Row> | undefined) => list?.rows.map(({ id }) => id);
const down = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index);

test('opens a thread with its newest thirty messages', async () => {
  const { source, requested } = aServer(100);
  const list = await readNewest(source, () => undefined, 0);
  expect(ids(list)).toEqual(down(100, 71));
  expect(list.ended).toBe(false);
  expect(requested).toEqual([0, 10, 20]);
});

test('reads one page for a new message and moves nothing else', async () => {
  const server = aServer(100);
  const list = await readNewest(server.source, () => undefined, 0);
  server.requested.length = 0;
  server.add(101);
  const after = await readNewest(server.source, () => list, 1_000);
  expect(ids(after)).toEqual(down(101, 71));
  expect(server.requested).toEqual([0]);
});

test('reads all messages in between after a long silence', async () => {
  const server = aServer(40);
  const list = await readNewest(server.source, () => undefined, 0);
  for (let id = 41; id <= 95; id++) server.add(id);
  const after = await readNewest(server.source, () => list, 100_000);
  expect(ids(after)).toEqual(down(95, 11));
});

test('leaves no hole in the list when a gap is too wide to fill', async () => {
  const server = aServer(40);
  const list = await readNewest(server.source, () => undefined, 0);
  for (let id = 41; id <= 400; id++) server.add(id);
  const after = await readNewest(server.source, () => list, 1_000);
  expect(ids(after)).toEqual(down(400, 301));
  expect(after.ended).toBe(false);
});

test('reads up to the very first message, each one once', async () => {
  const server = aServer(55);
  let list: Flat<Row> | undefined = await readNewest(server.source, () => undefined, 0);
  server.add(56);
  for (let page = 0; page < 9 && !list?.ended; page++) {
    list = await readOlder(server.source, () => list);
  }
  expect(ids(list)).toEqual(down(55, 1));
  expect(list?.ended).toBe(true);
});

test('continues after the last row in a list paged by rows', async () => {
  const { source, requested } = aServer(55);
  const behind = async (last: Row) => {
    const page = await source.page(55 - last.id + 1);
    requested.length = 0;
    return page;
  };
  let list: Flat<Row> | undefined = await readNewest(source, () => undefined, 0);
  requested.length = 0;
  for (let page = 0; page < 9 && !list?.ended; page++) {
    list = await readOlder({ ...source, behind }, () => list);
  }
  expect(ids(list)).toEqual(down(55, 1));
  expect([list?.ended, requested]).toEqual([true, []]);
});

test('keeps rows scrolled to while the newest ones load', async () => {
  const server = aServer(100);
  const first = await readNewest(server.source, () => undefined, 0);
  let cache: Flat<Row> | undefined = first;
  let answer = () => undefined as void;
  const requested = new Promise<void>((resolve) => (answer = resolve));
  const slow = {
    ...server.source,
    page: async (start: number) => requested.then(() => server.source.page(start)),
  };
  const reading = readNewest(slow, () => cache, 1_000);
  cache = await readOlder(server.source, () => first);
  answer();
  expect(ids(await reading)).toEqual(down(100, 63));
});

test('ends a list shorter than a page', async () => {
  const { source } = aServer(4);
  expect((await readNewest(source, () => undefined)).ended).toBe(true);
});

test('keeps the further advanced of two versions of a message', () => {
  const rows = merged<Row>([{ id: 1, status: 'read' }], [{ id: 1, status: 'sent' }], {
    keyOf: ({ id }) => String(id),
    order: () => 0,
    newer: (known, fresh) => (known.status === 'read' ? known : fresh),
  });
  expect(rows).toEqual([{ id: 1, status: 'read' }]);
});

test('inserts new rows in order, also into an unsorted list', () => {
  const row = (id: number) => ({ id, status: 'sent' });
  const order = {
    keyOf: ({ id }: Row) => String(id),
    order: (a: Row, b: Row) => b.id - a.id,
  };
  const together = (known: readonly number[], fresh: readonly number[]) =>
    merged(known.map(row), fresh.map(row), order).map(({ id }) => id);
  expect(together([9, 7, 5], [4, 8, 10, 7])).toEqual([10, 9, 8, 7, 5, 4]);
  expect(together([5, 9, 7], [8])).toEqual([9, 8, 7, 5]);
  expect(together([], [1, 2])).toEqual([2, 1]);
  expect(together([2, 1], [])).toEqual([2, 1]);
});
