import { expect, onTestFinished, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';

const BUDI = '6281200000001';

test('serves a wake-up during a run after that run, without the next sweep', async ({ hooks }) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  await worker.drain();
  hooks.target.answer(410);
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  hooks.target.answer(200);

  const sent = Promise.withResolvers<void>();
  let isSending = false;
  hooks.deps.sendSystemText = async () => {
    isSending = true;
    await sent.promise;
  };
  worker.wake();
  await waitFor(() => expect(isSending).toBe(true));
  const dewi = await hooks.customerWithWebhook();
  await hooks.happen(dewi, [{ peer: BUDI }]);
  const before = hooks.target.posts.length;
  worker.wake();
  sent.resolve();
  await waitFor(() => expect(hooks.target.posts.length).toBe(before + 1));
});
