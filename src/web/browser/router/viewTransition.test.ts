import { afterEach, expect, test, vi } from 'vitest';

async function load() {
  vi.resetModules();
  return (await import('./viewTransition.ts')).withTransition;
}

afterEach(() => void vi.unstubAllGlobals());

function browserWith(ready: () => Promise<void>) {
  const startViewTransition = vi.fn<(change: () => Promise<void>) => object>((change) => ({
    ready: ready(),
    finished: Promise.resolve(),
    updateCallbackDone: change(),
  }));
  vi.stubGlobal('document', { startViewTransition });
  return startViewTransition;
}

test('changes the page when a transition is overtaken, without an error', async () => {
  const withTransition = await load();
  const started = browserWith(() => Promise.reject(new DOMException('skipped', 'AbortError')));
  const change = vi.fn<() => Promise<void>>(async () => undefined);
  await withTransition(change);
  expect([started.mock.calls.length, change.mock.calls.length]).toEqual([1, 1]);
  // Vitest fails a run with an unhandled rejection.
  await new Promise((resolve) => setImmediate(resolve));
});

test('shows the next page without a transition while one is in progress', async () => {
  const withTransition = await load();
  const started = browserWith(async () => undefined);
  const first = Promise.withResolvers<void>();
  const both = [withTransition(() => first.promise), withTransition(async () => undefined)];
  first.resolve();
  await Promise.all(both);
  expect(started).toHaveBeenCalledTimes(1);
  await withTransition(async () => undefined);
  expect(started).toHaveBeenCalledTimes(2);
});

test('changes the page at once in a browser without transitions', async () => {
  vi.stubGlobal('document', {});
  const withTransition = await load();
  const change = vi.fn<() => Promise<void>>(async () => undefined);
  await withTransition(change);
  expect(change).toHaveBeenCalledOnce();
});

test('drops transitions on a device that freezes too long for them', async () => {
  const withTransition = await load();
  const started = browserWith(async () => undefined);
  const clock = vi.spyOn(performance, 'now');
  clock.mockReturnValueOnce(0).mockReturnValueOnce(40).mockReturnValueOnce(0);
  clock.mockReturnValueOnce(160);
  for (let page = 0; page < 3; page++) await withTransition(async () => undefined);
  expect(started).toHaveBeenCalledTimes(2);
  clock.mockRestore();
});

test('counts the snapshot of the old page as part of the freeze', async () => {
  const withTransition = await load();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const started = vi.fn<(change: () => Promise<void>) => object>((change) => {
    clock.mockReturnValue(160);
    const done = Promise.resolve();
    return { ready: done, finished: done, updateCallbackDone: change() };
  });
  vi.stubGlobal('document', { startViewTransition: started });
  for (let page = 0; page < 2; page++) await withTransition(async () => undefined);
  expect(started).toHaveBeenCalledOnce();
  clock.mockRestore();
});
