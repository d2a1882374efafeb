import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import {
  type Answer,
  asRefusal,
  errorResponse,
  okResponse,
  refusalResponse,
} from '#server/http/answer.ts';
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
  isRecent,
  type IdempotencyStore,
  type Outcome,
  type Audit,
  type Limiter,
  openBuckets,
} from '#server/infra/acts.ts';
import { textAt } from '#server/infra/net/json-values.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { type KnownNumbers, readInput, readWithKnownNumbers } from '#server/http/input.ts';
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

/** The portal's single endpoint: `POST /api` (docs/wire.md#envelope). */
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
      // The rest of the body is not read: it may be a gigabyte.
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

/** Nothing may be in the address: addresses end up in histories, logs and referrers. */
function refuseAddress(request: FastifyRequest): void {
  if (request.url.includes('?')) malformed('isian tidak boleh berada di alamat');
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}

/** For logs and metrics; never contains user input. */
type ActMetric = { act: string; outcome: string; seconds: number };

export type ActEndpointDeps = {
  findSession: (token: string) => Promise<Person | undefined>;
  /** True when the session is known to have begun in another browser. */
  isElsewhere: (person: Person, device: string) => boolean;
  reauthOf: (sessionId: string, device: string) => Promise<Reauth>;
  /** True if the account has a token, or had one that was deleted. */
  hasHadToken: (accountId: string) => Promise<boolean>;
  /** True while a person must set up, or give, a second factor first. */
  needsSecondFactor: (person: Person) => boolean;
  limiter: Limiter;
  answers: IdempotencyStore;
  audit: Audit;
  knownNumbers: KnownNumbers;
  origins: Origins;
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
  onMetric?: (call: ActMetric) => void;
};

type ActRequest = {
  fields: Fields;
  source: Source;
  ip: string;
  agent: string;
  device: string;
  requestId: string;
};

/** A streaming act's result: frames for one session, as long as it is valid. */
type Stream = { frames: FrameSource; person: Person };
type Reply = Answer | Stream;

type ActEndpoint = (request: ActRequest) => Promise<Reply>;

/** A slower act is answered `timed_out`; its work is still completed and stored. */
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
      record('status' in reply ? (reply.refusalCode ?? 'ok') : 'stream');
      return reply;
    } catch (error) {
      const answer = refusalResponse(error, {
        requestId: request.requestId,
        promised: act?.refuses ?? [],
        report: (bug) =>
          deps.report(bug, { requestId: request.requestId, act: act?.name ?? 'unknown' }),
      });
      record(answer.refusalCode ?? 'ok');
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
  return (await readWithKnownNumbers(knownNumbers, caller.accountId, read)).read;
}

/**
 * Authenticates and authorises the caller. A refused call still counts against the rate of its address.
 *
 * @throws Refusal `not_signed_in`, `not_allowed`, `account_suspended`, `too_many_requests`, and those of
 * `requireSecondFactor` and `requireReauth`; `act_unknown` for an act that only operators may know of.
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
  const person = caller.kind === 'person' ? rateLimitKey(caller, elsewhere) : undefined;
  await limiter.allow(denial || !act ? 'read' : act.limit, { ip, person });
  if (!act || caller.kind !== 'person') {
    if (denial) throw denial;
    return caller;
  }
  const requiresReauth = act.requiresRecentPassword ?? act.outlivesSession;
  const refusal =
    denial ??
    (requiresReauth
      ? await requireReauth(deps, act, caller, await reauthOf(caller.sessionId, device))
      : undefined);
  if (!refusal) return caller;
  await auditDenied(deps, { act, caller, request, refusal });
  throw refusal;
}

/** Audit entries for a customer's refused calls: twenty, then one in three minutes. */
const DENIED_AUDIT_RATE = { burst: 20, perSecond: 1 / 180 };
const deniedAuditLimiter = openBuckets();

/**
 * Writes an audit entry for a person who was refused an act: they lack the right, or use their session in another
 * browser. Includes a customer who calls an operator act, although the answer is `act_unknown`.
 */
