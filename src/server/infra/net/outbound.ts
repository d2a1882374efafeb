import { type ClientRequest, type IncomingHttpHeaders, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { type LookupFunction, isIP, BlockList } from 'node:net';
import { type Resolve, isLocalName, openNames } from './names.ts';

/**
 * Why a request failed. `refused`: the address is not allowed; `late`: it took too long; `unreachable`: no
 * connection, or a broken one; `ended`: the caller aborted.
 */
export type OutboundReason = 'refused' | 'late' | 'unreachable' | 'ended';

/** Names at most the host: addresses supplied by others may contain secrets. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}

export type OutboundAsk = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Absent for GET. */
  body?: Uint8Array | string;
  /** The limit for the whole exchange; 15 s by default. */
  totalMs?: number;
  signal?: AbortSignal;
};

export type OutboundAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first 64 kB of a longer body. */
  body: Buffer;
};

export type Outbound = {
  /** Checks as far as possible without a look-up. @throws OutboundError `refused` */
  check(url: string): URL;
  /** Posts once; does not follow redirects. @throws OutboundError */
  post(ask: OutboundAsk & { body: Uint8Array | string }): Promise<OutboundAnswer>;
  /** Gets once; does not follow redirects. @throws OutboundError */
  get(ask: Omit<OutboundAsk, 'body'>): Promise<OutboundAnswer>;
};

type OutboundOptions = {
  listed: readonly string[];
  /** By default through the system's name servers. */
  resolve?: Resolve;
  /** Allowed ports; by default 443, 80 and 8443. */
  ports?: readonly number[];
  connectMs?: number;
  headersMs?: number;
};

const CONNECT_MS = 3_000;
const HEADERS_MS = 10_000;
const TOTAL_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
const URL_LENGTH_MAX = 2_048;
const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'http:']);
/** Allowed ports in addresses. */
export const PORTS: readonly number[] = [443, 80, 8443];

type AddressRules = {
  /** Origins the operator listed: allowed over https or http, with any port and address. */
  listed: readonly string[];
  ports: readonly number[];
  protocols: readonly string[];
};

/** Checks as far as possible without a look-up. @throws OutboundError `refused` */
export function checkAddress(text: string, { listed, ports, protocols }: AddressRules): URL {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) refuse('no address');
  const url = new URL(text);
  // Must precede the check of `listed`: the origin of `blob:http://127.0.0.1/x` is `http://127.0.0.1`.
  if (!WEB_PROTOCOLS.has(url.protocol)) refuse('not https or http');
  if (url.username !== '' || url.password !== '') refuse('a password in the address');
  if (listed.includes(url.origin)) return url;
  if (!protocols.includes(url.protocol)) refuse(`not ${protocols.join(' or ')}`);
  if (url.port !== '' && !ports.includes(Number(url.port))) refuse('an odd port');
  const host = hostOf(url);
  if (isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)) refuse('no public address');
  return url;
}

/**
 * The guarded client: https and public addresses only. Literal addresses are checked first; for a name, all its
 * addresses are checked in the look-up that connects, so the name cannot change in between. Each request has its own
 * connection, and proxies of the environment are not used.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { listed, resolve = openNames(), ports = PORTS } = options;
  const isListed = (url: URL) => listed.includes(url.origin);

  const check = (text: string) => checkAddress(text, { listed, ports, protocols: ['https:'] });
  const send = async (ask: OutboundAsk) => {
    const url = check(ask.url);
    const lookup = isListed(url) ? undefined : publicOnly(resolve);
    return exchange(url, ask, { lookup, ...options });
  };
  return { check, post: send, get: send };
}

/** @throws OutboundError `refused` */
export function refuse(why: string): never {
  throw new OutboundError('refused', `the address may not be asked: ${why}`);
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** A look-up that fails if any address is not public. */
export const publicOnly =
  (resolve: Resolve): LookupFunction =>
  (hostname, { all, family, hints }, done) => {
    resolve(hostname, { all: true, family, hints }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) return done(error, '', 0);
      if (!first) return done(new Error('the name has no address'), '', 0);
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        const words = 'the address may not be asked: no public address';
        return done(new OutboundError('refused', words), '', 0);
      }
      return all ? done(null, addresses) : done(null, first.address, first.family);
    });
  };

