import { expect, onTestFinished, test, vi } from 'vitest';
import { parseSearch, readParams, stringifySearch } from '#web/browser/router/search.ts';
import { date, oneOf, searchFields, text, whole } from '#web/browser/router/searchFields.ts';
import {
  decode,
  encode,
  forgetSessionToken,
  onSessionChange,
  renewSessionToken,
  saveRedirect,
  saveSessionToken,
  sessionToken,
  takeRedirect,
} from '#web/browser/session.ts';

test('reads back what it stored, and does not store the bare token', () => {
  expect(decode(encode('kbs_ü🙂'))).toBe('kbs_ü🙂');
  expect(encode('rahasia')).not.toContain('rahasia');
});

test.each([null, '', 'rahasia', '%%%', btoa('{}'), btoa('[2,"x"]'), btoa('[1,7]')])(
  'has no session when %j is stored',
  (stored) => {
    expect(decode(stored)).toBe('');
  },
);

test('keeps a session until it is forgotten, also without storage', () => {
  saveSessionToken('satu');
  expect(sessionToken()).toBe('satu');
  forgetSessionToken();
  expect(sessionToken()).toBe('');
});

test('notifies other tabs of sign-in and sign-out, not of a renewed token', () => {
  const listeners = new Set<(event: object) => void>();
  vi.stubGlobal('window', {
    addEventListener: (_: string, one: (event: object) => void) => listeners.add(one),
    removeEventListener: (_: string, one: (event: object) => void) => listeners.delete(one),
  });
  const storage = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, value: string) => {
      const event = { key: name, oldValue: storage.get(name) ?? null, newValue: value };
      storage.set(name, value);
      for (const listener of listeners) listener(event);
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  let changes = 0;
  onSessionChange(() => (changes += 1));
  saveSessionToken('satu');
  expect(changes).toBe(1);
  renewSessionToken('dua');
  renewSessionToken('tiga');
  expect([changes, sessionToken()]).toEqual([1, 'tiga']);
  saveSessionToken('tiga');
  expect(changes).toBe(2);
});

test('returns the saved path once', () => {
  saveRedirect('/saldo?page=2');
  expect(takeRedirect()).toBe('/saldo?page=2');
  expect(takeRedirect()).toBe('');
});

test('parses a query string into a map: lists by their brackets, else the last value wins', () => {
  const params = readParams('?a=1&a=2&b[]=x&c%5B%5D=y&c[]=z&d=Ani+%26+Budi&e&f=%E0%A4%A');
  expect(Object.fromEntries(params)).toEqual({
    a: '2',
    b: ['x'],
    c: ['y', 'z'],
    d: 'Ani & Budi',
    e: '',
    f: '%E0%A4%A',
  });
});

test('keeps parameters away from object prototypes', () => {
  const search = parseSearch('__proto__[]=x&__proto__=y&constructor=z&toString[]=w');
  expect(Object.getPrototypeOf(search)).toBeNull();
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  expect(Object.keys(search)).toEqual(['constructor', 'toString']);
});

test('reads back the query that it wrote', () => {
  const search = { q: 'Ani & Budi', page: '2', status: ['read', 'sent'] };
  expect({ ...parseSearch(stringifySearch(search)) }).toEqual(search);
  expect(stringifySearch({ status: ['read'] })).toBe('?status[]=read');
  expect(stringifySearch({ q: undefined, page: null, s: '' })).toBe('');
});

test('ignores invalid query fields', () => {
  const read = searchFields({
    page: whole,
    q: text,
    sort_type: oneOf(['asc', 'desc']),
    from: date,
  });
  expect(read({ page: '3', q: 'halo', sort_type: 'desc', from: '2026-11-01', x: '1' })).toEqual({
    page: 3,
    q: 'halo',
    sort_type: 'desc',
    from: '2026-11-01',
  });
  expect(read({ page: '-1', q: '', sort_type: 'up', from: '/token' })).toEqual({});
});
