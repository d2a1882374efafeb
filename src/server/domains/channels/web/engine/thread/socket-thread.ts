/** Entry of a socket thread: its failures reach no other part of the worker. */
import { parentPort, workerData } from 'node:worker_threads';
import { openBaileysEngine } from '#server/domains/channels/web/engine/baileys/baileys-engine.ts';
import {
  libraryFetch,
  openNetworkFiles,
} from '#server/domains/channels/web/engine/baileys/media.ts';
import type { EngineSocket } from '#server/domains/channels/web/engine/engine.ts';
import type { ThreadCalls, ThreadData, WorkerCalls } from './calls.ts';
import { openRpc } from './rpc.ts';

if (!parentPort) throw new Error('this file is the entry of a thread');

const files = openNetworkFiles();
// The library fetches addresses from strangers, only by the global function.
globalThis.fetch = libraryFetch(files);

const { url } = workerData as ThreadData;
const sockets = new Map<number, EngineSocket>();
const report = (error: unknown) => {
  worker.call('report', error instanceof Error ? error : String(error)).catch(() => undefined);
};
const engine = openBaileysEngine({ url, files, report });

const socketOf = (socketId: number): EngineSocket => {
  const socket = sockets.get(socketId);
  if (!socket) throw new Error('no such socket');
  return socket;
};

const local: ThreadCalls = {
  async open(socketId, options) {
    const socket = await engine.open({
      ...options,
      auth: {
        readCreds: () => worker.call('readCreds', socketId),
        writeCreds: (creds) => worker.call('writeCreds', socketId, creds),
        readKeys: (type, ids) => worker.call('readKeys', socketId, type, ids),
        writeKeys: (changes) => worker.call('writeKeys', socketId, changes),
      },
      sent: {
        readSent: (wireId) => worker.call('readSent', socketId, wireId),
        writeSent: (wireId, content) => worker.call('writeSent', socketId, wireId, content),
      },
      onEvent: (event) => {
        if (event.kind === 'closed') sockets.delete(socketId);
        worker.call('event', socketId, event).catch(() => undefined);
      },
    });
    sockets.set(socketId, socket);
  },
  send: (socketId, message) => socketOf(socketId).send(message),
  download: (socketId, reference) => socketOf(socketId).download(reference),
  logout: (socketId) => socketOf(socketId).logout(),
  async close(socketId) {
    const socket = sockets.get(socketId);
    sockets.delete(socketId);
    await socket?.close();
  },
  ping: () => true,
};

// The library leaves rejections of its own unhandled: the failure of one socket must not end the others.
process.on('unhandledRejection', report);

const worker = openRpc<ThreadCalls, WorkerCalls>(parentPort, local);
