import { afterEach, expect, test, vi } from 'vitest';

/** What the module remembers of one device is nothing to the next. */
async function load() {
  vi.resetModules();
  return (await import('./viewTransition.ts')).withTransition;
}

afterEach(() => void vi.unstubAllGlobals());

/** A browser whose transitions call back, and then end as they are told to. */
function browserWith(ready: () => Promise<void>) {
  const startViewTransition = vi.fn<(change: () => Promise<void>) => object>((change) => ({
    ready: ready(),
    finished: Promise.resolve(),
    updateCallbackDone: change(),
  }));
  vi.stubGlobal('document', { startViewTransition });
  return startViewTransition;
}

test('a transition that is overtaken is no error: the page changes all the same', async () => {
  const withTransition = await load();
  const started = browserWith(() => Promise.reject(new DOMException('skipped', 'AbortError')));
  const change = vi.fn<() => Promise<void>>(async () => undefined);
  await withTransition(change);
  expect([started.mock.calls.length, change.mock.calls.length]).toEqual([1, 1]);
  // Vitest fails a run with a rejection that nobody handled.
  await new Promise((resolve) => setImmediate(resolve));
});

test('while a page is on its way, the next one comes without a transition of its own', async () => {
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

test('a browser without transitions changes the page at once', async () => {
  vi.stubGlobal('document', {});
  const withTransition = await load();
  const change = vi.fn<() => Promise<void>>(async () => undefined);
  await withTransition(change);
  expect(change).toHaveBeenCalledOnce();
});

test('a device that stands still for it too long changes its next pages without', async () => {
  const withTransition = await load();
  const started = browserWith(async () => undefined);
  const clock = vi.spyOn(performance, 'now');
  clock.mockReturnValueOnce(0).mockReturnValueOnce(40).mockReturnValueOnce(0);
  clock.mockReturnValueOnce(160);
  for (let page = 0; page < 3; page++) await withTransition(async () => undefined);
  expect(started).toHaveBeenCalledTimes(2);
  clock.mockRestore();
});

test('the picture of the old page counts as standing still, too', async () => {
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