async function auditDenied(
  { audit, report }: ActEndpointDeps,
  { act, caller, request, refusal: { code: outcome } }: DeniedCall,
): Promise<void> {
  const isRefusal = outcome === 'not_allowed' || outcome === 'sign_in_needed';
  if (!(outcome === 'act_unknown' || (act.audited && isRefusal))) return;
  if (caller.role !== 'operator' && deniedAuditLimiter(caller.userId, DENIED_AUDIT_RATE) > 0)
    return;
  const { accountId, userId: actor } = caller;
  const { ip, requestId } = request;
  const line = { accountId, actor, act: act.name, outcome, ip, requestId, facts: {} };
  await audit.write(line).catch((error: unknown) => report(error, { requestId, act: act.name }));
}

type DeniedCall = { act: Act; caller: Person; request: ActRequest; refusal: Refusal };

/** A copied token's calls are counted separately, so they cannot use up the owner's rate. */
const rateLimitKey = ({ userId }: Person, elsewhere: boolean): string =>
  elsewhere ? `${userId} elsewhere` : userId;

/**
 * Requires the password where the session's token alone is not enough, as it may have been copied
 * (`docs/decisions/013-sign-in-and-sessions.md`).
 *
 * @returns `reauth_needed`; `sign_in_needed` where even a password given in another browser than the session's own
 * does not suffice.
 */
async function requireReauth(
  { hasHadToken }: ActEndpointDeps,
  { requiresRecentPassword: kind, exceptFirstToken }: Act,
  { accountId }: Person,
  reauth: Reauth,
): Promise<Refusal | undefined> {
  const { inOwnBrowser } = reauth;
  // Ask for the password only if it lets the caller perform the act.
  if (kind && !inOwnBrowser) return new Refusal('sign_in_needed', {});
  const requiresPassword = kind !== undefined || !inOwnBrowser;
  if (!requiresPassword || isRecent(reauth, kind ?? 'to_take')) return undefined;
  if (exceptFirstToken && !(await hasHadToken(accountId))) return undefined;
  return new Refusal('reauth_needed', {});
}

const hideFromNonOperators = ({ by }: Act, caller: Person | Nobody): Refusal | undefined =>
  by === 'operator' && (caller.kind !== 'person' || caller.role !== 'operator')
    ? new Refusal('act_unknown', {})
    : undefined;

/**
 * Returns `second_factor_needed` until the person has set one up. A session that gave one is valid only in its own
 * browser, also for reading: elsewhere it was copied, and the answer is `sign_in_needed`.
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
    if (caller.kind !== 'person') throw new Error(`${act.name} streams without a session`);
    return { frames: handler.handle(call, input as never) as FrameSource, person: caller };
  }
  const once = async (): Promise<Answer> => {
    const made = await perform(deps, admitted, () =>
      inAccountContext(admitted, () => handler.handle(call, input as never)),
    );
    if (act.audited) await writeAudit(deps, admitted, made);
    return made.answer;
  };
  return withTimeout(
    act.changes && envelope.key !== undefined
      ? runIdempotent(deps.answers, admitted, envelope.key, once)
      : once(),
    ACT_MS_MAX,
    refuseTimedOut,
  );
}

/**
 * Runs `work` in the context of the account concerned: the caller's own, or the one that an operator act names, if
 * any. A public act gets none: it may concern another account than the session's.
 */
function inAccountContext<T>(
  { handler: { act }, caller, input }: Pick<Admitted, 'handler' | 'caller' | 'input'>,
  work: () => T,
): T {
  if (caller.kind !== 'person' || act.by === 'public') return work();
  const accountId = act.by === 'operator' ? textAt(input, 'account_id') : caller.accountId;
  return accountId === undefined ? work() : inAccount(accountId, work);
}

type ActResult = { answer: Answer; result: unknown };

async function perform(
  { report }: ActEndpointDeps,
  { handler: { act }, request: { requestId } }: Admitted,
  handle: () => unknown,
): Promise<ActResult> {
  try {
    const result = await handle();
    return { answer: okResponse(act, result), result };
  } catch (error) {
    const answer = refusalResponse(error, {
      requestId,
      promised: act.refuses,
      report: (bug) => report(bug, { requestId, act: act.name }),
    });
    return { answer, result: undefined };
  }
}

