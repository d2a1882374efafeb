import { open } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, get as overHttp } from 'node:http';
import { get as overHttps } from 'node:https';
import { OutboundError, PORTS, checkAddress, hostOf, judging, refuse } from './outbound.ts';
import { type Resolve, openNames } from './names.ts';

/**
 * Why a file was not fetched. `refused`: we may not ask there; `missing`: its host says that it has no such
 * file for us; `trouble`: the host is in trouble now; `too_large`; `late`: it took too long; `unreachable`:
 * no connection, or one that broke; `ended`: nobody waits for it any more.
 */
export type FetchReason =
  | 'refused'
  | 'missing'
  | 'trouble'
  | 'too_large'
  | 'late'
  | 'unreachable'
  | 'ended';

/** Says why, and which host at most: addresses of others may be secrets. */
export class FetchError extends Error {
  readonly reason: FetchReason;

  constructor(reason: FetchReason, words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = 'FetchError';
    this.reason = reason;
  }
}

type FetchOptions = {
  url: string;
  /** Where the bytes go: a file of this name must not be there. */
  path: string;
  bytesMax: number;
  signal?: AbortSignal;
};

/** What was fetched, as its host calls it: both are claims of a stranger, empty when nothing was said. */
export type Fetched = { type: string; name: string; bytes: number };

/** Fetches files at addresses that customers gave us (docs/threats.md, T20). */
export type FileClient = {
  /**
   * Writes a file to disk as it comes. What was written stays when it fails: the caller removes it.
   *
   * @throws FetchError
   */
  fetch(file: FetchOptions): Promise<Fetched>;
  /**
   * The bytes of a file, in memory.
   *
   * @throws FetchError
   */
  read(file: Omit<FetchOptions, 'path'>): Promise<Buffer>;
};

type Limits = {
  connectMs: number;
  headersMs: number;
  /** The longest silence between two parts of a file. */
  silenceMs: number;
  /** All of it, redirects included. */
  totalMs: number;
};

type ClientOptions = {
  /** Origins that tests name: asked over https or http, whatever their port and address. */
  listed: readonly string[];
  resolve?: Resolve;
  ports?: readonly number[];
  limits?: Partial<Limits>;
  /** The only host names that are fetched, over https alone; without it any name, also over http. */
  hosts?: RegExp;
  /** Sent along with each request. */
  headers?: Readonly<Record<string, string>>;
};

const LIMITS: Limits = { connectMs: 3_000, headersMs: 10_000, silenceMs: 10_000, totalMs: 60_000 };
const REDIRECTS_MAX = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The guarded client for files: https or http, public addresses only, judged as `openOutbound` judges them
 * and anew after every redirect, on a connection of its own for each. Nothing is unpacked on the way, and
 * nothing of ours (cookies, keys, referrers) goes along.
 */
export function openFileClient(options: ClientOptions): FileClient {
  const { listed, resolve = openNames(), ports = PORTS, hosts, headers = {} } = options;
  const limits = { ...LIMITS, ...options.limits };
  const check = (text: string, from?: URL): URL => {
    const protocols = hosts ? ['https:'] : ['https:', 'http:'];
    const url = checkAddress(text, { listed, ports, protocols });
    if (hosts && !listed.includes(url.origin) && !hosts.test(url.hostname)) refuse('another host');
    const falls = from?.protocol === 'https:' && url.protocol === 'http:';
    return falls ? refuse('from https to http') : url;
  };
  const follow = async <T>(
    file: Omit<FetchOptions, 'path'>,
    receive: (url: URL, answer: IncomingMessage, watch: Watch) => Promise<T>,
  ): Promise<T> => {
    const watch = watchOf(limits, file.signal);
    try {
      let url = check(file.url);
      for (let hops = 0; ; hops++) {
        const lookup = listed.includes(url.origin) ? undefined : judging(resolve);
        const answer = await ask(url, { lookup, headers }, watch);
        const { statusCode = 0 } = answer;
        if (!redirects.has(statusCode)) {
          refuseAnswer(answer, file.bytesMax);
          return await receive(url, answer, watch);
        }
        if (hops === REDIRECTS_MAX) throw new FetchError('missing', 'too many redirects');
        url = check(nextOf(answer, url), url);
        answer.destroy();
      }
    } catch (error) {
      throw asFetchError(watch.late ?? error);
    } finally {
      watch.end();
    }
  };
  return {
    fetch: (file) =>
      follow(file, (url, answer, watch) => writeFile(url, answer, { ...file, watch })),
    read: ({ bytesMax, ...file }) =>
      follow({ bytesMax, ...file }, async (_url, answer, watch) => {
        const parts: Buffer[] = [];
        await takeParts(answer, { bytesMax, watch }, (part) => void parts.push(part));
        return Buffer.concat(parts);
      }),
  };
}

