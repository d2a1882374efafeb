import { randomBytes } from 'node:crypto';
import type {
  Download,
  EngineAnswer,
  EngineEvent,
  EngineMessage,
  EngineReceipt,
  OpenOptions,
  ReceivedMessage,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import * as z from 'zod/mini';

/**
 * A network inside the process, for development and tests, which cause its failures. A paired session opens at once;
 * its second connection closes the first (440).
 */
export type StandIn = WebEngine & {
  /** A phone reads a QR, or its owner types the pairing code; false if it is not shown. */
  scan(text: string, phone: string): boolean;
  askForPasskeys(): void;
  /** The phone ends the session: 401, now and at each connection. */
  logoutFromPhone(phone: string): void;
  closeWith(phone: string, code: number): void;
  /** The number's connection goes silent, without an end. */
  dieSilently(phone: string): void;
  /** Closes each new connection with this code from now on; undefined stops that. */
  refuseWith(code: number | undefined): void;
  emit(phone: string, event: EngineEvent): void;
  endQrs(): void;
  openPhones(): string[];
  /** Messages that arrived, each id once, with the number of times. */
  readonly arrived: ReadonlyMap<string, { from: string; message: EngineMessage; times: number }>;
  readonly loggedOut: readonly string[];
};

export type StandInOptions = {
  /** The network's answer to a message; `silent`: none. */
  answer?: (message: EngineMessage) => EngineAnswer | 'silent';
  /** Delay of the delivered and read receipts; without it, the test emits them. */
  receiptsMs?: number;
  heardMs?: number;
  qrMs?: number;
  files?: ReadonlyMap<string, Uint8Array | Promise<Uint8Array>>;
};

const Creds = z.object({ id: z.string(), secret: z.string(), phone: z.nullable(z.string()) });
type Creds = z.output<typeof Creds>;

type Connected = {
  creds: Creds;
  given: OpenOptions;
  state: 'linking' | 'open' | 'dead';
  qrs: string[];
  code: string | undefined;
  timers: NodeJS.Timeout[];
};

const QRS_MAX = 6;

export function openStandIn(options: StandInOptions = {}): StandIn {
  return new StandInNetwork(options);
}

class StandInNetwork implements StandIn {
  readonly #options: StandInOptions;
  readonly #connected = new Set<Connected>();
  readonly #ended = new Set<string>();
  #refusesWith: number | undefined;
  #wantsPasskeys = false;
  readonly arrived = new Map<string, { from: string; message: EngineMessage; times: number }>();
  readonly loggedOut: string[] = [];

  constructor(options: StandInOptions) {
    this.#options = options;
  }

  async open(given: OpenOptions) {
    const stored = await given.auth.readCreds();
    const creds = stored === undefined ? newCreds() : Creds.parse(JSON.parse(stored));
    const connected: Connected = {
      creds,
      given,
      state: 'linking',
      qrs: [],
      code: undefined,
      timers: [],
    };
    this.#connected.add(connected);
    queueMicrotask(() => this.#greet(connected));
    return {
      send: (message: EngineMessage) => this.#send(connected, message),
      download: async (reference: string): Promise<Download> =>
        this.#options.files?.get(reference) ?? 'gone',
      logout: async () => {
        this.#ended.add(creds.id);
        this.loggedOut.push(creds.phone ?? '');
        this.#drop(connected);
      },
      close: async () => this.#drop(connected),
    };
  }

  async close(): Promise<void> {
    for (const connected of this.#connected) this.#drop(connected);
  }

  scan(text: string, phone: string): boolean {
    const typed = text.replace(/[\s-]/g, '').toUpperCase();
    const found = [...this.#connected].find(
      ({ state, qrs, code }) => state === 'linking' && (qrs.at(-1) === text || code === typed),
    );
    if (!found) return false;
    if (this.#wantsPasskeys) {
      found.given.onEvent({ kind: 'passkey' });
      return true;
    }
    found.creds.phone = phone;
    const { auth, onEvent } = found.given;
    const identity = { type: 'identity-key', id: `${phone}.0`, value: `key of ${phone}` };
    Promise.all([auth.writeCreds(JSON.stringify(found.creds)), auth.writeKeys([identity])]).then(
      () => {
        onEvent({ kind: 'paired', phone });
        this.#end(found, 515);
      },
      () => this.#end(found, 500),
    );
    return true;
  }

  askForPasskeys(): void {
    this.#wantsPasskeys = true;
  }

  logoutFromPhone(phone: string): void {
    for (const connected of this.#of(phone)) {
      this.#ended.add(connected.creds.id);
      this.#end(connected, 401, true);
    }
  }

  closeWith(phone: string, code: number): void {
    for (const connected of this.#of(phone)) this.#end(connected, code);
  }

  dieSilently(phone: string): void {
    for (const connected of this.#of(phone)) connected.state = 'dead';
  }

  refuseWith(code: number | undefined): void {
    this.#refusesWith = code;
  }

  emit(phone: string, event: EngineEvent): void {
    for (const { given } of this.#of(phone)) given.onEvent(event);
  }

  endQrs(): void {
    for (const connected of this.#connected) {
      if (connected.state === 'linking') this.#end(connected, 408);
    }
  }

  openPhones(): string[] {
    return [...this.#connected].flatMap(({ state, creds }) =>
      state === 'open' && creds.phone !== null ? [creds.phone] : [],
    );
  }

  #of(phone: string): Connected[] {
    return [...this.#connected].filter(
      ({ state, creds }) => state === 'open' && creds.phone === phone,
    );
  }

  #greet(connected: Connected) {
    const { creds, given, timers } = connected;
    if (!this.#connected.has(connected)) return;
    if (this.#ended.has(creds.id)) return this.#end(connected, 401, true);
    if (this.#refusesWith !== undefined) return this.#end(connected, this.#refusesWith);
    if (creds.phone === null) return this.#showQr(connected);
    for (const other of this.#of(creds.phone)) {
      if (other.creds.id === creds.id) this.#end(other, 440);
    }
    connected.state = 'open';
    given.onEvent({ kind: 'open', phone: creds.phone });
    const { heardMs = 5_000 } = this.#options;
    timers.push(
      setInterval(() => {
        if (connected.state === 'open') given.onEvent({ kind: 'heard' });
      }, heardMs),
    );
  }

  #showQr(connected: Connected) {
    const { given, qrs, timers } = connected;
    if (connected.state !== 'linking' || !this.#connected.has(connected)) return;
    if (qrs.length === QRS_MAX) return this.#end(connected, 408);
    const text = `https://wa.me/settings/linked_devices#${randomBytes(12).toString('base64url')}`;
    qrs.push(text);
    given.onEvent({ kind: 'qr', text });
    if (given.pairingPhone !== undefined && connected.code === undefined) {
      connected.code = randomBytes(4).toString('hex').toUpperCase();
      given.onEvent({ kind: 'pairing_code', code: connected.code });
    }
    const { qrMs } = this.#options;
    if (qrMs !== undefined) timers.push(setTimeout(() => this.#showQr(connected), qrMs));
  }

  async #send(connected: Connected, message: EngineMessage): Promise<EngineAnswer> {
    const { creds, given } = connected;
    if (!this.#connected.has(connected)) throw new Error('not connected');
    const { wireId, to } = message;
    const { content } = message;
    const words = content.kind === 'media' ? { ...content, bytes: content.bytes.length } : content;
    if (!(await given.sent.readSent(wireId))) {
      await given.sent.writeSent(wireId, Buffer.from(JSON.stringify(words)));
    }
    await given.auth.writeKeys([{ type: 'session', id: `${to}.0`, value: `ratchet of ${to}` }]);
    if (connected.state !== 'open') return Promise.withResolvers<never>().promise;
    const answer = this.#options.answer?.(message) ?? { outcome: 'acknowledged' };
    if (answer === 'silent') return Promise.withResolvers<never>().promise;
    if (answer.outcome === 'acknowledged') this.#arrive(creds.phone ?? '', message);
    return answer;
  }

  #arrive(from: string, message: EngineMessage) {
    const { wireId } = message;
    this.arrived.set(wireId, { from, message, times: (this.arrived.get(wireId)?.times ?? 0) + 1 });
    const { receiptsMs } = this.#options;
    if (receiptsMs === undefined) return;
    setTimeout(() => {
      const atMs = Date.now();
      const receipt = (status: EngineReceipt['status']) => ({ wireId, status, atMs });
      this.emit(from, { kind: 'receipts', receipts: [receipt('delivered'), receipt('read')] });
    }, receiptsMs);
  }

  #drop(connected: Connected) {
    this.#connected.delete(connected);
    for (const timer of connected.timers) clearTimeout(timer);
  }

  #end(connected: Connected, code: number, isLoggedOut = false) {
    if (!this.#connected.has(connected)) return;
    this.#drop(connected);
    connected.given.onEvent({ kind: 'closed', code, ...(isLoggedOut && { isLoggedOut }) });
  }
}

const newCreds = (): Creds => ({
  id: randomBytes(9).toString('base64url'),
  secret: `identity ${randomBytes(9).toString('base64url')}`,
  phone: null,
});

/** An inbound text, for tests and development. */
export const textFrom = (
  phone: string,
  text: string,
  more: Partial<ReceivedMessage> = {},
): ReceivedMessage => ({
  wireId: randomBytes(9).toString('hex').toUpperCase(),
  phone,
  fromMe: false,
  atMs: Date.now(),
  content: { kind: 'text', text },
  ...more,
});