/** Internal errors and overload are not stored and may be retried. */
async function runIdempotent(
  answers: IdempotencyStore,
  { handler: { act }, caller, envelope }: Admitted,
  key: string,
  once: () => Promise<Answer>,
): Promise<Answer> {
  // A public act answers alike with and without a session. Its key is the secret: 122 random bits.
  const person = act.by === 'public' || caller.kind === 'nobody' ? 'public' : caller.userId;
  const input = JSON.stringify([...envelope.own].sort(([a], [b]) => (a < b ? -1 : 1)));
  let mine: Answer | undefined;
  const outcome = await answers.once({ person, key, act: act.name, input }, async () => {
    mine = await once();
    return { status: mine.status, body: mine.body, keep: isFinal(mine) };
  });
  return mine ?? replayedAnswer(outcome);
}

/** All internal errors are retryable too. */
const isFinal = ({ refusalCode: code }: Answer): boolean =>
  code === undefined || !('retryable' in refusals[code]);

function replayedAnswer({ status, body }: Outcome): Answer {
  if (status === 200) return { status, body };
  const { error } = JSON.parse(body) as { error: { type: Answer['refusalCode']; facts: object } };
  const seconds = 'seconds' in error.facts ? Number(error.facts.seconds) : undefined;
  return {
    status,
    body,
    ...(seconds !== undefined && { retryAfter: seconds }),
    ...(error.type && { refusalCode: error.type }),
  };
}

function refuseTimedOut(): never {
  throw new Refusal('timed_out', {});
}

/** The act is complete, so a failed audit entry is only reported and does not change the answer. */
async function writeAudit(
  deps: ActEndpointDeps,
  admitted: Admitted,
  made: ActResult,
): Promise<void> {
  const { handler, caller, request, envelope } = admitted;
  const person = caller.kind === 'person' ? caller : undefined;
  const { act } = handler;
  const { requestId, ip } = request;
  try {
    await deps.audit.write({
      accountId: person?.accountId ?? signedInId(made.result, 'account'),
      actor: person?.userId ?? signedInId(made.result, 'user') ?? 'public',
      act: act.name,
      outcome: made.answer.refusalCode ?? 'ok',
      ip,
      requestId,
      facts: {
        ...(act.by === 'operator' && idsInResult(made.result)),
        ...idsInFields(envelope.own),
      },
    });
  } catch (error) {
    deps.report(error, { requestId, act: act.name });
  }
}

function signedInId(result: unknown, kind: 'account' | 'user'): string | undefined {
  if (typeof result !== 'object' || result === null || !('user' in result)) return undefined;
  const user = Object(result.user) as Record<string, unknown>;
  return uuidOf(kind, String(user[kind === 'user' ? 'id' : 'account_id']));
}

/** The ids among a call's fields, unvalidated. */
const idsInFields = (own: Fields): Record<string, string> =>
  Object.fromEntries(
    [...own].filter(
      (field): field is [string, string] =>
        field[0].endsWith('_id') && typeof field[1] === 'string',
    ),
  );

const publicIdPattern = /^[A-Za-z]{2,3}[_-][0-9A-HJKMNP-TV-Z]{26}$/;

const idsInResult = (result: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(result) as Record<string, unknown>).filter(
      (field): field is [string, string] =>
        field[0].endsWith('_id') && typeof field[1] === 'string' && publicIdPattern.test(field[1]),
    ),
  );

/** The common fields of every call (docs/wire.md#envelope). */
type Envelope = {
  act: string;
  token: string;
  /** The device's push token; empty until the browser has one. */
  fcm: string;
  key: string | undefined;
  own: Fields;
};

const TOKEN_MAX = 200;
const FCM_MAX = 4096;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const printable = /^[ -~]*$/;

/** Separates the envelope from the act's fields. @throws Refusal `request_malformed` */
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
 * The calling browser's id: 256 random bits in a cookie that scripts cannot read and that survives sign-out. A
 * browser without one gets one with this response.
 *
 * It identifies no person. A sign-in from a new one asks for a code, reauthentication is valid only with it, and
 * without it a session's token only reads (`docs/decisions/013-sign-in-and-sessions.md`).
 *
 * @returns '' for portals on other sites: their calls carry no cookies.
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

/** The browser's id as in `deviceOf`, without setting one; undefined without a valid cookie. */
export function knownDevice(
  request: FastifyRequest,
  { origins, production }: DeviceDeps,
): string | undefined {
  const source = sourceOf(request);
  if (isPortal(origins, source) && source.origin !== origins.own) return '';
  return cookie(request.headers.cookie, nameOf(production));
}

function cookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    if (shape.test(value)) return value;
  }
  return undefined;
}
