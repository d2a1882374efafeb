import { expect, test } from 'vitest';
import { selectFields } from './numbers.ts';
import type { CloudCall } from './route.ts';

const all = { id: '1', name: 'Toko', status: 'CONNECTED' };
const pickedOf = (fields: string) =>
  selectFields(all, { request: { query: { fields } } } as CloudCall);

test('parses nested field lists by name', () => {
  expect(pickedOf('status')).toEqual({ id: '1', status: 'CONNECTED' });
  expect(pickedOf('owner{id,status},name')).toEqual({ id: '1', name: 'Toko' });
  expect(pickedOf('owner{a{name},status},name')).toEqual({ id: '1', name: 'Toko' });
  expect(pickedOf('x}name')).toEqual({ id: '1' });
});

test('parses many open braces in linear time', () => {
  expect(pickedOf('{'.repeat(300_000))).toEqual({ id: '1' });
});
