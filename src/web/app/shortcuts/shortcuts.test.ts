import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyNames, matchPress, type Press } from '#web/app/shortcuts/shortcuts.ts';

const known = ['Mod+k', '?', '/', 'j', 'g h', 'g m'];
const bare = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const key = (name: string, held: Partial<Press> = {}): Press => ({ ...bare, key: name, ...held });
const now = { at: 1_000, mac: false };

test('reads Ctrl K as Ctrl K everywhere but on a Mac, where it is ⌘ K', () => {
  const ctrl = key('k', { ctrlKey: true });
  const command = key('k', { metaKey: true });
  expect(matchPress(known, ctrl, undefined, now).keys).toBe('Mod+k');
  expect(matchPress(known, command, undefined, now).keys).toBeUndefined();
  expect(matchPress(known, command, undefined, { at: 0, mac: true }).keys).toBe('Mod+k');
  expect(matchPress(known, ctrl, undefined, { at: 0, mac: true }).keys).toBeUndefined();
  const both = key('k', { ctrlKey: true, metaKey: true });
  expect(matchPress(known, both, undefined, now).keys).toBeUndefined();
});

test('matches a sign however it is typed, a letter only without Shift', () => {
  expect(matchPress(known, key('?', { shiftKey: true }), undefined, now).keys).toBe('?');
  expect(matchPress(known, key('/'), undefined, now).keys).toBe('/');
  expect(matchPress(known, key('J'), undefined, now).keys).toBe('j');
  expect(matchPress(known, key('J', { shiftKey: true }), undefined, now).keys).toBeUndefined();
  for (const held of ['ctrlKey', 'metaKey', 'altKey'] as const) {
    expect(matchPress(known, key('j', { [held]: true }), undefined, now).keys).toBeUndefined();
  }
});

test('waits a moment for the second key after g', () => {
  const { keys, pendingKey } = matchPress(known, key('g'), undefined, now);
  expect(keys).toBeUndefined();
  expect(pendingKey).toEqual({ key: 'g', until: 2_500 });
  const after = (name: string, ms: number) =>
    matchPress(known, key(name), pendingKey, { at: 1_000 + ms, mac: false });
  expect(after('h', 200)).toEqual({ keys: 'g h' });
  expect(after('h', 1_501)).toEqual({});
  expect(after('j', 200)).toEqual({ keys: 'j' });
  expect(after('g', 200).pendingKey?.until).toBe(2_700);
  expect(after('x', 200)).toEqual({});
});

test('matches only known shortcuts, for any key', () => {
  const presses = fc.record({
    key: fc.oneof(fc.constantFrom('g', 'h', 'k', '?', 'Enter', 'Dead', 'ArrowDown'), fc.string()),
    ctrlKey: fc.boolean(),
    metaKey: fc.boolean(),
    altKey: fc.boolean(),
    shiftKey: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(presses, { maxLength: 8 }), fc.boolean(), (all, mac) => {
      let pendingKey: ReturnType<typeof matchPress>['pendingKey'];
      for (const [index, press] of all.entries()) {
        const found = matchPress(known, press, pendingKey, { at: index, mac });
        pendingKey = found.pendingKey;
        if (found.keys === undefined) continue;
        expect(known).toContain(found.keys);
        expect(found.keys.endsWith(press.key.toLowerCase())).toBe(true);
        expect(found.keys.startsWith('Mod+')).toBe(press.ctrlKey || press.metaKey);
      }
    }),
  );
});

test('shows keys as labelled on the keyboard', () => {
  expect(keyNames('Mod+k', false)).toEqual(['Ctrl', 'K']);
  expect(keyNames('Mod+k', true)).toEqual(['⌘', 'K']);
  expect(keyNames('g h', false)).toEqual(['G', 'H']);
  expect(keyNames('Enter', false)).toEqual(['Enter']);
});
