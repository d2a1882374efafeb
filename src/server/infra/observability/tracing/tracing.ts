/**
 * All facts that may appear in a span: ids, our own names, and figures. Nothing else becomes an attribute, so that
 * text, phone numbers and secrets never do (docs/running/traces.md#what-is-never-in-one).
 */
export type Facts = {
  account?: string;
  token?: string;
  type?: string;
  channel?: string;
  attempt?: number;
  outcome?: string;
  /** Our code of the failure; the span counts as failed. */
  failure?: string | null;
  httpStatus?: number | null;
};

export type Step = Facts & {
  /** The message's UUID: its trace has the same 128 bits. */
  messageId: string;
  of?: string;
};

export type Operation = 'claim' | 'send' | 'settle' | 'publish' | 'webhook' | 'live';

export type Call = {
  operation: Operation;
  began: number;
  ended?: number;
  steps: readonly Step[];
};

export type RequestTrace = object;

export type Creation = {
  operation: 'accept' | 'receive';
  began: number;
  /** Messages by the request that created them, if there is one. */
  requests: readonly { cause?: RequestTrace | undefined; messages: readonly Step[] }[];
};

export type AnsweredRequest = {
  method: string;
  /** The registered route, never the address. */
  route: string;
  scheme: string;
  status: number;
  requestId: string;
};

/**
 * Records traces. Absent if tracing is switched off.
 *
 * The trace of a message is derived from its id alone, in any process and at any time. No method throws or waits.
 */
export type Tracing = {
  created: (creation: Creation) => void;
  /** Records a call on messages; for several of them also a span of its own, linked to theirs. */
  did: (call: Call) => void;
  /** The request being handled in the current async context. */
  cause: () => RequestTrace | undefined;
  /** Begins a request. @param traceparent the caller's unchanged header: the span links to it. */
  begin: (traceparent: string | undefined) => RequestTrace;
  /** Runs a request's handler, so that `cause` finds the request. */
  answering: (request: RequestTrace, work: () => void) => void;
  answered: (request: RequestTrace, facts: AnsweredRequest) => void;
  /** Sends the remaining spans, for at most five seconds. */
  close: () => Promise<void>;
};
