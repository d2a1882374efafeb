import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { watchExports } from '#web/features/exports/notice/notice.ts';
import { exportsKey } from '#web/features/exports/queryKeys.ts';
import { emitLive } from '#web/live/listeners.ts';
import { dismissToast, toasts } from '#web/ui/toast/toasts.ts';

const userId = `usr_${'0'.repeat(26)}`;
const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
const onOpen = vi.fn();
let stop: () => void;

// One clock for all tests: the same toast is repeated only after a while.
beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());
beforeEach(() => {
  stop = watchExports({ client, userId, onOpen });
});
afterEach(() => {
  stop();
  for (const { id } of toasts.get()) dismissToast(id);
  vi.advanceTimersByTime(10_000);
});

const changed = (status?: string, user_id = userId) =>
  emitLive({ kind: 'export.changed', ...(status && { status, user_id }) });

test('tells the requester that the file is ready, with a link to it', () => {
  for (const status of ['waiting', 'working']) changed(status);
  changed();
  expect(toasts.get()).toEqual([]);
  changed('ready');
  const [said] = toasts.get();
  expect(said).toMatchObject({ text: 'Berkas ekspor Anda siap diunduh.', tone: 'success' });
  said?.action?.onAction();
  expect(onOpen).toHaveBeenCalledTimes(1);
});

test('reports a failure too, but not the files of other people of the account', () => {
  changed('ready', `usr_${'1'.repeat(26)}`);
  expect(toasts.get()).toEqual([]);
  changed('failed');
  expect(toasts.get()).toMatchObject([{ tone: 'danger' }]);
});

test('stays silent where the files are on screen', () => {
  const observer = new QueryObserver(client, { queryKey: exportsKey, queryFn: () => [] });
  const leave = observer.subscribe(() => undefined);
  changed('ready');
  expect(toasts.get()).toEqual([]);
  leave();
  changed('ready');
  expect(toasts.get()).toHaveLength(1);
});
