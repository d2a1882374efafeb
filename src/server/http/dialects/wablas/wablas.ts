import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type DialectCall,
  type DialectDeps,
  type DialectRoute,
  openDialect,
  readBoth,
  readerOf,
  sendEach,
} from '#server/http/dialects/dialect.ts';
import { type Given, type GivenFile, listOf, wrong } from '#server/http/dialects/given.ts';
import { idempotencyKey } from '#server/http/v1/call.ts';
import { acceptable } from '#server/http/v1/send.ts';
import {
  type Outcome,
  cancelledRow,
  deviceAnswer,
  keptRow,
  noAnswer,
  planAnswer,
  plansAnswer,
  sendAnswer,
} from './answer.ts';
import { statusOf } from './errors.ts';
import { messageId } from './ids.ts';
import { type Piece, readMany, readOne, readPlan, readPlans } from './read.ts';
import { reportOf, reportToday } from './report.ts';

/** A picture of 2 MB travels as base64 in a form, where half of its signs are escaped. */
const BODY_LIMITS = { words: 4_194_304, files: 5_242_880 };
/** Messages that one call cancels. */
const CANCEL_MAX = 100;

const media = ['image', 'document', 'video', 'audio'] as const;

/** The Wablas dialect (docs/dialects.md#wablas), under `/api/` of the base address. */
export function openWablas(scope: FastifyInstance, deps: DialectDeps): void {
  openDialect(scope, deps, {
    name: 'wablas',
    keyOf,
    no: (refusal) => ({ status: statusOf(refusal), body: noAnswer(refusal) }),
    bodyLimits: BODY_LIMITS,
    routes: [...sendRoutes(deps), ...otherRoutes(deps)],
    missing: { method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], paths: ['/api/*'] },
  });
}

/**
 * The key: the header as it is, or `token` in the address; `token.secret_key` is a key with something behind it that
 * we know nothing of.
 */
function keyOf({ headers, query }: FastifyRequest): string | undefined {
  const given = headers.authorization ?? (query as { token?: unknown }).token;
  if (typeof given !== 'string') return undefined;
  const [key = ''] = given
    .replace(/^bearer +/i, '')
    .trim()
    .split('.', 1);
  return key === '' ? undefined : key;
}

function sendRoutes(deps: DialectDeps): DialectRoute[] {
  const post = (path: string, answer: DialectRoute['answer']): DialectRoute => ({
    method: ['POST'],
    paths: [path],
    scope: 'messages.send',
    answer,
  });
  const sent = async (call: DialectCall, read: Read) =>
    sendAnswer(await send(deps, call, read), await deps.device(call.sender));
  return [
    {
      method: ['GET', 'POST'],
      paths: ['/api/send-message'],
      scope: 'messages.send',
      answer: (call) => sent(call, (given) => readOne(given, 'message')),
    },
    post('/api/v2/send-message', (call) => sent(call, (given) => readMany(given, 'message'))),
    ...media.flatMap((kind) => [
      post(`/api/send-${kind}`, (call) => sent(call, (given) => readOne(given, kind))),
      post(`/api/v2/send-${kind}`, (call) => sent(call, (given) => readMany(given, kind))),
      post(`/api/send-${kind}-from-local`, (call) => {
        const key = idempotencyKey(call.request);
        const store = (file: GivenFile) => deps.storeFile(call.sender, file, { key, kind });
        return sent(call, (given) => readOne(given, kind, store));
      }),
    ]),
    post('/api/schedule', async (call) => {
      const outcomes = await send(deps, call, readPlan);
      return planAnswer(outcomes, listOf(call.given, 'phone', outcomes.length));
    }),
    post('/api/v2/schedule', async (call) => plansAnswer(await send(deps, call, readPlans))),
  ];
}

const otherRoutes = (deps: DialectDeps): DialectRoute[] => [
  {
    method: ['GET', 'POST'],
    paths: ['/api/cancel-message'],
    scope: 'messages.send',
    answer: (call) => cancelMany(deps, call),
  },
  {
    method: ['PUT'],
    paths: ['/api/schedule-cancel/:id'],
    scope: 'messages.send',
    answer: (call) => cancelPlan(deps, call, 'schedule canceled successfully'),
  },
  {
    method: ['DELETE'],
    paths: ['/api/schedule/:id'],
    scope: 'messages.send',
    answer: (call) => cancelPlan(deps, call, 'schedule deleted successfully'),
  },
  {
    method: ['GET'],
    paths: ['/api/report/message'],
    scope: 'messages.read',
    answer: (call) => reportOf(deps, call),
  },
  {
    method: ['GET'],
    paths: ['/api/report-realtime'],
    scope: 'messages.read',
    answer: (call) => reportToday(deps, call),
  },
  {
    method: ['GET'],
    paths: ['/api/device/info'],
    scope: 'account.read',
    answer: async ({ sender }) => deviceAnswer(await deps.device(sender)),
  },
];

type Read = (given: Given) => Piece[] | Promise<Piece[]>;

/** Sends what is read of a call; when nothing of it is taken, the whole is refused for the first reason. */
async function send(deps: DialectDeps, call: DialectCall, readPieces: Read): Promise<Outcome[]> {
  const { read: pieces, byRule } = await readBoth(call, readPieces);
  if (call.sender.status === 'disconnected') throw new Refusal('token_not_linked', {});
  const read = pieces.map(({ message }) => message);
  const identity = acceptable(byRule.map(({ message }) => message));
  const { results } = await sendEach(deps, call, { read, shape: 'wablas', identity });
  const [first] = results;
  if (first instanceof Refusal && results.every((one) => one instanceof Refusal)) throw first;
  return pieces.map((piece, index) => ({
    piece,
    result: results[index] ?? new Refusal('our_fault', { request: call.request.id }),
  }));
}

async function cancelMany(deps: DialectDeps, call: DialectCall): Promise<object> {
  const ids = listOf(call.given, 'id', CANCEL_MAX);
  if (ids.length === 0) throw wrong('id', 'Wajib diisi: id pesan.');
  const messages: object[] = [];
  for (const id of ids) messages.push(await cancelOne(deps, call, id));
  return {
    status: true,
    message: 'Message is canceled and waiting to be processed',
    data: { messages },
  };
}

async function cancelOne(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  id: string,
): Promise<object> {
  try {
    return cancelledRow(await deps.messages.cancel(sender, messageId(id), readerOf(deps, request)));
  } catch (error) {
    if (error instanceof Refusal) return keptRow(error);
    throw error;
  }
}

async function cancelPlan(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  message: string,
): Promise<object> {
  const { id = '' } = request.params as { id?: string };
  await deps.messages.cancel(sender, messageId(id), readerOf(deps, request));
  return { status: true, message };
}
