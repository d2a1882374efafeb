import { expect, test, vi } from 'vitest';
import { createStore } from '#web/browser/store.ts';

test('reads its initial value once, and only on first use', () => {
  const initial = vi.fn(() => 1);
  const store = createStore(initial);
  expect(initial).not.toHaveBeenCalled();
  expect([store.get(), store.get()]).toEqual([1, 1]);
  expect(initial).toHaveBeenCalledOnce();
});

test('calls listeners after a change, not for the same value, and not after they stopped', () => {
  const store = createStore(() => 'a');
  const seen: string[] = [];
  const stop = store.subscribe(() => seen.push(store.get()));
  store.set('b');
  store.set('b');
  stop();
  store.set('c');
  expect(seen).toEqual(['b']);
  expect(store.get()).toBe('c');
});

test('follows its source while it has listeners', () => {
  const steps: string[] = [];
  const store = createStore(
    () => 0,
    ({ set }) => {
      steps.push('connected');
      set(7);
      return () => steps.push('disconnected');
    },
  );
  const stops = [store.subscribe(() => undefined), store.subscribe(() => undefined)];
  expect(store.get()).toBe(7);
  for (const stop of stops) stop();
  stops[0]?.();
  store.subscribe(() => undefined);
  expect(steps).toEqual(['connected', 'disconnected', 'connected']);
});
