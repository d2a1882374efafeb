import type { Act } from '#contract/base/act.ts';
import { uuidOf } from '#contract/base/ids.ts';
import type { Fields } from '#contract/base/form.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import type { ActHandler, FrameSource, Nobody, Person, Reauth } from '#server/infra/acts/act.ts';
import type { ActAnswers, Outcome } from '#server/infra/acts/answers.ts';
import type { Audit } from '#server/infra/acts/audit.ts';
import { type Limiter, openBuckets } from '#server/infra/acts/limits.ts';
import { textAt } from '#server/infra/net/json-values.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { type Answer, granted, refused } from '#server/http/answer.ts';
import { type KnownNumbers, readInput, readKnowing } from '#server/http/input.ts';
import { type Origins, type Source, checkSource } from '#server/http/origin.ts';

/** What a call was, for the log and the figures. Never what people wrote. */
export type ActMetric = { act: string; outcome: string; seconds: number };

export type ActEndpointDeps = {
  findSession: (token: string) => Promise<Person | undefined>;
  /** True when a session is known to have begun in another browser than this one. */
  isElsewhere: (person: Person, device: string) => boolean;
  /** What the browser is to the session that calls from it. */
  reauthOf: (sessionId: string, device: string) => Promise<Reauth>;
  /** True of whoever must set up, or give, a second factor before anything else. */
  needsSecondFactor: (person: Person) => boolean;
  limiter: Limiter;
  answers: ActAnswers;
  audit: Audit;
  knownNumbers: KnownNumbers;
  origins: Origins;
  /** Called with what is our fault. */
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
  /** Called after every call. */
  onMetric?: (call: ActMetric) => void;
};

/** One call as it came in. */
export type ActRequest = {
  fields: Fields;
  source: Source;
  ip: string;
  agent: string;
  device: string;
  requestId: string;
};

/** What a streaming act answers: frames for one session, as long as it lives. */
export type Stream = { frames: FrameSource; person: Person };
export type Reply = Answer | Stream;

/** The endpoint of the portal's acts: fields in, status and body out. */
export type ActEndpoint = (request: ActRequest) => Promise<Reply>;

/** An act that takes longer than this is answered `timed_out`; what it does is completed and stored. */
const ACT_MS_MAX = 12_000;
const NOBODY: Nobody = { kind: 'nobody' };

export function createActEndpoint(
  handlers: readonly ActHandler[],
  deps: ActEndpointDeps,
): ActEndpoint {
  const handlersByName = new Map(handlers.map((one) => [one.act.name, one]));
  return async (request) => {
    const began = performance.now();
    let act: Act | undefined;
    const record = (outcome: string) => {
      const seconds = (performance.now() - began) / 1000;
      deps.onMetric?.({ act: act?.name ?? 'unknown', outcome, seconds });
    };
    try {
      const envelope = envelopeOf(request.fields);
      const handler = handlersByName.get(envelope.act);
      act = handler?.act;
      checkSource(deps.origins, request.source, act?.by === 'public' && act.changes);
      const caller = await admit(deps, act, envelope.token, request);
      if (!handler) throw new Refusal('act_unknown', {});
      const input = await inputOf(deps, handler.act, caller, envelope);
      const reply = await run(deps, { handler, caller, input, envelope, request });
      record('status' in reply ? (reply.refused ?? 'ok') : 'stream');
      return reply;
    } catch (error) {
      const answer = refused(error, {
        requestId: request.requestId,
        promised: act?.refuses ?? [],
        report: (bug) =>
          deps.report(bug, { requestId: request.requestId, act: act?.name ?? 'unknown' }),
      });
      record(answer.refused ?? 'ok');
      return answer;
    }
  };
}

/** @throws Refusal `input_invalid` */
async function inputOf(
  { knownNumbers }: ActEndpointDeps,
  act: Act,
  caller: Person | Nobody,
  { own }: Envelope,
): Promise<unknown> {
  const read = (): unknown => readInput(act.input, Object.fromEntries(own));
  if (caller.kind !== 'person' || act.by === 'public') return read();
  return (await readKnowing(knownNumbers, caller.accountId, read)).read;
}

