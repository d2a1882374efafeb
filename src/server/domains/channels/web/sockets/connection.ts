import type {
  EngineEvent,
  EngineSocket,
  OpenOptions,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import { type CloseAction, type LoginPace, actionFor, backOffMs } from './close-codes.ts';
import type { WebTimings } from './timings.ts';

export type ConnectionDeps = {
  engine: WebEngine;
  timings: WebTimings;
  /** Whether the session is still ours: who has lost it would end the connection of who has it. */
  mayOpen: () => Promise<boolean>;
  /** Of all logins of this worker. */
  loginPace: LoginPace;
  /** What the engine stores with us. */
  storage: Pick<OpenOptions, 'auth' | 'sent'>;
  /** What happens beside connecting; it is called in order. */
  onEvent: (event: EngineEvent) => void;
  /** The network closed it, and it is not to be opened again. */
  onParted: (action: Extract<CloseAction, { kind: 'part' }>) => void;
  /** Another worker has the session. */
  onLost: () => void;
  report: (error: unknown) => void;
};

/** In this time 440s are counted. */
const YIELDS_MS = 10 * 60_000;

/**
 * One session's connection: opened again as its close codes ask, and when nothing is heard on it for longer than
 * a living one may be silent.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  #socket: EngineSocket | undefined;
  /** Counts connections: what an earlier one still says is not heard. */
  #current = 0;
  #isOpen = false;
  #isEnded = false;
  #tries = 0;
  #yieldedAt: readonly number[] = [];
  #heardAt = 0;
  #watchedAt = performance.now();
  /** Between two connections. */
  #isWaiting = false;
  #reopening: NodeJS.Timeout | undefined;
  readonly #watching: NodeJS.Timeout;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#watching = setInterval(() => this.#checkSilence(), deps.timings.watchMs);
    this.#openPaced();
  }

  /** The socket while messages can be sent. */
  get openSocket(): EngineSocket | undefined {
    return this.#isOpen ? this.#socket : undefined;
  }

  /** The socket, also before it is open. */
  get socket(): EngineSocket | undefined {
    return this.#socket;
  }

  /** Ends it: nothing more happens. */
  async close(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#watching);
    clearTimeout(this.#reopening);
    await this.#drop();
  }

  #openPaced() {
    const { loginPace } = this.#deps;
    const waitMs = loginPace.waitMs();
    if (waitMs <= 0 && !loginPace.isHeldUp) return this.#open();
    this.#isWaiting = true;
    this.#reopening = setTimeout(() => {
      if (loginPace.isHeldUp) this.#openPaced();
      else this.#open();
    }, waitMs);
  }

  #open() {
    this.#current += 1;
    const current = this.#current;
    this.#isWaiting = false;
    this.#heardAt = performance.now();
    const onEvent = (event: EngineEvent) => {
      if (current !== this.#current || this.#isEnded) return;
      this.#handle(event);
    };
    const { engine, loginPace, mayOpen, storage } = this.#deps;
    const open = async () => ((await mayOpen()) ? engine.open({ ...storage, onEvent }) : undefined);
    loginPace.run(open).then(
      (socket) => {
        if (!socket) this.#lose();
        else if (current === this.#current && !this.#isEnded) this.#socket = socket;
        else socket.close().catch(this.#deps.report);
      },
      (error: unknown) => {
        this.#deps.report(error);
        if (current === this.#current && !this.#isEnded) this.#reopen(actionFor({ code: 0 }));
      },
    );
  }

  #handle(event: EngineEvent) {
    this.#heardAt = performance.now();
    if (event.kind === 'heard') return;
    if (event.kind === 'open') {
      this.#isOpen = true;
      this.#tries = 0;
    }
    if (event.kind === 'closed') this.#isOpen = false;
    this.#deps.onEvent(event);
    if (event.kind === 'closed') this.#reopen(actionFor(event));
  }

  /** The network, or silence, has ended the connection. */
  #reopen(action: CloseAction) {
    this.#current += 1;
    this.#isWaiting = true;
    this.#isOpen = false;
    this.#socket = undefined;
    this.#tries += 1;
    if (action.kind === 'part') return this.#part(action);
    if (action.kind === 'retry' && this.#tries > action.triesMax) {
      return this.#part({ kind: 'part', reason: action.reason, erase: false });
    }
    if (action.kind === 'yield' && this.#yields() > action.timesMax) {
      return this.#part({ kind: 'part', reason: action.reason, erase: false });
    }
    const { backOffFactor } = this.#deps.timings;
    const leastMs = 'leastMs' in action ? action.leastMs : 1_000;
    const waitMs = action.kind === 'reconnect' ? 0 : backOffMs(this.#tries, leastMs);
    this.#reopening = setTimeout(() => this.#openPaced(), waitMs * backOffFactor);
  }

  /** Counts the recent 440s, including this one. */
  #yields(): number {
    const now = performance.now();
    this.#yieldedAt = [...this.#yieldedAt, now].filter((at) => now - at < YIELDS_MS);
    return this.#yieldedAt.length;
  }

  /** Another worker has the session: nothing more happens here. */
  #lose() {
    this.#isEnded = true;
    clearInterval(this.#watching);
    this.#deps.onLost();
  }

  #part(action: Extract<CloseAction, { kind: 'part' }>) {
    this.#isEnded = true;
    clearInterval(this.#watching);
    this.#deps.onParted(action);
  }

  /** A connection may be dead without a word of it. */
  #checkSilence() {
    const { silenceMs, renewedMsMax } = this.#deps.timings;
    const now = performance.now();
    const wasFrozen = now - this.#watchedAt > renewedMsMax;
    this.#watchedAt = now;
    if (wasFrozen) this.#checkLease();
    if (this.#isWaiting) return;
    if (performance.now() - this.#heardAt < silenceMs) return;
    const socket = this.#socket;
    this.#deps.onEvent({ kind: 'closed', code: 408 });
    this.#reopen(actionFor({ code: 408 }));
    socket?.close().catch(this.#deps.report);
  }

  /** A process that was frozen may have lost its sessions meanwhile: it looks before it goes on. */
  #checkLease() {
    this.#deps.mayOpen().then(
      (isOurs) => {
        if (!isOurs && !this.#isEnded) this.#lose();
      },
      // It is looked at again before each message, and whenever leases are renewed.
      this.#deps.report,
    );
  }

  async #drop() {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    await socket?.close().catch(this.#deps.report);
  }
}
