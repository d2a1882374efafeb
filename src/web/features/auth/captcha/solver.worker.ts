import { handler } from 'altcha-lib/workers/shared';
import { deriveKey, type DeriveKey } from './deriveKey.ts';

const REPORT_MS = 250;
let progress: MessagePort | undefined;
let reportedAt = 0;
let steps = 0;

const counted: DeriveKey = async (...given) => {
  const key = await deriveKey(...given);
  steps += 1;
  if (performance.now() - reportedAt >= REPORT_MS) {
    progress?.postMessage(steps);
    [reportedAt, steps] = [performance.now(), 0];
  }
  return key;
};

self.addEventListener('message', ({ ports }) => {
  progress ??= ports[0];
});
handler({ deriveKey: counted });
