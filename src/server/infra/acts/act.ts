import type { Act, Caller, InputOf, OperatorRole, OutputOf, PageOf } from '#contract/base/act.ts';
import type { Role } from '#contract/accounts.ts';

/** Someone with a valid session. */
export type Person = {
  kind: 'person';
  accountId: string;
  userId: string;
  sessionId: string;
  role: Role;
  /** What an operator may do; empty for customers. */
  operatorRoles: readonly OperatorRole[];
  /** Set when the session began with a second factor, or has given one since. */
  secondFactor?: true;
  /** Of a suspended account: then they may call what acts say (`whileSuspended`). */
  isSuspended?: boolean;
};
export type Nobody = { kind: 'nobody' };

/** What the browser a call comes from is to the session it carries. */
export type Reauth = {
  /** The session began in this browser. */
  inOwnBrowser: boolean;
  /** The session's person signed in or gave the password in this browser in the last five minutes. */
  recent: boolean;
};

type CallerOf<By extends Caller> = By extends 'public' ? Person | Nobody : Person;

/** What a handler knows of one call, beside its input. */
export type Call<By extends Caller = Caller> = {
  caller: CallerOf<By>;
  /** The browser's idempotency key of a mutation; a fresh UUID where none was sent. */
  key: string;
  /** The caller's address, as the trusted proxies tell it. */
  ip: string;
  agent: string;
  /** Which browser it is, by its cookie; '' for portals served elsewhere. */
  device: string;
  requestId: string;
};

/** Where a streaming act writes to: one open stream. */
export type FrameSink = {
  /**
   * Takes whole frames, as bytes that others may be given too.
   *
   * @returns false when it takes no more until it calls `resume`.
   */
  write(frames: Buffer): boolean;
  /** Called when no more frames come, but not after `cancel`. */
  end(): void;
};

/** One open stream, as the act knows it. */
export type Subscription = {
  /** The sink takes frames again. */
  resume(): void;
  /** No more frames are wanted. */
  cancel(): void;
};

/** What a streaming act answers: begins to write frames, and goes on until they are cancelled. */
export type FrameSource = (sink: FrameSink) => Subscription;

type ResultOf<A extends Act> = A['list'] extends undefined ? OutputOf<A> : PageOf<OutputOf<A>>;

/** An act with its handler. */
export type ActHandler = {
  act: Act;
  handle: (call: Call, input: never) => Promise<unknown> | FrameSource;
};

/** Binds a handler to its act; what it returns must be what the act promised. */
export function handle<A extends Act>(
  act: A,
  handle: (call: Call<A['by']>, input: InputOf<A>) => Promise<ResultOf<A>>,
): ActHandler {
  return { act, handle };
}

/** Binds the handler of a streaming act. */
export function handleStream<A extends Act>(
  act: A,
  handle: (call: Call<A['by']>, input: InputOf<A>) => FrameSource,
): ActHandler {
  return { act, handle };
}
