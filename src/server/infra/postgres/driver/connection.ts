import {
  ConnectionLost,
  type LostOutcome,
  READ_ONLY,
  codeOf,
  isOutdated,
  isUncertain,
  skippedBecause,
  isServerError,
} from './errors.ts';
import type { Compiled } from './compile.ts';
import { type Row, Rows } from './rows.ts';
import { encode, type Parse, parserOf } from './values.ts';

export type Client = {
  readonly connection: Wire;
  query(batch: Batch): unknown;
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  on(event: 'error', handle: (error: Error) => void): unknown;
  on(event: 'notice', handle: (notice: { routine?: string | undefined }) => void): unknown;
  on(event: 'end', handle: () => void): unknown;
};

/** Parameter types by statement name; shared by all connections of a pool. */
export type ParameterTypes = Map<string, readonly number[]>;

export type RequestOptions = { isScript?: boolean; whenLost?: LostOutcome };

const LOOK_MS = 250;
/** A longer gap between checks means that this process was suspended or too busy. */
const STOOD_STILL_MS = 4 * LOOK_MS;
const QUERY_CANCELED = '57014';

/**
 * One connection. In a transaction, statements run in order, and those issued at the same moment form one batch
 * before one `Sync`, so that the server skips the rest after a failure. Outside of transactions each statement has
 * its own `Sync`, and thus its own transaction, and may be sent before earlier ones are answered.
 */
export class Connection {
  /** True if it must not be reused: after a timeout, or in an unexpected state. */
  mustClose = false;
  isReadOnly = false;
  isShared = false;
  readonly #client: Client;
  readonly #parameterTypes: ParameterTypes;
  readonly #descriptions = new Map<string, Description>();
  #queue: Request[] = [];
  /** Sent, in the order of the responses. */
  #sent: Batch[] = [];
  #lost: ConnectionLost | undefined;
  #isFlushing = false;
  #idle: PromiseWithResolvers<void> | undefined;