function nextOf({ headers: { location } }: IncomingMessage, from: URL): string {
  // Headers are read as latin-1; who writes more than ASCII writes UTF-8.
  const to = location === undefined ? '' : Buffer.from(location, 'latin1').toString('utf8');
  if (to === '' || !URL.canParse(to, from)) refuse('a redirect to nowhere');
  return new URL(to, from).href;
}

function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  const words = 'the file cannot be fetched';
  if (error instanceof OutboundError) return new FetchError(error.reason, words, { cause: error });
  // A full disk is no fault of the host.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'write') throw error;
  return new FetchError('unreachable', words, { cause: error });
}

type Watch = {
  /** What ended it, once something has. */
  readonly late: FetchError | undefined;
  limits: Limits;
  /** The connection that is ended when a limit is reached. */
  follow(request: ClientRequest): void;
  /** Sets the limit of the present step. */
  step(ms: number, what: string): void;
  end(): void;
};

/** Watches the clock over each step and the whole; ending it ends the connection. */
function watchOf(limits: Limits, signal: AbortSignal | undefined): Watch {
  let late: FetchError | undefined;
  let current: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: FetchReason, words: string) => {
    late ??= new FetchError(reason, words);
    current?.destroy(late);
  };
  const whole = setTimeout(stop, limits.totalMs, 'late', 'the whole file took too long');
  const giveUp = () => stop('ended', 'nobody waits for the file any more');
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  return {
    get late() {
      return late;
    },
    limits,
    follow: (request) => {
      current = request;
      if (late) request.destroy(late);
    },
    step: (ms, what) => {
      clearTimeout(timer);
      timer = setTimeout(stop, ms, 'late', `${what} took too long`);
    },
    end: () => {
      clearTimeout(timer);
      clearTimeout(whole);
      signal?.removeEventListener('abort', giveUp);
      current?.destroy();
    },
  };
}

/** One request; its answer's body has not been read. */
function ask(
  url: URL,
  {
    lookup,
    headers,
  }: { lookup: ReturnType<typeof judging> | undefined; headers: Readonly<Record<string, string>> },
  watch: Watch,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? overHttps : overHttp)({
      agent: false,
      hostname: hostOf(url),
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Kabari', ...headers },
      ...(lookup && { lookup }),
    });
    watch.step(watch.limits.connectMs, 'the connection');
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection ended without an answer')));
    request.once('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () =>
        watch.step(watch.limits.headersMs, 'the answer'),
      ),
    );
    request.once('response', resolve);
    watch.follow(request);
  });
}

type Taking = { bytesMax: number; watch: Watch };

async function writeFile(
  url: URL,
  answer: IncomingMessage,
  { path, ...taking }: { path: string } & Taking,
): Promise<Fetched> {
  const { headers } = answer;
  const file = await open(path, 'wx', 0o600);
  try {
    return {
      type: headers['content-type'] ?? '',
      name: nameIn(headers['content-disposition']) ?? lastOf(url),
      bytes: await takeParts(answer, taking, (part) => file.writeFile(part)),
    };
  } finally {
    await file.close();
  }
}

/** @throws FetchError when the answer is not a file that we take. */
function refuseAnswer({ statusCode = 0, headers }: IncomingMessage, bytesMax: number): void {
  if (statusCode >= 500 || statusCode === 429 || statusCode === 408) {
    throw new FetchError('trouble', `the host answered ${statusCode}`);
  }
  if (statusCode !== 200) throw new FetchError('missing', `the host answered ${statusCode}`);
  // Nobody asked for packed bytes: what they become is not known before.
  if (!['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) {
    throw new FetchError('missing', 'the host packed the file');
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
}

const tooLarge = () => new FetchError('too_large', 'the file is too large');

/** Hands the parts of an answer on. @returns how many bytes they are. */
async function takeParts(
  answer: IncomingMessage,
  { bytesMax, watch }: Taking,
  take: (part: Buffer) => Promise<void> | void,
): Promise<number> {
  let bytes = 0;
  watch.step(watch.limits.silenceMs, 'the next part');
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw tooLarge();
    await take(chunk as Buffer);
    watch.step(watch.limits.silenceMs, 'the next part');
  }
  if (watch.late) throw watch.late;
  return bytes;
}

const HEADER_MAX = 2_000;

/** The name in a `Content-Disposition`: the one in UTF-8 where there are two. */
function nameIn(header: string | undefined): string | undefined {
  const given = header?.slice(0, HEADER_MAX) ?? '';
  const wide = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(given)?.[1];
  if (wide !== undefined) return decoded(wide);
  const [, quoted, bare] = /(?:^|;)\s*filename\s*=\s*(?:"([^"]*)"|([^;\s"]+))/i.exec(given) ?? [];
  const name = quoted ?? bare;
  // Headers are read as latin-1; most hosts write UTF-8.
  return name === undefined ? undefined : Buffer.from(name, 'latin1').toString('utf8');
}

const lastOf = ({ pathname }: URL): string => decoded(pathname.split('/').at(-1) ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
