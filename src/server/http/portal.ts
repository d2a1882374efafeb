import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import { type Answer, asRefusal, errorResponse, okResponse, refused } from '#server/http/answer.ts';
import { fieldsOfBody, readForms } from '#server/http/body.ts';
import type { LiveStreams } from './live.ts';
import { type Origins, isPortal, sourceOf, type Source, checkSource } from '#server/http/origin.ts';
import { cutAfter } from './connections.ts';
import type { Act } from '#contract/base/act.ts';
import { uuidOf } from '#contract/base/ids.ts';
import type { Fields } from '#contract/base/form.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import {
  type ActHandler,
  type FrameSource,
  type Nobody,
  type Person,
  type Reauth,
  type IdempotencyStore,
  type Outcome,
  type Audit,
  type Limiter,
  openBuckets,
} from '#server/infra/acts.ts';
import { textAt } from '#server/infra/net/json-values.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { type KnownNumbers, readInput, readKnowing } from '#server/http/input.ts';
import { randomBytes } from 'node:crypto';

type Deps = {
  endpoint: ActEndpoint;
  streams: LiveStreams;
  origins: Origins;
  production: boolean;
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
};

const PREFLIGHT_SECONDS = 600;
const AGENT_MAX = 300;

/** The portal's one address: `POST /api` (docs/wire.md#envelope). */
export function openPortal(app: FastifyInstance, deps: Deps): void {
  void app.register(async (scope) => {
    readForms(scope);
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      allowPortal(deps.origins, request, reply);
      refuseAddress(request);
    });
    scope.setErrorHandler((error, request, reply) => {
      const refusal = asRefusal(error, request.id);
      if (!(error instanceof Refusal) && refusals[refusal.code].status >= 500)
        deps.report(error, { requestId: request.id, act: 'unknown' });
      // What is left of the body is not worth reading: a gigabyte would be read to its end.
      if (!request.raw.complete) cutAfter(reply);
      if ('allow' in refusal.facts) reply.header('allow', refusal.facts.allow);
      return send(reply, errorResponse(refusal));
    });
    scope.post('/api', (request, reply) => answerCall(deps, request, reply));
    scope.options('/api', (_request, reply) => reply.code(204).send());
    scope.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE'],
      url: '/api',
      handler: () => {
        throw new Refusal('method_not_allowed', { allow: 'OPTIONS, POST' });
      },
    });
  });
}

async function answerCall(
  { endpoint, streams, origins, production }: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fields = await fieldsOfBody(request);
  const answer = await endpoint({
    fields,
    source: sourceOf(request),
    ip: request.ip,
    device: deviceOf(request, reply, { origins, production }),
    agent: (request.headers['user-agent'] ?? '').slice(0, AGENT_MAX),
    requestId: request.id,
  });
  if ('status' in answer) return send(reply, answer);
  streams.open(reply, answer);
  return reply;
}

function send(reply: FastifyReply, { status, body, retryAfter }: Answer): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** CORS for the portals of PORTAL_ORIGINS and nobody else; the session's token travels in the body. */
function allowPortal(origins: Origins, request: FastifyRequest, reply: FastifyReply): void {
  if (origins.portals.length > 0) reply.header('vary', 'Origin');
  const source = sourceOf(request);
  if (source.origin === undefined || !isPortal(origins, source)) return;
  reply.headers({
    'access-control-allow-origin': source.origin,
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.method === 'OPTIONS') {
    reply.headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': PREFLIGHT_SECONDS,
    });
  }
}

/** Nothing travels in the address: addresses are kept in histories, logs and referrers. */
function refuseAddress(request: FastifyRequest): void {
  if (request.url.includes('?')) malformed('isian tidak boleh berada di alamat');
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}

/** What a call was, for the log and the figures. Never what people wrote. */
type ActMetric = { act: string; outcome: string; seconds: number };

export type ActEndpointDeps = {
  findSession: (token: string) => Promise<Person | undefined>;
  /** True when a session is known to have begun in another browser than this one. */
  isElsewhere: (person: Person, device: string) => boolean;
  /** What the browser is to the session that calls from it. */
  reauthOf: (sessionId: string, device: string) => Promise<Reauth>;
  /** True of whoever must set up, or give, a second factor before anything else. */
  needsSecondFactor: (person: Person) => boolean;
  limiter: Limiter;
  answers: IdempotencyStore;
  audit: Audit;
  knownNumbers: KnownNumbers;
  origins: Origins;
  /** Called with what is our fault. */
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
  /** Called after every call. */
  onMetric?: (call: ActMetric) => void;
};

/** One call as it came in. */
type ActRequest = {
  fields: Fields;
  source: Source;
  ip: string;
  agent: string;
  device: string;
  requestId: string;
};

/** What a streaming act answers: frames for one session, as long as it lives. */
type Stream = { frames: FrameSource; person: Person };
type Reply = Answer | Stream;

/** The endpoint of the portal's acts: fields in, status and body out. */
type ActEndpoint = (request: ActRequest) => Promise<Reply>;

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
 * @throws Refusal `not_signed_in`, `not_allowed`, `account_suspended`, `too_many_requests`, and what `requireSecondFactor` and
 *   `requireReauth` answer; for what only operators may know of, `act_unknown`, as for an act that is not there.
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
  const denial = act
    ? (hideFromNonOperators(act, caller) ??
      requireSecondFactor(deps, act, caller, elsewhere) ??
      authorize(act, caller))
    : new Refusal('act_unknown', {});
  const person = caller.kind === 'person' ? countedAs(caller, elsewhere) : undefined;
  await limiter.allow(denial || !act ? 'read' : act.limit, { ip, person });
  if (!act || caller.kind !== 'person') {
    if (denial) throw denial;
    return caller;
  }
  const asksReauth = act.requiresRecentPassword || act.outlivesSession;
  const refusal =
    denial ??
    (asksReauth ? requireReauth(act, await reauthOf(caller.sessionId, device)) : undefined);
  if (!refusal) return caller;
  await auditDenied(deps, { act, caller, request, refusal });
  throw refusal;
}

