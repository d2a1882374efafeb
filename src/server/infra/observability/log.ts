import { type DestinationStream, type Logger, pino } from 'pino';
import { ConnectionLost, codeOf, isServerError } from '#server/infra/postgres/driver/errors.ts';

export type Log = Logger;

/** Lets a line carry this field; the rest of what is handed to the log stays out of it. */
type Shown = Readonly<Record<string, 'plain' | 'phone' | 'error' | 'text'>>;

/**
 * The fields a log line may carry, and how. A field that is not here is left out, so that a token, a
 * message or a body logged by mistake never arrives; add a field when it can never hold a secret.
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

/** A phone number as a log may show it: `6281234567890` → `62812****90`. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 8 ? '****' : `${digits.slice(0, 5)}****${digits.slice(-2)}`;
}

/** Ids are shown; the API keys and session tokens they could be mistaken for are not. */
const secretLooking = /\b(kbr_(live|test)_\w{8,}|[A-Za-z0-9_-]{40,})\b/g;
/** Keys of a store of files: the id of one, and 40 characters of Base64, which a path hardly is. */
const storeKeyLooking =
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|(?<![\w/+])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}\d)[A-Za-z0-9+][A-Za-z0-9/+]{39}(?![\w/+])/g;
/** Nine digits and more are a phone number, or look too much like one. */
const phoneLooking = /(?<![\w.-])\+?\d{9,16}(?![\w.-])/g;

/** A user id of Meta's, which stands for a number that WhatsApp does not show: `ID.1A2B3C4D5E`. */
const userIdLooking = /\b[A-Z]{2}\.(?=[A-Za-z]*\d)[A-Za-z0-9]{8,128}\b/g;

/** So much of a text is read; less of it is shown. */
const READ_MAX = 4_000;

/** Words of ours or of a library's, without what looks like a secret, a whole phone number or a user id. */
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
 * What an error tells the log: kind, code, where; of the database's own errors never the detail, which
 * quotes rows, and of any error never its fields, which may be a request.
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

/** PostgreSQL quotes values in its sentences: `invalid input syntax for type uuid: "…"`. */
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
 * Standard output, as long as somebody reads it: a closed terminal (EIO) or pipe (EPIPE) silences the
 * log and nothing else. pino would try such a write again for ever, and the process could not end.
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
 * The log: one JSON line for each event, with only the fields on the list above.
 *
 * @param to where the lines go; standard output without it.
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
  // pino formats a child's fields apart from a line's; children inherit this function.
  const { child } = log;
  log.child = function (this: Log, fields: object, childOptions?: object) {
    return child.call(this, allowed({ ...fields }), childOptions);
  } as typeof log.child;
  return log;
}

/** Cleans the sentence of a line, and what is put into it. */
function cleanWords(this: Logger, given: Parameters<pino.LogFn>, write: pino.LogFn): void {
  const words = (given as unknown[]).map((one) => (typeof one === 'string' ? cleaned(one) : one));
  write.apply(this, words as Parameters<pino.LogFn>);
}

const SECOND_MS = 1_000;

/** Logs warnings of which many may come at once: the first as it is, those of the next second as one with their count. */
export type CountedWarnings = (fields: Record<string, unknown>, sentence: string) => void;

const countedOf = new WeakMap<Log, CountedWarnings>();

/**
 * The counted warnings of a log. Those with the same sentence, `status`, `route`, `act` and code of `err` are one kind:
 * of each at most a line a second is written, with `count` and the fields of the last one.
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
