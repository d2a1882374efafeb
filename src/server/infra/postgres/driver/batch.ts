import type { Compiled } from './compile.ts';
import type { Row, Rows } from './rows.ts';
import { type LostOutcome, isServerError } from './errors.ts';
import { type Parse, parserOf } from './values.ts';

/** What is used of pg's connection: it writes the protocol's messages, and emits those that come. */
export type Wire = {
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

export type Column = { name: string; parse: Parse };
/** What a prepared statement returns: known once the server has described it. */
export type Description = { columns: readonly Column[] | undefined };
/** A statement on its way, and who waits for it. */
export type Request = Compiled & {
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
export class Batch {
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
