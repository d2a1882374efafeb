import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterUploadEvent,
  buttonsOf,
  noUploads,
  standOf,
  startable,
  statusOf,
  uploadedIds,
  uploadOrigins,
  viewStateOf,
  type UploadEvent,
  type UploadItem,
  type UploadPhase,
  type UploadState,
} from './uploadState.ts';

const fault = { main: 'Error during upload', sub: 'tap to retry' };

const item = (key: string, more: Partial<UploadItem> = {}): UploadItem => ({
  key,
  name: `${key}.txt`,
  size: 3,
  type: 'text/plain',
  origin: uploadOrigins.input,
  phase: 'idle',
  progress: undefined,
  file: undefined,
  source: undefined,
  id: undefined,
  transferId: undefined,
  fault: undefined,
  poster: undefined,
  ...more,
});

const after = (state: UploadState, ...events: UploadEvent[]) =>
  events.reduce(afterUploadEvent, state);

const having = (...items: UploadItem[]) => after(noUploads, { kind: 'add', items, at: 0 });

const phases = ({ items }: UploadState) => items.map(({ phase }) => phase);

const keys = ['a', 'b', 'c', 'd'] as const;

const anEvent: fc.Arbitrary<UploadEvent> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('load', 'queue', 'start', 'abort', 'revert', 'reverted', 'remove'),
    key: fc.constantFrom(...keys),
  }),
  fc.record({
    kind: fc.constantFrom('invalid', 'load-fail', 'fail', 'revert-fail', 'remove-fail'),
    key: fc.constantFrom(...keys),
    fault: fc.constant(fault),
  }),
  fc.record({
    kind: fc.constant('loaded'),
    key: fc.constantFrom(...keys),
    file: fc.constant(new File(['abc'], 'a.txt', { type: 'text/plain' })),
  }),
  fc.record({
    kind: fc.constant('complete'),
    key: fc.constantFrom(...keys),
    id: fc.constantFrom('upl_1', 'upl_2'),
  }),
  fc.record({ kind: fc.constant('removed'), key: fc.constantFrom(...keys) }),
  fc.record({
    kind: fc.constant('move'),
    key: fc.constantFrom(...keys),
    to: fc.integer({ min: -2, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('progress'),
    key: fc.constantFrom(...keys),
    progress: fc.constant(0.5),
  }),
);

test('the queue holds exactly the waiting items, once, and sends at most two, for any events', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
      let state = having(...keys.map((key) => item(key, { phase: 'init' })));
      for (const event of events) {
        const before = state;
        // Only the store starts items, and only startable ones.
        if (event.kind === 'start' && !startable(before, 2).includes(event.key)) continue;
        state = afterUploadEvent(before, event);
        const waiting = state.items.filter(({ phase }) => phase === 'queued');
        expect([...state.queue].toSorted()).toEqual(waiting.map(({ key }) => key).toSorted());
        const sending = state.items.filter(({ phase }) => phase === 'processing');
        expect(sending.length).toBeLessThanOrEqual(2);
        const gone = event.kind === 'removed' && before !== state ? 1 : 0;
        expect(state.items.length).toBe(before.items.length - gone);
        for (const one of state.items) {
          expect(one.fault !== undefined).toBe(/error|invalid/.test(one.phase));
          if (one.phase === 'processing-complete') expect(one.id).toBeDefined();
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('files are sent in the order of their requests, not of the list', () => {
  const idle = having(item('a'), item('b'), item('c'));
  const queued = after(
    idle,
    { kind: 'queue', key: 'c' },
    { kind: 'queue', key: 'a' },
    { kind: 'move', key: 'a', to: 2 },
    { kind: 'queue', key: 'b' },
  );
  expect(startable(queued, 2)).toEqual(['c', 'a']);
  const busy = after(queued, { kind: 'start', key: 'c' }, { kind: 'start', key: 'a' });
  expect(startable(busy, 2)).toEqual([]);
  const one = after(busy, { kind: 'complete', key: 'c', id: 'upl_1' });
  expect(startable(one, 2)).toEqual(['b']);
  expect(startable(after(one, { kind: 'abort', key: 'b' }), 2)).toEqual([]);
});

test('a file goes from idle over queued and processing to complete, back by a revert', () => {
  let state = having(item('a', { phase: 'init' }));
  const seen: [UploadPhase, number, string][] = [];
  const see = (event: UploadEvent) => {
    state = afterUploadEvent(state, event);
    const phase = state.items[0]?.phase ?? 'init';
    seen.push([phase, statusOf(phase), viewStateOf(phase)]);
  };
  see({ kind: 'load', key: 'a' });
  see({ kind: 'load-fail', key: 'a', fault });
  see({ kind: 'load', key: 'a' });
  see({ kind: 'loaded', key: 'a', file: new File(['abc'], 'a.txt') });
  see({ kind: 'queue', key: 'a' });
  see({ kind: 'start', key: 'a' });
  see({ kind: 'fail', key: 'a', fault });
  see({ kind: 'queue', key: 'a' });
  see({ kind: 'start', key: 'a' });
  see({ kind: 'complete', key: 'a', id: 'upl_1' });
  see({ kind: 'revert', key: 'a' });
  see({ kind: 'revert-fail', key: 'a', fault });
  see({ kind: 'revert', key: 'a' });
  see({ kind: 'reverted', key: 'a' });
  expect(seen).toEqual([
    ['loading', 7, 'loading'],
    ['load-error', 8, 'load-error'],
    ['loading', 7, 'loading'],
    ['idle', 2, 'idle'],
    ['queued', 9, 'busy processing'],
    ['processing', 3, 'processing'],
    ['processing-error', 6, 'processing-error'],
    ['queued', 9, 'busy processing'],
    ['processing', 3, 'processing'],
    ['processing-complete', 5, 'processing-complete'],
    ['reverting', 5, 'busy'],
    ['processing-revert-error', 10, 'processing-revert-error'],
    ['reverting', 5, 'busy'],
    ['idle', 2, 'idle'],
  ]);
});

test('impossible events change nothing: invalid files are never sent, late events are ignored', () => {
  const invalid = having(item('a', { phase: 'load-invalid', fault }));
  expect(after(invalid, { kind: 'queue', key: 'a' })).toBe(invalid);
  const cancelled = having(item('a', { phase: 'cancelled' }));
  expect(after(cancelled, { kind: 'complete', key: 'a', id: 'upl_1' })).toBe(cancelled);
  expect(after(cancelled, { kind: 'progress', key: 'a', progress: 1 })).toBe(cancelled);
  expect(after(cancelled, { kind: 'queue', key: 'nobody' })).toBe(cancelled);
});

test('files on the server count from the start, until they turn out to be missing', () => {
  const stored = {
    origin: uploadOrigins.limbo,
    phase: 'loading',
    id: 'upl_1',
    source: 'upl_1',
  } as const;
  const state = having(item('a', stored), item('b', { phase: 'processing', id: undefined }));
  expect(uploadedIds(state)).toEqual(['upl_1']);
  const restored = after(state, { kind: 'loaded', key: 'a', file: new File([''], 'struk.png') });
  expect(phases(restored)[0]).toBe('processing-complete');
  expect(uploadedIds(restored)).toEqual(['upl_1']);
  expect(uploadedIds(after(state, { kind: 'invalid', key: 'a', fault }))).toEqual([]);
  const local = having(item('a', { ...stored, origin: uploadOrigins.local }));
  const kept = after(local, { kind: 'loaded', key: 'a', file: new File([''], 'struk.png') });
  expect([phases(kept), uploadedIds(kept)]).toEqual([['idle'], ['upl_1']]);
});

test('the overall state is error before busy, busy before done', () => {
  const stand = (...list: UploadPhase[]) =>
    standOf(having(...list.map((phase, nth) => item(String(nth), { phase }))));
  expect(stand()).toBe('empty');
  expect(stand('idle', 'processing-complete')).toBe('idle');
  expect(stand('queued', 'idle')).toBe('busy');
  expect(stand('processing-complete')).toBe('ready');
  expect(standOf(having(item('a', { phase: 'processing-error', fault }), item('b')))).toBe('error');
});

test('each state has its buttons', () => {
  const of = (phase: UploadPhase, origin = uploadOrigins.input as UploadItem['origin']) =>
    buttonsOf({ phase, origin });
  expect(of('idle')).toEqual(['process', 'remove']);
  expect(of('idle', uploadOrigins.local)).toEqual(['remove']);
  expect(of('loading')).toEqual(['abort-load']);
  expect(of('load-error')).toEqual(['retry-load', 'remove']);
  expect(of('load-invalid')).toEqual(['remove']);
  expect(of('queued')).toEqual(['abort-process']);
  expect(of('processing')).toEqual(['abort-process']);
  expect(of('processing-complete')).toEqual(['undo']);
  expect(of('processing-error')).toEqual(['retry-process', 'remove']);
  expect(of('processing-revert-error')).toEqual(['undo']);
  const nothing = { process: false, revert: false, remove: false };
  expect(buttonsOf(item('a'), nothing)).toEqual([]);
});