/**
 * Who is calling, when they may. Whoever is turned away has still used up one call of their address.
 *
 * @throws Refusal `not_signed_in`, `not_allowed`, `account_suspended`, `too_many_requests`, and what `lacksFactor` and
 *   `lacksReauth` answer; for what only operators may know of, `act_unknown`, as for an act that is not there.
 */
async function admit(
  deps: ActEndpointDeps,
  act: Act | undefined,
  token: string,
  request: ActRequest,
): Promise<Person | Nobody> {
  const { ip, device } = request;
  const { findSession, isElsewhere, reauthOf, limiter } = deps;
  const caller = (token === '' ? undefined : await findSession(token)) ?? NOBODY;
  const elsewhere = caller.kind === 'person' && isElsewhere(caller, device);
  const no = act
    ? (unknownTo(act, caller) ??
      lacksFactor(deps, act, caller, elsewhere) ??
      turnedAway(act, caller))
    : new Refusal('act_unknown', {});
  const person = caller.kind === 'person' ? countedAs(caller, elsewhere) : undefined;
  await limiter.allow(no || !act ? 'read' : act.limit, { ip, person });
  if (!act || caller.kind !== 'person') {
    if (no) throw no;
    return caller;
  }
  const asksReauth = act.requiresRecentPassword || act.outlivesSession;
  const refusal =
    no ?? (asksReauth ? lacksReauth(act, await reauthOf(caller.sessionId, device)) : undefined);
  if (!refusal) return caller;
  await noteTurnedAway(deps, { act, caller, request, refusal });
  throw refusal;
}

/** Audit lines of refused calls that a customer may leave: twenty, then one in three minutes. */
const NOTED_PACE = { burst: 20, perSecond: 1 / 180 };
const notedPace = openBuckets();

/**
 * Writes an audit line for a person who was refused an act: it is not theirs, or their session is used in another
 * browser than its own. Of a customer who calls an act of operators too, although the answer is `act_unknown`.
 */
async function noteTurnedAway(
  { audit, report }: ActEndpointDeps,
  { act, caller, request, refusal: { code: outcome } }: TurnedAway,
): Promise<void> {
  const isRefusal = outcome === 'not_allowed' || outcome === 'sign_in_needed';
  if (!(outcome === 'act_unknown' || (act.audited && isRefusal))) return;
  if (caller.role !== 'operator' && notedPace(caller.userId, NOTED_PACE) > 0) return;
  const { accountId, userId: actor } = caller;
  const { ip, requestId } = request;
  const line = { accountId, actor, act: act.name, outcome, ip, requestId, facts: {} };
  await audit.write(line).catch((error: unknown) => report(error, { requestId, act: act.name }));
}

type TurnedAway = { act: Act; caller: Person; request: ActRequest; refusal: Refusal };

/** A copied token's calls are counted apart: whoever has it must not keep the owner waiting. */
const countedAs = ({ userId }: Person, elsewhere: boolean): string =>
  elsewhere ? `${userId} elsewhere` : userId;

/**
 * Asks for the password where the session's token alone is not enough: it may have been copied
 * (`docs/decisions/025-copied-tokens.md`).
 *
 * @returns `reauth_needed`; `sign_in_needed` for what a password given in another browser than the session's own
 *   does not open either.
 */
function lacksReauth(act: Act, { inOwnBrowser, recent }: Reauth): Refusal | undefined {
  // Ask for the password only if it lets the caller perform the act.
  if (act.requiresRecentPassword && !inOwnBrowser) return new Refusal('sign_in_needed', {});
  const asksPassword = act.requiresRecentPassword || !inOwnBrowser;
  return asksPassword && !recent ? new Refusal('reauth_needed', {}) : undefined;
}

/** What only operators may know of is, to everybody else, not there. */
const unknownTo = ({ by }: Act, caller: Person | Nobody): Refusal | undefined =>
  by === 'operator' && (caller.kind !== 'person' || caller.role !== 'operator')
    ? new Refusal('act_unknown', {})
    : undefined;

/**
 * `second_factor_needed` for who has to set one up first. A session that gave one is good in its own browser
 * only, also for reading: elsewhere it was copied, and the answer is `sign_in_needed`.
 */