  /** @param silenceMs limit for the server's silence while a response is due; 0 for none. */
  constructor(client: Client, parameterTypes: ParameterTypes, silenceMs: number) {
    this.#client = client;
    this.#parameterTypes = parameterTypes;
    client.on('error', (error) => this.#lose(error));
    client.on('end', () => this.#lose(new Error('the database closed the connection')));
    // The wait of a COMMIT for its standby was cancelled: it is committed here, but may not be there.
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#lose(new Error('a commit may not be replicated'));
    });
    client.connection.on('readyForQuery', () => this.#settle());
    client.connection.on('parameterDescription', ({ dataTypeIDs }) => {
      const name = this.#sent[0]?.current?.name ?? '';
      if (name !== '') parameterTypes.set(name, dataTypeIDs);
    });
    if (silenceMs > 0) this.#watchSilence(silenceMs);
  }

  get transactionStatus(): 'I' | 'T' | 'E' | null {
    return this.#client.getTransactionStatus();
  }
  get isLost(): boolean {
    return this.#lost !== undefined;
  }
  /** Closes the connection at once, even with work in progress. */
  destroy(): void {
    this.#client.connection.stream.destroy();
  }

  execute(
    compiled: Compiled,
    { isScript = false, whenLost = 'unknown' }: RequestOptions = {},
  ): Promise<Rows<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<Rows<Row>>();
    if (this.#lost) {
      reject(new ConnectionLost(this.#lost.cause, 'not sent'));
      return promise;
    }
    this.#queue.push({
      ...compiled,
      isScript,
      whenLost,
      encoded: [],
      description: { columns: undefined },
      isParsed: false,
      rows: new Rows(),
      failure: undefined,
      resolve,
      reject,
    });
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      queueMicrotask(() => {
        this.#isFlushing = false;
        this.#flush();
      });
    }
    return promise;
  }

  async whenIdle(): Promise<void> {
    if (this.#sent.length === 0 && this.#queue.length === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #flush(): void {
    if (this.#lost) return;
    const { stream } = this.#client.connection;
    // Statements of one turn leave in one write: each write wakes the server.
    stream.cork();
    try {
      if (this.isShared) this.#sendEach();
      else if (this.#sent.length === 0) this.#sendTogether();
    } finally {
      stream.uncork();
    }
    if (this.#sent.length > 0 || this.#queue.length > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #sendEach(): void {
    for (const request of this.#queue.splice(0)) {
      if (this.#lost) request.reject(new ConnectionLost(this.#lost.cause, 'not sent'));
      else if (!this.#needsTypes(request)) {
        if (this.#encode(request)) this.#send([request]);
      } else {
        this.#queue.push(request);
        const isRequested = this.#sent.some(
          ({ describeOnly, current }) => describeOnly && current?.name === request.name,
        );
        if (!isRequested) this.#send([request], true);
      }
    }
  }

  #sendTogether(): void {
    const undescribed = this.#queue.find((request) => this.#needsTypes(request));
    if (undescribed) return this.#send([undescribed], true);
    const [first] = this.#queue;
    const script = this.#queue.findIndex(({ isScript }) => isScript);
    const count = first?.isScript === true ? 1 : script === -1 ? this.#queue.length : script;
    const requests = this.#queue.splice(0, count).filter((request) => this.#encode(request));
    if (requests.length > 0) this.#send(requests);
    else if (this.#queue.length > 0) this.#sendTogether();
  }

  /** Values are encoded by the server's types, which are requested once per statement of a pool. */
  #needsTypes({ name, values, isScript }: Request): boolean {
    return !isScript && name !== '' && values.length > 0 && !this.#parameterTypes.has(name);
  }

  /** False if a value cannot be encoded: its statement is then rejected, and not sent. */
  #encode(request: Request): boolean {
    const types = this.#parameterTypes.get(request.name);
    try {
      request.encoded = request.values.map((value, at) => encode(value, types?.[at] ?? 0));
      return true;
    } catch (error) {
      request.reject(error);
      return false;
    }
  }

  #send(requests: readonly Request[], describeOnly = false): void {
    const { connection } = this.#client;
    const batch = new Batch(requests, describeOnly, this.#descriptions, (error) =>
      this.#lose(error),
    );
    if (!connection.stream.writable) {
      if (!describeOnly) this.#queue.unshift(...requests);
      return this.#lose(new Error('the database closed the connection'));
    }
    this.#sent.push(batch);
    batch.write(connection);
    if (this.#sent.length === 1) this.#client.query(batch);
  }

  /** The server is ready again: settles the requests of the batch. */
  #settle(): void {
    const batch = this.#sent.shift();
    if (!batch) return;
    // pg must know the next batch before it reads on.
    const [next] = this.#sent;
    if (next) this.#client.query(next);
    const isDemoted = codeOf(batch.error) === READ_ONLY && !this.isReadOnly;
    const outcome = isDemoted ? 'not sent' : isUncertain(batch.error) ? 'unknown' : undefined;
    const error = outcome ? new ConnectionLost(batch.error, outcome) : batch.error;
    // A single statement commits after its completion: an error in between has failed it.
    const failedAt = Math.min(batch.at, batch.requests.length - 1);
    batch.requests.forEach((request, at) => {
      if (batch.describeOnly) return this.#settleDescribed(request, error);
      if (!error || at < failedAt) return settleOne(request);
      // It is unknown whether it was prepared before it failed, or its plan is outdated.
      if (request.isParsed || isOutdated(error)) this.#descriptions.delete(request.name);
      if (codeOf(error) === QUERY_CANCELED) this.mustClose = true;
      request.reject(at === failedAt ? error : skippedBecause(error));
    });
    if (outcome) return this.#lose(batch.error);
    if (this.isShared && this.transactionStatus !== 'I') {
      this.#lose(new Error('a statement by itself left a transaction open'));
    }
    this.#flush();
  }

  #settleDescribed(request: Request, error: unknown): void {
    if (!error) {
      if (!this.#parameterTypes.has(request.name)) this.#parameterTypes.set(request.name, []);
      return;
    }
    this.#descriptions.delete(request.name);
    if (codeOf(error) === QUERY_CANCELED) this.mustClose = true;
    const at = this.#queue.indexOf(request);
    // Another connection got its types meanwhile: it was then sent, and has its own response.
    if (at === -1) return;
    this.#queue.splice(at, 1);
    request.reject(error);
  }

  #lose(end: unknown): void {
    if (this.#lost) return;
    // The server's last error says more than the end of the connection that followed.
    const cause = this.#sent[0]?.error ?? end;
    this.#lost = new ConnectionLost(cause, 'not sent');
    this.mustClose = true;
    for (const { requests, describeOnly } of this.#sent.splice(0)) {
      if (describeOnly) continue;
      for (const { reject, whenLost } of requests) reject(new ConnectionLost(cause, whenLost));
    }
    for (const { reject } of this.#queue.splice(0)) reject(new ConnectionLost(cause, 'not sent'));
    this.#idle?.resolve();
    this.#idle = undefined;
    this.destroy();
  }

  /** Only the server enforces its timeouts; this detects a network that drops all packets. */
  #watchSilence(silenceMs: number): void {
    const { stream } = this.#client.connection;
    let since = 0;
    let read = -1;
    let watched: Batch | undefined;
    let lookedAt = performance.now();
    const timer = setInterval(() => {
      if (this.#lost) return clearInterval(timer);
      const [active] = this.#sent;
      if (active && (watched !== active || read !== stream.bytesRead)) {
        since = watched === active ? performance.now() : active.activeSince;
        read = stream.bytesRead;
      }
      watched = active;
      // Time in which this process itself was suspended is not the server's silence.
      const now = performance.now();
      if (now - lookedAt > STOOD_STILL_MS) since = now;
      lookedAt = now;
      if (!active || now - since <= silenceMs) return;
      const words = `the database has said nothing for ${silenceMs} ms`;
      this.#lose(Object.assign(new Error(words), { code: 'ETIMEDOUT' }));
    }, LOOK_MS);
    timer.unref();
  }
}

function settleOne({ failure, rows, resolve, reject }: Request): void {
  if (failure === undefined) resolve(rows);
  else reject(failure);
}

type Wire = {
  readonly stream: {
    readonly writable: boolean;
    readonly bytesRead: number;
    cork(): void;
    uncork(): void;
    destroy(error?: Error): unknown;
  };
  query(text: string): void;
  close(message: { type: 'S'; name: string }): void;
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  execute(message: object): void;
  sync(): void;
  sendCopyFail(why: string): void;
  on(event: 'readyForQuery', handle: () => void): unknown;
  on(
    event: 'parameterDescription',
    handle: (message: { dataTypeIDs: readonly number[] }) => void,
  ): unknown;
};

type Column = { name: string; parse: Parse };
type Description = { columns: readonly Column[] | undefined };
type Request = Compiled & {
  /** Sent as plain text by the simple protocol; may hold several statements. */
  isScript: boolean;
  whenLost: LostOutcome;
  encoded: readonly (string | Buffer | null)[];
  /** Of the statement as prepared when this was sent: a later one may differ. */
  description: Description;
  isParsed: boolean;
  rows: Rows<Row>;
  failure: unknown;
  resolve: (rows: Rows<Row>) => void;
  reject: (error: unknown) => void;
};

type RowDescription = { fields: readonly { name: string; dataTypeID: number }[] };

class Batch {
  at = 0;
  activeSince = 0;
  error: unknown;
  readonly requests: readonly Request[];
  readonly describeOnly: boolean;
  readonly #descriptions: Map<string, Description>;
  readonly #onLost: (error: unknown) => void;

  constructor(
    requests: readonly Request[],
    describeOnly: boolean,
    descriptions: Map<string, Description>,
    onLost: (error: unknown) => void,
  ) {
    this.requests = requests;
    this.describeOnly = describeOnly;
    this.#descriptions = descriptions;
    this.#onLost = onLost;
  }
  get current(): Request | undefined {
    return this.requests[this.at];
  }

  /** Called by pg when the responses of this batch come next; it was sent before. */
  submit(): null {
    this.activeSince = performance.now();
    return null;
  }

  write(wire: Wire): void {
    for (const request of this.requests) this.#write(wire, request);
  }

  #write(wire: Wire, request: Request): void {
    const { name, text, types, isScript, encoded } = request;
    if (isScript) return wire.query(text);
    const known = this.#descriptions.get(name);
    if (name !== '' && known) {
      request.description = known;
    } else {
      request.isParsed = true;
      if (name !== '') {
        wire.close({ type: 'S', name });
        this.#descriptions.set(name, request.description);
      }
      wire.parse({ name, text, types });
      wire.describe({ type: 'S', name });
    }
    if (!this.describeOnly) {
      wire.bind({ statement: name, values: encoded });
      wire.execute({});
    }
    if (request === this.requests.at(-1)) wire.sync();
  }

  handleRowDescription({ fields }: RowDescription): void {
    const request = this.current;
    if (!request) return;
    request.description.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: parserOf(dataTypeID),
    }));
  }
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const request = this.current;
    if (!request || request.failure !== undefined) return;
    try {
      const row: Row = {};
      const { columns = [] } = request.description;
      if (columns.length !== fields.length) throw new Error('a row is not as it was described');
      for (const [at, { name, parse }] of columns.entries()) {
        const text = fields[at];
        row[name] = typeof text === 'string' ? parse(text) : null;
      }
      request.rows.push(row);
    } catch (error) {
      request.failure = error;
    }
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.current?.rows.complete(text);
    if (this.current?.isScript === false) this.at++;
  }
  handleEmptyQuery(): void {
    if (this.current?.isScript === false) this.at++;
  }
  /**
   * An error of the server, after which it becomes ready again or closes the connection; or the end of the
   * connection. The severity does not tell which: a server may translate it.
   */
  handleError(error: unknown): void {
    if (isServerError(error)) this.error = error;
    else this.#onLost(error);
  }
  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('there is nothing to copy');
    // The server has read the `Sync` after the statement as part of the copy.
    if (this.current?.isScript === false) wire.sync();
  }
  // The connection handles readyForQuery; the other messages never come.
  handleReadyForQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}
