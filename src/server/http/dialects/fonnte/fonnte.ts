import { randomInt } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ShownPhone, normalizePeer, shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import {
  type DialectCall,
  type DialectDeps,
  type DialectRoute,
  openDialect,
  readBoth,
  readerOf,
  sendEach,
} from '#server/http/dialects/dialect.ts';
import { idempotencyKey } from '#server/http/v1/call.ts';
import { acceptable } from '#server/http/v1/send.ts';
import { type Given, textOf, wrong } from '#server/http/dialects/given.ts';
import { qrPng } from '#server/infra/qr/qr-png.ts';
import { deviceAnswer, devicesAnswer, noAnswer, sendAnswer, statusWord } from './answer.ts';
import { statusOf } from './errors.ts';
import { type ReadContext, readSchedule, readSend } from './read.ts';
import { targetsOf } from './targets.ts';

const BODY_LIMITS = { words: 1_048_576, files: 5_242_880 };
/** Of a file in the body. */
const FILE_BYTES_MAX = 4_000_000;
/** Keys of one call, of which one is taken at random. */
const KEYS_MAX = 20;
/** Numbers of one question whether they can be reached. */
const NUMBERS_MAX = 1000;
const missing = [
  '/add-device',
  '/update-device',
  '/delete-device',
  '/fetch-devices',
  '/delete-message',
  '/fetch-group',
  '/get-whatsapp-group',
  '/add-template',
  '/edit-template',
  '/get-templates',
  '/delete-template',
];

/** The Fonnte dialect (docs/dialects.md#fonnte), at the root of the base address. */
export function openFonnte(scope: FastifyInstance, deps: DialectDeps): void {
  openDialect(scope, deps, {
    name: 'fonnte',
    keyOf,
    no: (refusal, call) => ({ status: statusOf(refusal), body: noAnswer(refusal, call) }),
    bodyLimits: BODY_LIMITS,
    routes: routesOf(deps),
    missing: {
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      paths: missing.flatMap((path) => [path, `${path}/`]),
    },
  });
}

const routesOf = (deps: DialectDeps): DialectRoute[] => [
  {
    method: ['GET', 'POST'],
    paths: ['/send', '/send/'],
    scope: 'messages.send',
    answer: (call) => send(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/device', '/device/'],
    scope: 'account.read',
    answer: async ({ sender }) => deviceAnswer(await deps.device(sender)),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/get-devices', '/get-devices/'],
    scope: 'account.read',
    answer: async ({ sender }) => devicesAnswer(await deps.device(sender)),
  },
  {
    method: ['POST'],
    paths: ['/disconnect', '/disconnect/'],
    scope: 'link',
    answer: (call) => disconnect(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/status', '/status/'],
    scope: 'messages.read',
    answer: (call) => status(deps, call),
  },
  {
    method: ['POST'],
    paths: ['/reset-message', '/reset-message/'],
    scope: 'messages.send',
    answer: (call) => reset(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/qr', '/qr/'],
    scope: 'link',
    answer: (call) => qr(deps, call),
  },
  {
    method: ['GET', 'POST'],
    paths: ['/validate', '/validate/'],
    scope: 'messages.send',
    answer: async (call) => validate(call),
  },
];

/**
 * The key: the header as it is, without a word before it, or `token` in the address. Of several, separated by commas,
 * one is taken at random.
 */
function keyOf({ headers, query, method }: FastifyRequest): string | undefined {
  const token = (query as { token?: unknown }).token;
  const given = headers.authorization ?? (method === 'GET' ? token : undefined);
  if (typeof given !== 'string') return undefined;
  const keys = given
    .replace(/^bearer +/i, '')
    .split(',', KEYS_MAX)
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return keys.length === 0 ? undefined : keys[randomInt(keys.length)];
}

async function send(deps: DialectDeps, call: DialectCall): Promise<object> {
  const { sender, request } = call;
  const context: ReadContext = {
    now: deps.now(),
    random: Math.random,
    storeFile: (file) => {
      if (file.bytes.length > FILE_BYTES_MAX) {
        throw new Refusal('upload_too_large', { bytesMax: FILE_BYTES_MAX });
      }
      return deps.storeFile(sender, file, { key: idempotencyKey(request) });
    },
  };
  const both = await readBoth(call, (given) => readSend(given, context));
  const { pieces, connectedOnly, plan } = both.read;
  if (connectedOnly && sender.status === 'disconnected') throw new Refusal('token_not_linked', {});
  const read = pieces.map(({ message }) => message);
  const byRule = both.byRule.pieces.map(({ message }) => message);
  const identity = plan ? { plan, messages: byRule.map(withoutTime) } : acceptable(byRule);
  const { results, at } = await sendEach(deps, call, { read, shape: 'fonnte', identity });
  const outcomes = pieces.map((piece, index) => ({
    piece,
    result: results[index] ?? new Refusal('our_fault', { request: request.id }),
  }));
  const [first] = results;
  if (first instanceof Refusal && results.every((result) => result instanceof Refusal)) throw first;
  return sendAnswer(outcomes, { requestId: request.id, at });
}

/** Its time is computed from when the call came: a repeat of the call has another. */
function withoutTime(message: NewMessage | Refusal): object | null {
  if (message instanceof Refusal) return null;
  const { send_at: _, ...rest } = message;
  return rest;
}

async function status(deps: DialectDeps, { sender, given, request }: DialectCall): Promise<object> {
  const id = idIn(given);
  const message = await deps.messages.one(sender, id, readerOf(deps, request));
  return { id, message_status: statusWord(message), status: true };
}

/** The message that a call is about. @throws Refusal `input_invalid` */
function idIn(given: Given): string {
  const id = textOf(given, 'id');
  if (id === undefined) throw wrong('id', 'Wajib diisi: id pesan.');
  return id;
}

/** Another time for a planned message. */
async function reset(deps: DialectDeps, { sender, given, request }: DialectCall): Promise<object> {
  const id = idIn(given);
  const at = readSchedule(given, deps.now());
  const message = await deps.messages.reschedule(sender, id, at, readerOf(deps, request));
  return { detail: 'success! message rescheduled', id: message.id, status: true };
}

/** A picture of the address where the phone is linked. A code to type is not to be had here: its owner agrees first. */
async function qr(deps: DialectDeps, { sender, given }: DialectCall): Promise<object> {
  if ((await deps.device(sender)).connected) throw new Refusal('token_linked', {});
  if (textOf(given, 'type') === 'code') throw wrong('type', 'Harus qr: kode tidak tersedia.');
  const png = qrPng(await deps.link(sender), { quiet: 2, scale: 6 });
  // In base64, without a prefix.
  return { status: true, url: png.toString('base64') };
}

/** Parts the phone from the token; its owner has to agree and scan before anything is sent again. */
async function disconnect(deps: DialectDeps, { sender }: DialectCall): Promise<object> {
  const { phone } = await deps.device(sender);
  if (phone === null) throw new Refusal('token_not_linked', {});
  await deps.unlink(sender);
  return { detail: 'device disconnected', status: true };
}

/** Which numbers are written as numbers are. Whether a phone is there is known only once something was sent to it. */
function validate({ given }: DialectCall): object {
  const numbers = targetsOf(given, NUMBERS_MAX).map(({ to }) => shownPeer(normalizePeer(to)));
  return {
    not_registered: numbers.filter((number) => !isPhone(number)),
    registered: numbers.filter(isPhone),
    status: true,
  };
}

const isPhone = (number: string): boolean => ShownPhone().safeParse(number).success;
