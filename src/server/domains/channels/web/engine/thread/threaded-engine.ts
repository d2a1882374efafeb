import { Worker } from 'node:worker_threads';
import type {
  EngineSocket,
  OpenOptions,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import type { ThreadCalls, ThreadData, WorkerCalls } from './calls.ts';
import { type Rpc, openRpc } from './rpc.ts';

type Options = {
  url?: string | undefined;
  report: (error: unknown) => void;
  /** Ping interval, and the longest silence of a thread. */
  pingMs?: number;
  silentMsMax?: number;
  entry?: URL;
};

const ENTRY = new URL('./socket-thread.ts', import.meta.url);
/** Close code of connections whose thread has died: they are opened again in another one. */
const THREAD_DIED = 428;
const SOCKETS_PER_THREAD = 50;
const PING_MS = 5_000;
const SILENT_MS_MAX = 30_000;
/** Heap limit of a thread; a busy socket took 7 MB (`npm run bench:numbers`). */
const HEAP_MB = 1_536;

/**
 * The engine in separate threads: a crash, an endless loop or a full heap ends only the sockets of one thread, which
 * open again in the next. A thread has no database and no keys: it calls back to store.
 */
export function openThreadedEngine(options: Options): WebEngine {
  const threads = new Set<SocketThread>();
  const threadWithRoom = (): SocketThread => {
    const free = [...threads].find(({ size }) => size < SOCKETS_PER_THREAD);
    if (free) return free;
    const thread = new SocketThread(options, () => threads.delete(thread));
    threads.add(thread);
    return thread;
  };
  return {
    open: (given) => threadWithRoom().open(given),
    close: async () => {
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}

class SocketThread {
  readonly #worker: Worker;
  readonly #rpc: Rpc<ThreadCalls>;
  readonly #sockets = new Map<number, OpenOptions>();
  readonly #pinging: NodeJS.Timeout;
  #last = 0;
  #answeredAt = performance.now();

  constructor(options: Options, onExit: () => void) {
    const { url, report, pingMs = PING_MS, silentMsMax = SILENT_MS_MAX, entry = ENTRY } = options;
    const workerData: ThreadData = { url };
    this.#worker = new Worker(entry, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#rpc = openRpc<WorkerCalls, ThreadCalls>(this.#worker, this.#callsFor(report));
    this.#worker.on('error', report);
    this.#worker.on('exit', () => {
      onExit();
      this.#died();
    });
    this.#pinging = setInterval(() => {
      this.#rpc.call('ping').then(
        () => {
          this.#answeredAt = performance.now();
        },
        () => undefined,
      );
      if (performance.now() - this.#answeredAt > silentMsMax) void this.#worker.terminate();
    }, pingMs);
  }

  get size(): number {
    return this.#sockets.size;
  }

  async open(given: OpenOptions): Promise<EngineSocket> {
    this.#last += 1;
    const socketId = this.#last;
    this.#sockets.set(socketId, given);
    const { pairingPhone } = given;
    const rpc = this.#rpc;
    try {
      await rpc.call('open', socketId, pairingPhone === undefined ? {} : { pairingPhone });
    } catch (error) {
      this.#sockets.delete(socketId);
      throw error;
    }
    return {
      send: (message) => rpc.call('send', socketId, message),
      download: (reference) => rpc.call('download', socketId, reference),
      logout: () => rpc.call('logout', socketId),
      close: async () => {
        if (!this.#sockets.delete(socketId)) return;
        await rpc.call('close', socketId);
      },
    };
  }

  async close(): Promise<void> {
    this.#sockets.clear();
    await this.#worker.terminate();
  }

  #callsFor(report: (error: unknown) => void): WorkerCalls {
    const of = (socketId: number): OpenOptions => {
      const given = this.#sockets.get(socketId);
      if (!given) throw new Error('the socket is closed');
      return given;
    };
    return {
      readCreds: (socketId) => of(socketId).auth.readCreds(),
      writeCreds: (socketId, creds) => of(socketId).auth.writeCreds(creds),
      readKeys: (socketId, type, ids) => of(socketId).auth.readKeys(type, ids),
      writeKeys: (socketId, changes) => of(socketId).auth.writeKeys(changes),
      readSent: (socketId, wireId) => of(socketId).sent.readSent(wireId),
      writeSent: (socketId, wireId, content) => of(socketId).sent.writeSent(wireId, content),
      event: (socketId, event) => {
        const given = this.#sockets.get(socketId);
        if (event.kind === 'closed') this.#sockets.delete(socketId);
        given?.onEvent(event);
      },
      report,
    };
  }

  #died() {
    clearInterval(this.#pinging);
    this.#rpc.fail(new Error('the thread of sockets has ended'));
    const open = [...this.#sockets.values()];
    this.#sockets.clear();
    for (const { onEvent } of open) onEvent({ kind: 'closed', code: THREAD_DIED });
  }
}