type Route = Pick<OutboundOptions, 'connectMs' | 'headersMs'> & {
  lookup: LookupFunction | undefined;
};

async function exchange(url: URL, ask: OutboundAsk, way: Route): Promise<OutboundAnswer> {
  const secure = url.protocol === 'https:';
  const request = (secure ? overHttps : overHttp)({
    agent: false,
    method: ask.body === undefined ? 'GET' : 'POST',
    hostname: hostOf(url),
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...ask.headers,
      ...(ask.body !== undefined && { 'content-length': Buffer.byteLength(ask.body) }),
    },
    ...(way.lookup && { lookup: way.lookup }),
  });
  let ended: OutboundError | undefined;
  const end = (reason: OutboundReason, words: string) => {
    ended ??= new OutboundError(reason, words);
    request.destroy(ended);
  };
  const giveUp = () => end('ended', 'nobody waits for the answer any more');
  ask.signal?.addEventListener('abort', giveUp, { once: true });
  const stop = limit(request, secure, { ...way, ...ask }, (what) =>
    end('late', `${what} took too long`),
  );
  const answer = answerOf(request);
  if (ask.signal?.aborted) giveUp();
  request.end(ask.body);
  try {
    return await answer;
  } catch (error) {
    if (ended ?? error instanceof OutboundError) throw ended ?? error;
    throw new OutboundError('unreachable', `${url.hostname} cannot be reached`, { cause: error });
  } finally {
    stop();
    ask.signal?.removeEventListener('abort', giveUp);
    request.destroy();
  }
}

type Limits = Pick<OutboundOptions, 'connectMs' | 'headersMs'> & Pick<OutboundAsk, 'totalMs'>;

function limit(
  request: ClientRequest,
  secure: boolean,
  { connectMs = CONNECT_MS, headersMs = HEADERS_MS, totalMs = TOTAL_MS }: Limits,
  late: (what: string) => void,
): () => void {
  const connecting = setTimeout(late, connectMs, 'the connection');
  const waiting = setTimeout(late, headersMs, 'the answer');
  const whole = setTimeout(late, totalMs, 'the whole answer');
  request.once('socket', (socket) =>
    socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting)),
  );
  request.once('response', () => clearTimeout(waiting));
  return () => {
    for (const timer of [connecting, waiting, whole]) clearTimeout(timer);
  };
}

function answerOf(request: ClientRequest): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection ended without an answer')));
    request.once('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      const finish = () => {
        const body = Buffer.concat(parts).subarray(0, ANSWER_BYTES_MAX);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size < ANSWER_BYTES_MAX) return;
        finish();
        request.destroy();
      });
      response.once('end', finish);
      response.on('error', reject);
    });
  });
}

/** Private and special-purpose ranges (IANA's special-purpose registry). */
const closed4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Of 2000::/3: protocol assignments with Teredo, documentation, 6to4, AS112. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** Everything else of IPv6 is not public, including notations of IPv4 addresses (mapped, NAT64). */
const open6 = ['2000::/3'];

const closed = listOf(closed4, closed6);
const public6 = listOf([], open6);

function listOf(ranges4: readonly string[], ranges6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (range: string, family: 'ipv4' | 'ipv6') => {
    const [address = '', bits = ''] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  };
  for (const range of ranges4) add(range, 'ipv4');
  for (const range of ranges6) add(range, 'ipv6');
  return list;
}

/** True for a public address; false for private and special ones, and for invalid text. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  return version === 6 && public6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}