/** Audit lines of refused calls that a customer may leave: twenty, then one in three minutes. */
const NOTED_PACE = { burst: 20, perSecond: 1 / 180 };
const notedPace = openBuckets();

/**
 * Writes an audit line for a person who was refused an act: it is not theirs, or their session is used in another
 * browser than its own. Of a customer who calls an act of operators too, although the answer is `act_unknown`.
 */
async function auditDenied(
  { audit, report }: ActEndpointDeps,
  { act, caller, request, refusal: { code: outcome } }: DeniedCall,
): Promise<void> {
  const isRefusal = outcome === 'not_allowed' || outcome === 'sign_in_needed';
  if (!(outcome === 'act_unknown' || (act.audited && isRefusal))) return;
  if (caller.role !== 'operator' && notedPace(caller.userId, NOTED_PACE) > 0) return;
  const { accountId, userId: actor } = caller;
  const { ip, requestId } = request;
  const line = { accountId, actor, act: act.name, outcome, ip, requestId, facts: {} };
  await audit.write(line).catch((error: unknown) => report(error, { requestId, act: act.name }));
}

type DeniedCall = { act: Act; caller: Person; request: ActRequest; refusal: Refusal };

/** A copied token's calls are counted apart: whoever has it must not keep the owner waiting. */
const countedAs = ({ userId }: Person, elsewhere: boolean): string =>
  elsewhere ? `${userId} elsewhere` : userId;

/**
 * Asks for the password where the session's token alone is not enough: it may have been copied
 * (`docs/decisions/013-sign-in-and-sessions.md`).
 *
 * @returns `reauth_needed`; `sign_in_needed` for what a password given in another browser than the session's own
 *   does not open either.
 */
function requireReauth(act: Act, { inOwnBrowser, recent }: Reauth): Refusal | undefined {
  // Ask for the password only if it lets the caller perform the act.
  if (act.requiresRecentPassword && !inOwnBrowser) return new Refusal('sign_in_needed', {});
  const asksPassword = act.requiresRecentPassword || !inOwnBrowser;
  return asksPassword && !recent ? new Refusal('reauth_needed', {}) : undefined;
}

/** What only operators may know of is, to everybody else, not there. */
const hideFromNonOperators = ({ by }: Act, caller: Person | Nobody): Refusal | undefined =>
  by === 'operator' && (caller.kind !== 'person' || caller.role !== 'operator')
    ? new Refusal('act_unknown', {})
    : undefined;

/**
 * `second_factor_needed` for who has to set one up first. A session that gave one is good in its own browser
 * only, also for reading: elsewhere it was copied, and the answer is `sign_in_needed`.
 */
function requireSecondFactor(
  { needsSecondFactor }: ActEndpointDeps,
  { withoutSecondFactor }: Act,
  caller: Person | Nobody,
  elsewhere: boolean,
): Refusal | undefined {
  if (withoutSecondFactor || caller.kind !== 'person') return undefined;
  if (needsSecondFactor(caller)) return new Refusal('second_factor_needed', {});
  return caller.secondFactor && elsewhere ? new Refusal('sign_in_needed', {}) : undefined;
}

function authorize(act: Act, caller: Person | Nobody): Refusal | undefined {
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
    return { answer: okResponse(act, result), result };
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
  answers: IdempotencyStore,
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

const YEAR_SECONDS = 31_536_000;
const shape = /^[A-Za-z0-9_-]{43}$/;

type DeviceDeps = { origins: Origins; production: boolean };

/**
 * Which browser is calling: 256 random bits in a cookie that no script can read and that stays when
 * people sign out. A browser without one gets one with this answer.
 *
 * It says nothing about who is there. A sign-in asks for a code where it is new, reauthentication with the password
 * holds only beside it, and a session's token without it only reads (`docs/decisions/013-sign-in-and-sessions.md`).
 *
 * @returns '' for portals served elsewhere: their calls carry no cookies.
 */
function deviceOf(request: FastifyRequest, reply: FastifyReply, deps: DeviceDeps): string {
  const known = knownDevice(request, deps);
  if (known !== undefined) return known;
  const { production } = deps;
  const name = nameOf(production);
  const newDevice = randomBytes(32).toString('base64url');
  const rest = `Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Strict${production ? '; Secure' : ''}`;
  reply.header('set-cookie', `${name}=${newDevice}; ${rest}`);
  return newDevice;
}

const nameOf = (production: boolean) => (production ? '__Host-kabari-device' : 'kabari-device');

/** The browser as `deviceOf` names it; undefined where it has no cookie of ours, and gets none here. */
export function knownDevice(
  request: FastifyRequest,
  { origins, production }: DeviceDeps,
): string | undefined {
  const source = sourceOf(request);
  if (isPortal(origins, source) && source.origin !== origins.own) return '';
  return cookie(request.headers.cookie, nameOf(production));
}

/** The value of our cookie; undefined when there is none, or it is not one that we made. */
function cookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    if (shape.test(value)) return value;
  }
  return undefined;
}
