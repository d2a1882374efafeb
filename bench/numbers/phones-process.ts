/**
 * Holds linked phones as a worker does: with the product's engine and its sockets in their thread. Stored data stays in
 * the parent, as it does in the database. Called by `measure.ts` with the network's address.
 */
import { once } from 'node:events';
import { BroadcastChannel } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineEvent, EngineSocket } from '#server/domains/channels/web/engine/engine.ts';
import { openRpc } from '#server/domains/channels/web/engine/thread/rpc.ts';
import { openThreadedEngine } from '#server/domains/channels/web/web.ts';
import type { ParentCalls, PhoneCalls } from './process-calls.ts';

const [url = ''] = process.argv.slice(2);
/** A collection frees pages only after the next one has found them free. */
const COLLECTIONS = 4;

const engine = openThreadedEngine({
  url,
  entry: new URL('./trusting-thread.ts', import.meta.url),
  report: (error) => console.error(error),
});
const sockets = new Map<string, EngineSocket>();
const open = new Set<string>();
let received = 0;

const local: PhoneCalls = {
  async open(number) {
    const opened = Promise.withResolvers<void>();
    const onEvent = (event: EngineEvent) => {
      if (event.kind === 'open') open.add(number);
      if (event.kind === 'open') opened.resolve();
      if (event.kind === 'messages') received += event.messages.length;
      if (event.kind !== 'closed') return;
      open.delete(number);
      void parent.call('closed', event.code);
    };
    const auth = {
      readCreds: () => parent.call('readCreds', number),
      writeCreds: (creds: string) => parent.call('writeCreds', number, creds),
      readKeys: (type: string, ids: readonly string[]) =>
        parent.call('readKeys', number, type, ids),
      writeKeys: (changes: Parameters<ParentCalls['writeKeys']>[1]) =>
        parent.call('writeKeys', number, changes),
    };
    const sent = { readSent: async () => undefined, writeSent: async () => undefined };
    sockets.set(number, await engine.open({ auth, sent, onEvent }));
    await opened.promise;
  },
  async send(number, message) {
    const socket = sockets.get(number);
    if (!socket) throw new Error('no such phone');
    return socket.send(message);
  },
  async memory() {
    await collectAll();
    return {
      bytes: process.memoryUsage.rss(),
      highestBytes: process.resourceUsage().maxRSS * 1_024,
      open: open.size,
      received,
    };
  },
};

const parent = openRpc<PhoneCalls, ParentCalls>(
  {
    postMessage: (packet) => void process.send?.(packet),
    on: (event, listener) => process.on(event, listener),
  },
  local,
);
process.on('disconnect', () => process.exit());

async function collectAll(): Promise<void> {
  const ask = new BroadcastChannel('collect');
  const answer = new BroadcastChannel('collected');
  for (let nth = 0; nth < COLLECTIONS; nth++) {
    const collected = once(answer, 'message');
    ask.postMessage('collect');
    await collected;
    globalThis.gc?.();
    await sleep(250);
  }
  ask.close();
  answer.close();
}