function lacksFactor(
  { needsSecondFactor }: ActEndpointDeps,
  { withoutSecondFactor }: Act,
  caller: Person | Nobody,
  elsewhere: boolean,
): Refusal | undefined {
  if (withoutSecondFactor || caller.kind !== 'person') return undefined;
  if (needsSecondFactor(caller)) return new Refusal('second_factor_needed', {});
  return caller.secondFactor && elsewhere ? new Refusal('sign_in_needed', {}) : undefined;
}

function turnedAway(act: Act, caller: Person | Nobody): Refusal | undefined {
  const { by } = act;
  if (by === 'public') return undefined;
  if (caller.kind !== 'person') return new Refusal('not_signed_in', {});
  if (caller.isSuspended && !act.whileSuspended) return new Refusal('account_suspended', {});
  const may =
    by === 'operator' ? mayOperate(act, caller) : by === 'anyone_signed_in' || caller.role === by;
  return may ? undefined : new Refusal('not_allowed', {});
}

const mayOperate = ({ roles }: Act, { operatorRoles }: Person): boolean =>
  operatorRoles.some((role) => role === 'admin' || roles.includes(role));

type Admitted = {
  handler: ActHandler;
  caller: Person | Nobody;
  input: unknown;
  envelope: Envelope;
  request: ActRequest;
};

async function run(deps: ActEndpointDeps, admitted: Admitted): Promise<Reply> {
  const { handler, caller, input, envelope, request } = admitted;
  const { act } = handler;
  const call = {
    caller,
    key: envelope.key ?? crypto.randomUUID(),
    ip: request.ip,
    agent: request.agent,
    device: request.device,
    requestId: request.requestId,
  };
  if (act.streams) {
    if (caller.kind !== 'person') throw new Error(`${act.name} streams to nobody`);
    return { frames: handler.handle(call, input as never) as FrameSource, person: caller };
  }
  const once = async (): Promise<Answer> => {
    const made = await perform(deps, admitted, () =>
      inConcerned(admitted, () => handler.handle(call, input as never)),
    );
    if (act.audited) await writeAudit(deps, admitted, made);
    return made.answer;
  };
  return withTimeout(
    act.changes && envelope.key !== undefined
      ? onlyOnce(deps.answers, admitted, envelope.key, once)
      : once(),
    ACT_MS_MAX,
    refuseTimedOut,
  );
}

/**
 * What somebody calls concerns their own account; what is for operators, the one that is named, if one is. What is
 * public concerns whom it is about, and not whose session came with it.
 */
function inConcerned<T>(
  { handler: { act }, caller, input }: Pick<Admitted, 'handler' | 'caller' | 'input'>,
  work: () => T,
): T {
  if (caller.kind !== 'person' || act.by === 'public') return work();
  const accountId = act.by === 'operator' ? textAt(input, 'account_id') : caller.accountId;
  return accountId === undefined ? work() : inAccount(accountId, work);
}

type Made = { answer: Answer; result: unknown };

async function perform(
  { report }: ActEndpointDeps,
  { handler: { act }, request: { requestId } }: Admitted,
  handle: () => unknown,
): Promise<Made> {
  try {
    const result = await handle();
    return { answer: granted(act, result), result };
  } catch (error) {
    const answer = refused(error, {
      requestId,
      promised: act.refuses,
      report: (bug) => report(bug, { requestId, act: act.name }),
    });
    return { answer, result: undefined };
  }
}

/** A repeated key gets the first answer; faults and crowds are not answers, and may be tried again. */
async function onlyOnce(
  answers: ActAnswers,
  { handler: { act }, caller, envelope }: Admitted,
  key: string,
  once: () => Promise<Answer>,
): Promise<Answer> {
  // A public act is answered alike with and without a session. Its key is the secret: 122 random bits.
  const person = act.by === 'public' || caller.kind === 'nobody' ? 'public' : caller.userId;
  const input = JSON.stringify([...envelope.own].sort(([a], [b]) => (a < b ? -1 : 1)));
  let mine: Answer | undefined;
  const outcome = await answers.once({ person, key, act: act.name, input }, async () => {
    mine = await once();
    return { status: mine.status, body: mine.body, keep: isFinal(mine) };
  });
  return mine ?? again(outcome);
}

