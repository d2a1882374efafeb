import { type DestinationStream, type Logger, pino } from 'pino';
import { ConnectionLost, codeOf, isServerError } from '#server/infra/postgres/driver/errors.ts';

export type Log = Logger;

/** Formats of the fields in a log line; fields without an entry are dropped. */
type Shown = Readonly<Record<string, 'plain' | 'phone' | 'error' | 'text'>>;

/**
 * The fields a log line may have. Others are dropped, so that a token, a message or a body logged by mistake never
 * appears; add a field only if it can never hold a secret.
 */
const shown: Shown = {
  request: 'plain',
  reqId: 'plain',
  method: 'plain',
  route: 'text',
  act: 'text',
  status: 'plain',
  given: 'plain',
  meant: 'plain',
  ms: 'plain',
  ip: 'plain',
  account: 'plain',
  user: 'plain',
  token: 'plain',
  message: 'plain',
  lane: 'plain',
  worker: 'plain',
  job: 'text',
  event: 'text',
  channel: 'text',
  attempt: 'plain',
  count: 'plain',
  left: 'plain',
  scope: 'text',
  sent: 'plain',
  entered: 'plain',
  size: 'plain',
  port: 'plain',
  health: 'plain',
  address: 'text',
  role: 'text',
  version: 'text',
  signal: 'text',
  reason: 'text',
  refusal: 'text',
  check: 'text',
  migrations: 'plain',
  disk: 'text',
  free: 'plain',
  phone: 'phone',
  peer: 'phone',
  err: 'error',
};

/** `6281234567890` → `62812****90`. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 8 ? '****' : `${digits.slice(0, 5)}****${digits.slice(-2)}`;
}

/** API keys and session tokens, but not ids, which resemble them. */
const secretLooking = /\b(kbr_(live|test)_\w{8,}|[A-Za-z0-9_-]{40,})\b/g;
/** Keys of a file store: key ids, and secrets of 40 Base64 characters, which paths rarely are. */
const storeKeyLooking =
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|(?<![\w/+])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}\d)[A-Za-z0-9+][A-Za-z0-9/+]{39}(?![\w/+])/g;
const phoneLooking = /(?<![\w.-])\+?\d{9,16}(?![\w.-])/g;

/** A Meta user id, which replaces a number that WhatsApp does not show: `ID.1A2B3C4D5E`. */
const userIdLooking = /\b[A-Z]{2}\.(?=[A-Za-z]*\d)[A-Za-z0-9]{8,128}\b/g;

const READ_MAX = 4_000;

/** Text without anything that looks like a secret, a whole phone number or a user id. */
export const cleaned = (words: string): string =>
  words
    .slice(0, READ_MAX)
    .replace(secretLooking, '[hidden]')
    .replace(storeKeyLooking, '[hidden]')
    .replace(userIdLooking, '[hidden]')
    .replace(phoneLooking, (number) => maskPhone(number))
    .slice(0, 500);

type Plain = string | number | boolean | null | readonly Plain[];

function plain(value: unknown): Plain | undefined {
  if (typeof value === 'string') return cleaned(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 50).map((one: unknown) => plain(one) ?? null);
  return undefined;
}

/**
 * The loggable part of an error: kind, code, stack. Omits the details of database errors, which quote rows, and the
 * fields of any error, which may be a request.
 */
export function errorForLog(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const constraint =
    'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    words: isDatabaseError(error) ? undefined : cleaned(error.message),
    stack: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause instanceof Error && { cause: errorForLog(error.cause) }),
  };
}

/** PostgreSQL quotes values in its messages: `invalid input syntax for type uuid: "…"`. */
const isDatabaseError = (error: Error): boolean =>
  isServerError(error) || (error instanceof ConnectionLost && isServerError(error.cause));

function allowed(fields: Record<string, unknown>): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const how = Object.hasOwn(shown, name) ? shown[name] : undefined;
    if (how === 'error') line[name] = errorForLog(value);
    else if (how === 'phone' && typeof value === 'string') line[name] = maskPhone(value);
    else if (how === 'text' || how === 'plain') line[name] = plain(value);
  }
  return line;
}

/**
 * Standard output until its reader is gone: a closed terminal (EIO) or pipe (EPIPE) silences only the log. pino would
 * retry such a write forever, and the process could not exit.
 */
function openStandardOutput(): DestinationStream {
  const out = pino.destination({ dest: 1, sync: true });
  out.on('error', () => {
    out.write = () => true;
    out.flushSync = () => undefined;
  });
  return out;
}

/**
 * The log: one JSON line per event, with only the fields listed above.
 *
 * @param to destination of the lines; standard output by default.
 */
export function openLog(
  { level, name = 'kabari' }: { level: string; name?: string },
  to: DestinationStream = openStandardOutput(),
): Log {
  const options = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: allowed },
    hooks: { logMethod: cleanWords },
  };
  const log = pino(options, to);
  // pino formats a child's fields separately from a line's; children inherit this function.
  const { child } = log;
  log.child = function (this: Log, fields: object, childOptions?: object) {
    return child.call(this, allowed({ ...fields }), childOptions);
  } as typeof log.child;
  return log;
}

function cleanWords(this: Logger, given: Parameters<pino.LogFn>, write: pino.LogFn): void {
  const words = (given as unknown[]).map((one) => (typeof one === 'string' ? cleaned(one) : one));
  write.apply(this, words as Parameters<pino.LogFn>);
}

const SECOND_MS = 1_000;

/** Logs the first of many similar warnings, then at most one line a second with their count. */
export type CountedWarnings = (fields: Record<string, unknown>, sentence: string) => void;

const countedOf = new WeakMap<Log, CountedWarnings>();

/**
 * The counted warnings of a log. Warnings with the same sentence, `status`, `route`, `act` and code of `err` are one
 * kind; each kind writes at most one line a second, with `count` and the fields of the last one.
 */
export function countedWarnings(to: Log): CountedWarnings {
  const known = countedOf.get(to);
  if (known) return known;
  type Kind = { fields: Record<string, unknown>; count: number };
  const kinds = new Map<string, Kind>();
  const flush = (key: string, sentence: string) => {
    const kind = kinds.get(key);
    kinds.delete(key);
    if (!kind || kind.count === 0) return;
    to.warn({ ...kind.fields, count: kind.count }, sentence);
    open(key, kind.fields, sentence);
  };
  const open = (key: string, fields: Record<string, unknown>, sentence: string) => {
    kinds.set(key, { fields, count: 0 });
    setTimeout(() => flush(key, sentence), SECOND_MS).unref();
  };
  const warn: CountedWarnings = (fields, sentence) => {
    const { status, route, act, err } = fields;
    const key = [sentence, status, route, act, codeOf(err)].join('|');
    const kind = kinds.get(key);
    if (kind) Object.assign(kind, { fields, count: kind.count + 1 });
    else {
      to.warn(fields, sentence);
      open(key, fields, sentence);
    }
  };
  countedOf.set(to, warn);
  return warn;
}
