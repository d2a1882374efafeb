import { expect, test } from 'vitest';
import { picked } from './numbers.ts';
import type { CloudCall } from './route.ts';

const all = { id: '1', name: 'Toko', status: 'CONNECTED' };
const pickedOf = (fields: string) => picked(all, { request: { query: { fields } } } as CloudCall);

test('fields are named with what is asked of them, one inside the other', () => {
  expect(pickedOf('status')).toEqual({ id: '1', status: 'CONNECTED' });
  expect(pickedOf('owner{id,status},name')).toEqual({ id: '1', name: 'Toko' });
  expect(pickedOf('owner{a{name},status},name')).toEqual({ id: '1', name: 'Toko' });
  expect(pickedOf('x}name')).toEqual({ id: '1' });
});

test('many open braces take no time that grows with their square', () => {
  expect(pickedOf('{'.repeat(300_000))).toEqual({ id: '1' });
});