/** Faults of ours are retryable too, all of them. */
const isFinal = ({ refused: code }: Answer): boolean =>
  code === undefined || !('retryable' in refusals[code]);

/** The first answer, for the second time. */
function again({ status, body }: Outcome): Answer {
  if (status === 200) return { status, body };
  const { error } = JSON.parse(body) as { error: { type: Answer['refused']; facts: object } };
  const seconds = 'seconds' in error.facts ? Number(error.facts.seconds) : undefined;
  return {
    status,
    body,
    ...(seconds !== undefined && { retryAfter: seconds }),
    ...(error.type && { refused: error.type }),
  };
}

function refuseTimedOut(): never {
  throw new Refusal('timed_out', {});
}

/** The act is done: trouble with its audit line is ours, and does not change what was answered. */
async function writeAudit(deps: ActEndpointDeps, admitted: Admitted, made: Made): Promise<void> {
  const { handler, caller, request, envelope } = admitted;
  const person = caller.kind === 'person' ? caller : undefined;
  const { act } = handler;
  const { requestId, ip } = request;
  try {
    await deps.audit.write({
      accountId: person?.accountId ?? idOf(made.result, 'account'),
      actor: person?.userId ?? idOf(made.result, 'user') ?? 'public',
      act: act.name,
      outcome: made.answer.refused ?? 'ok',
      ip,
      requestId,
      facts: { ...(act.by === 'operator' && idsIn(made.result)), ...idsOf(envelope.own) },
    });
  } catch (error) {
    deps.report(error, { requestId, act: act.name });
  }
}

/** Who a stranger turned out to be: who has just signed in, and to which account. */
function idOf(result: unknown, kind: 'account' | 'user'): string | undefined {
  if (typeof result !== 'object' || result === null || !('user' in result)) return undefined;
  const user = Object(result.user) as Record<string, unknown>;
  return uuidOf(kind, String(user[kind === 'user' ? 'id' : 'account_id']));
}

/** What a call was about: the ids among its fields, as they came. */
const idsOf = (own: Fields): Record<string, string> =>
  Object.fromEntries(
    [...own].filter(
      (field): field is [string, string] =>
        field[0].endsWith('_id') && typeof field[1] === 'string',
    ),
  );

const publicIdPattern = /^[A-Za-z]{2,3}[_-][0-9A-HJKMNP-TV-Z]{26}$/;

/** What an operator's act turned out to be about: whose top-up it was, who was invited. */
const idsIn = (result: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(result) as Record<string, unknown>).filter(
      (field): field is [string, string] =>
        field[0].endsWith('_id') && typeof field[1] === 'string' && publicIdPattern.test(field[1]),
    ),
  );

/** What every call carries beside its act's own fields (docs/wire.md#envelope). */
type Envelope = {
  act: string;
  /** The session's token; empty when signed out. */
  token: string;
  /** The device's push token; empty until the browser has one. */
  fcm: string;
  /** The key of this mutation: a repeat with the same key is the same request. */
  key: string | undefined;
  own: Fields;
};

const TOKEN_MAX = 200;
const FCM_MAX = 4096;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const printable = /^[ -~]*$/;

/** Takes the envelope off. @throws Refusal `request_malformed` */
function envelopeOf(fields: Fields): Envelope {
  const own = new Map(fields);
  const take = (name: string): string => {
    const value = own.get(name) ?? '';
    own.delete(name);
    if (Array.isArray(value)) malformed(`${name} bukan daftar`);
    return value;
  };
  const [act, token, fcm, key] = [take('act'), take('token'), take('fcm'), take('key')];
  if (token.length > TOKEN_MAX) malformed('token terlalu panjang');
  if (fcm.length > FCM_MAX || !printable.test(fcm)) malformed('fcm tidak dikenali');
  if (key !== '' && !uuid.test(key)) malformed('key bukan UUID');
  return { act, token, fcm, key: key === '' ? undefined : key.toLowerCase(), own };
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}
