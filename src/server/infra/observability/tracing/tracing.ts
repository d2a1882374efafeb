/**
 * All that a span may say of a message or a call: ids, names of ours, and figures. Nothing else becomes an
 * attribute, so that a text, a phone number or a secret never does (docs/running/traces.md#what-is-never-in-one).
 */
export type Facts = {
  /** UUIDs. */
  account?: string;
  token?: string;
  /** The type of the message: `text`, `image` … */
  type?: string;
  channel?: string;
  /** Which try it was, from 1. */
  attempt?: number;
  /** What came of it. */
  outcome?: string;
  /** Why it failed, a code of ours; the span counts as failed. */
  failure?: string | null;
  /** The HTTP status that somebody answered. */
  httpStatus?: number | null;
};

/** What was done to one message. */
export type Step = Facts & {
  /** The message's UUID: its trace has the same 128 bits. */
  messageId: string;
  /** What it was, beyond the operation, of few different ones: the status that was settled, the channel. */
  of?: string;
};

/** What a call does to messages. */
export type Operation = 'claim' | 'send' | 'settle' | 'publish' | 'webhook' | 'live';

/** A call that has just ended, and what it did. */
export type Call = {
  operation: Operation;
  /** When it began, by `performance.now()`. */
  began: number;
  /** When it ended; left out: now. */
  ended?: number;
  steps: readonly Step[];
};

/** A request that is being answered; what becomes of it is known when it ends. */
export type RequestTrace = object;

/** A call that has just made messages, which begin their traces by it. */
export type Creation = {
  operation: 'accept' | 'receive';
  began: number;
  /** Messages by the request that they came with, where there is one. */
  requests: readonly { cause?: RequestTrace | undefined; messages: readonly Step[] }[];
};

/** An answered request, without what its caller wrote. */
export type AnsweredRequest = {
  method: string;
  /** The route as it was registered, never the address. */
  route: string;
  scheme: string;
  status: number;
  requestId: string;
};

/**
 * Records traces. Only where they are switched on: whoever is handed none does nothing.
 *
 * The trace of a message is found from its id alone, in any process and at any time. Nothing here throws or waits.
 */
export type Tracing = {
  /** Records calls that made messages. */
  created: (creation: Creation) => void;
  /** Records a call that did something to messages; with several of them also a span of its own, which links to theirs. */
  did: (call: Call) => void;
  /** The request that is being answered where this is called. */
  cause: () => RequestTrace | undefined;
  /** Begins a request. @param traceparent the caller's header, as it came: the span links to it. */
  begin: (traceparent: string | undefined) => RequestTrace;
  /** Runs what answers a request, so that `cause` finds it there. */
  answering: (request: RequestTrace, work: () => void) => void;
  /** Records a request, after what it made. */
  answered: (request: RequestTrace, facts: AnsweredRequest) => void;
  /** Sends what is left, for five seconds at most. */
  close: () => Promise<void>;
};
