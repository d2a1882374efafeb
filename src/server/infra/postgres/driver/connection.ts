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

/** What is used of a client of pg. */
export type Client = {
  readonly connection: Wire;
  query(batch: Batch): unknown;
  /** The transaction's state as the server last told it: idle, open, or failed. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  on(event: 'error', handle: (error: Error) => void): unknown;
  on(event: 'notice', handle: (notice: { routine?: string | undefined }) => void): unknown;
  on(event: 'end', handle: () => void): unknown;
};

/** The types of a statement's parameters, by its name; the same for all connections of a pool. */
export type ParameterTypes = Map<string, readonly number[]>;

export type RequestOptions = { isScript?: boolean; whenLost?: LostOutcome };

const LOOK_MS = 250;
/** Looks that are so far apart mean that this process was stopped, or too busy to hear anything. */
const STOOD_STILL_MS = 4 * LOOK_MS;
const QUERY_CANCELED = '57014';

/**
 * One connection. In a transaction, statements run in the order they come, those of the same moment in one
 * batch behind one `Sync`, so that when one fails the server skips the rest. Outside of transactions each
 * has a `Sync`, and so a transaction, of its own; then it may be sent before those ahead are answered.
 */
export class Connection {
  /** True when it must not be used again: a timeout, or a state nobody intended. */
  isDoubtful = false;
  /** True while it is in a transaction that was begun as read only. */
  isReadOnly = false;
  /** True while it works for several callers, outside of transactions. */
  isShared = false;
  readonly #client: Client;
  readonly #parameterTypes: ParameterTypes;
  readonly #descriptions = new Map<string, Description>();
  /** What is not sent yet. */
  #queue: Request[] = [];
  /** What is sent, in the order in which it is answered. */
  #sent: Batch[] = [];
  #lost: ConnectionLost | undefined;
  #isFlushing = false;
  #idle: PromiseWithResolvers<void> | undefined;

  /** @param silenceMs how long the server may be silent while it is asked; 0 for ever. */
  constructor(client: Client, parameterTypes: ParameterTypes, silenceMs: number) {
    this.#client = client;
    this.#parameterTypes = parameterTypes;
    client.on('error', (error) => this.#lose(error));
    client.on('end', () => this.#lose(new Error('the database closed the connection')));
    // Somebody has ended the wait of a COMMIT for its standby: it stands here, and might not there.
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
  /** Ends it at once, whatever is under way. */
  destroy(): void {
    this.#client.connection.stream.destroy();
  }

  /** Runs a statement after those before it. */
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

  /** Resolves when nothing is under way. */
  async whenIdle(): Promise<void> {
    if (this.#sent.length === 0 && this.#queue.length === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #flush(): void {
    if (this.#lost) return;
    if (this.isShared) this.#sendEach();
    else if (this.#sent.length === 0) this.#sendTogether();
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
        const isAsked = this.#sent.some(
          ({ describeOnly, current }) => describeOnly && current?.name === request.name,
        );
        if (!isAsked) this.#send([request], true);
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

  /** Values are written by the server's types, which are asked for once for each statement of a pool. */
  #needsTypes({ name, values, isScript }: Request): boolean {
    return !isScript && name !== '' && values.length > 0 && !this.#parameterTypes.has(name);
  }

  /** False when a value cannot be sent: then its statement is rejected, and not sent. */
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

  /** The server is ready again: everybody of the batch hears what became of it. */
  #settle(): void {
    const batch = this.#sent.shift();
    if (!batch) return;
    // What is answered next must be known to pg before it reads on.
    const [next] = this.#sent;
    if (next) this.#client.query(next);
    const isDemoted = codeOf(batch.error) === READ_ONLY && !this.isReadOnly;
    const outcome = isDemoted ? 'not sent' : isUncertain(batch.error) ? 'unknown' : undefined;
    const error = outcome ? new ConnectionLost(batch.error, outcome) : batch.error;
    // A statement by itself is committed after it is complete: what fails then has failed it.
    const failedAt = Math.min(batch.at, batch.requests.length - 1);
    batch.requests.forEach((request, at) => {
      if (batch.describeOnly) return this.#settleDescribed(request, error);
      if (!error || at < failedAt) return settleOne(request);
      // Whether it was prepared before it failed is not known, or its plan is outdated.
      if (request.isParsed || isOutdated(error)) this.#descriptions.delete(request.name);
      if (codeOf(error) === QUERY_CANCELED) this.isDoubtful = true;
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
    if (codeOf(error) === QUERY_CANCELED) this.isDoubtful = true;
    const at = this.#queue.indexOf(request);
    // Another connection told its types meanwhile: then it was sent, and has an answer of its own.
    if (at === -1) return;
    this.#queue.splice(at, 1);
    request.reject(error);
  }

  #lose(end: unknown): void {
    if (this.#lost) return;
    // The server's last words say more than the end that followed them.
    const cause = this.#sent[0]?.error ?? end;
    this.#lost = new ConnectionLost(cause, 'not sent');
    this.isDoubtful = true;
    for (const { requests, describeOnly } of this.#sent.splice(0)) {
      if (describeOnly) continue;
      for (const { reject, whenLost } of requests) reject(new ConnectionLost(cause, whenLost));
    }
    for (const { reject } of this.#queue.splice(0)) reject(new ConnectionLost(cause, 'not sent'));
    this.#idle?.resolve();
    this.#idle = undefined;
    this.destroy();
  }

  /** Nothing but the server enforces its timeouts: a network that swallows everything ends here. */
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
      // While this process itself stood still nobody listened: that was no silence of the server's.
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

/** What is used of pg's connection: it writes the protocol's messages, and emits those that come. */
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
/** What a prepared statement returns: known once the server has described it. */
type Description = { columns: readonly Column[] | undefined };
/** A statement on its way, and who waits for it. */
type Request = Compiled & {
  /** Sent as plain text by the simple protocol; it may hold several statements. */
  isScript: boolean;
  /** What it means when the connection is lost after it was sent. */
  whenLost: LostOutcome;
  encoded: readonly (string | Buffer | null)[];
  /** That of the statement as it was prepared when this was written: a later one may differ. */
  description: Description;
  /** True when it was prepared with this batch. */
  isParsed: boolean;
  rows: Rows<Row>;
  /** What went wrong with it by itself: a value that cannot be read. */
  failure: unknown;
  resolve: (rows: Rows<Row>) => void;
  reject: (error: unknown) => void;
};

type RowDescription = { fields: readonly { name: string; dataTypeID: number }[] };

/** Statements behind one `Sync`, as pg runs a query of one's own. */
class Batch {
  /** Which request the server answers now. */
  at = 0;
  activeSince = 0;
  error: unknown;
  readonly requests: readonly Request[];
  /** Prepares its one statement and asks for its types. */
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

  /** Called by pg when it is this batch's turn to be answered; by then it has been written. */
  submit(): null {
    this.activeSince = performance.now();
    return null;
  }

  write(wire: Wire): void {
    wire.stream.cork();
    try {
      for (const request of this.requests) this.#write(wire, request);
    } finally {
      wire.stream.uncork();
    }
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
   * An error of the server, after which it becomes ready again or closes the connection; or its end.
   * Which of the two cannot be read from its severity: a server may write that in another language.
   */
  handleError(error: unknown): void {
    if (isServerError(error)) this.error = error;
    else this.#onLost(error);
  }
  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('there is nothing to copy');
    // The server has read the `Sync` behind the statement as part of the copy.
    if (this.current?.isScript === false) wire.sync();
  }
  // What is known when the server is ready, the connection tells; the rest never comes.
  handleReadyForQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}
