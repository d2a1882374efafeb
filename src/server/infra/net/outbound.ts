import { type ClientRequest, type IncomingHttpHeaders, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { type LookupFunction, isIP, BlockList } from 'node:net';
import { type Resolve, isLocalName, openNames } from './names.ts';

/**
 * Why a request to the outside has no answer. `refused`: we may not ask there; `late`: it took too
 * long; `unreachable`: no connection, or one that broke; `ended`: the asker gave up.
 */
export type OutboundReason = 'refused' | 'late' | 'unreachable' | 'ended';

/** Says why, and which host at most: addresses of others may be secrets. */
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
  /** Left out by who only asks. */
  body?: Uint8Array | string;
  /** How long all of it may take; 15 s without it. */
  totalMs?: number;
  signal?: AbortSignal;
};

export type OutboundAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Of a longer body its first 64 kB. */
  body: Buffer;
};

/** Asks others, at addresses that people or browsers gave us (docs/threats.md, T20). */
export type Outbound = {
  /**
   * The address, when it may be asked as far as can be told without looking its name up.
   *
   * @throws OutboundError `refused`
   */
  check(url: string): URL;
  /**
   * Posts, once, and follows nothing: a redirect is an answer like any other.
   *
   * @throws OutboundError
   */
  post(ask: OutboundAsk & { body: Uint8Array | string }): Promise<OutboundAnswer>;
  /**
   * Asks, once, in the same way.
   *
   * @throws OutboundError
   */
  get(ask: Omit<OutboundAsk, 'body'>): Promise<OutboundAnswer>;
};

type OutboundOptions = {
  /** Origins the operator named: asked over https or http, whatever their port and address. */
  listed: readonly string[];
  /** How names are looked up; by the system's name servers without it. */
  resolve?: Resolve;
  /** Ports of others; 443, 80 and 8443 without it. */
  ports?: readonly number[];
  /** See `CONNECT_MS`, `HEADERS_MS`. */
  connectMs?: number;
  headersMs?: number;
};

const CONNECT_MS = 3_000;
const HEADERS_MS = 10_000;
const TOTAL_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
const URL_LENGTH_MAX = 2_048;
const WEB_PROTOCOLS: ReadonlySet<string> = new Set(['https:', 'http:']);
/** Ports of others that are asked, when their address names one. */
export const PORTS: readonly number[] = [443, 80, 8443];

type AddressRules = {
  /** Origins the operator named: asked over https or http, whatever their port and address. */
  listed: readonly string[];
  ports: readonly number[];
  /** With the colon: `https:`. */
  protocols: readonly string[];
};

/**
 * An address as it may be asked, as far as can be told without looking its name up.
 *
 * @throws OutboundError `refused`
 */
export function checkAddress(text: string, { listed, ports, protocols }: AddressRules): URL {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) refuse('no address');
  const url = new URL(text);
  // Before `listed` is looked at: the origin of `blob:http://127.0.0.1/x` is `http://127.0.0.1`.
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
 * The guarded client. Others are asked over https, at public addresses only: literal ones are judged
 * before, and of a name every address it has, in the very look-up that connects, so that a name
 * cannot change between the judging and the asking. Each request has a connection of its own, and no
 * proxy of the environment stands between.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { listed, resolve = openNames(), ports = PORTS } = options;
  const isListed = (url: URL) => listed.includes(url.origin);

  const check = (text: string) => checkAddress(text, { listed, ports, protocols: ['https:'] });
  const send = async (ask: OutboundAsk) => {
    const url = check(ask.url);
    const lookup = isListed(url) ? undefined : judging(resolve);
    return exchange(url, ask, { lookup, ...options });
  };
  return { check, post: send, get: send };
}

/** @throws OutboundError `refused` */
export function refuse(why: string): never {
  throw new OutboundError('refused', `the address may not be asked: ${why}`);
}

/** IPv6 addresses stand in brackets in a URL. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** A look-up that has no answer when one of the answers is not public. */
export const judging =
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

/** One request and its answer, or one OutboundError. */
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

/** Watches the clock over the connection, the answer's first line, and the whole. */
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

/** Nobody's, ours alone, or everybody's at once (IANA's special-purpose registry). */
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

/** Everything else of IPv6 is not public, the spellings of IPv4 addresses (mapped, NAT64) included. */
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

/** True for an address of the open internet; false for ours, for special ones, and for no address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  return version === 6 && public6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}
