import { open } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, get as overHttp } from 'node:http';
import { get as overHttps } from 'node:https';
import { OutboundError, PORTS, checkAddress, hostOf, publicOnly, refuse } from './outbound.ts';
import { type Resolve, openNames } from './names.ts';

/**
 * Why a file was not fetched. `refused`: the address is not allowed; `missing`: the host does not have the file for
 * us; `trouble`: the host has a temporary problem; `too_large`; `late`: it took too long; `unreachable`: no
 * connection, or a broken one; `ended`: the caller aborted.
 */
export type FetchReason =
  | 'refused'
  | 'missing'
  | 'trouble'
  | 'too_large'
  | 'late'
  | 'unreachable'
  | 'ended';

/** Names at most the host: addresses supplied by others may contain secrets. */
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
  /** The destination, which must not exist. */
  path: string;
  bytesMax: number;
  signal?: AbortSignal;
};

/** Type and name as claimed by the host, which is not trusted; empty if it sent none. */
export type Fetched = { type: string; name: string; bytes: number };

/** Fetches files at addresses supplied by customers (docs/threats.md, T20). */
export type FileClient = {
  /** The caller removes a partial file after an error. @throws FetchError */
  fetch(file: FetchOptions): Promise<Fetched>;
  /** @throws FetchError */
  read(file: Omit<FetchOptions, 'path'>): Promise<Buffer>;
};

type Limits = {
  connectMs: number;
  headersMs: number;
  /** The longest silence between two parts of a file. */
  silenceMs: number;
  /** For the whole fetch, redirects included. */
  totalMs: number;
};

type ClientOptions = {
  /** Origins for tests: allowed over https or http, with any port and address. */
  listed: readonly string[];
  resolve?: Resolve;
  ports?: readonly number[];
  limits?: Partial<Limits>;
  /** The only host names allowed, over https only; by default any name, also over http. */
  hosts?: RegExp;
  headers?: Readonly<Record<string, string>>;
};

const LIMITS: Limits = { connectMs: 3_000, headersMs: 10_000, silenceMs: 10_000, totalMs: 60_000 };
const REDIRECTS_MAX = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The guarded client for files: https or http, public addresses only, checked as by `openOutbound` and again after
 * every redirect, each on its own connection. Responses are not decompressed, and no cookies, keys or referrers are
 * sent.
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
        const lookup = listed.includes(url.origin) ? undefined : publicOnly(resolve);
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
  const to = location === undefined ? '' : Buffer.from(location, 'latin1').toString('utf8');
  if (to === '' || !URL.canParse(to, from)) refuse('a redirect to nowhere');
  return new URL(to, from).href;
}

function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  const words = 'the file cannot be fetched';
  if (error instanceof OutboundError) return new FetchError(error.reason, words, { cause: error });
  if (error instanceof Error && 'syscall' in error && error.syscall === 'write') throw error;
  return new FetchError('unreachable', words, { cause: error });
}

type Watch = {
  readonly late: FetchError | undefined;
  limits: Limits;
  follow(request: ClientRequest): void;
  step(ms: number, what: string): void;
  end(): void;
};

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

function ask(
  url: URL,
  {
    lookup,
    headers,
  }: {
    lookup: ReturnType<typeof publicOnly> | undefined;
    headers: Readonly<Record<string, string>>;
  },
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

/** @throws FetchError if the response is not an acceptable file. */
function refuseAnswer({ statusCode = 0, headers }: IncomingMessage, bytesMax: number): void {
  if (statusCode >= 500 || statusCode === 429 || statusCode === 408) {
    throw new FetchError('trouble', `the host answered ${statusCode}`);
  }
  if (statusCode !== 200) throw new FetchError('missing', `the host answered ${statusCode}`);
  // Compression was not requested, and the decompressed size is unknown in advance.
  if (!['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) {
    throw new FetchError('missing', 'the host packed the file');
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
}

const tooLarge = () => new FetchError('too_large', 'the file is too large');

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

function nameIn(header: string | undefined): string | undefined {
  const given = header?.slice(0, HEADER_MAX) ?? '';
  const wide = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(given)?.[1];
  if (wide !== undefined) return decoded(wide);
  const [, quoted, bare] = /(?:^|;)\s*filename\s*=\s*(?:"([^"]*)"|([^;\s"]+))/i.exec(given) ?? [];
  const name = quoted ?? bare;
  // Node decodes headers as latin-1; most hosts send UTF-8.
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
