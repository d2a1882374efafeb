/**
 * Preloaded into a worker of `workers.ts`, in its main thread and in its threads of sockets, which trust the
 * certificates of the benchmark's network (see `trusting-thread.ts`). On SIGUSR2 all threads collect garbage; then the
 * file named in `COLLECTED` is written.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** A collection frees pages only after the next one has found them free. */
const COLLECTIONS = 4;
const PAUSE_MS = 750;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const collecting = new BroadcastChannel('collect');
collecting.unref();

if (isMainThread) {
  process.on('SIGUSR2', () => void collectAll());
} else {
  collecting.onmessage = () => collect();
  const { WA_CERT_DETAILS } = await import('baileys');
  WA_CERT_DETAILS.PUBLIC_KEY.set(Buffer.from(process.env['NETWORK_KEY'] ?? '', 'hex'));
}

async function collectAll(): Promise<void> {
  for (let nth = 0; nth < COLLECTIONS; nth++) {
    collecting.postMessage('collect');
    collect();
    await sleep(PAUSE_MS);
  }
  writeFileSync(process.env['COLLECTED'] ?? '', '');
}
