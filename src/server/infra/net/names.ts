import { type LookupAddress, promises as dns } from 'node:dns';
import { callbackify } from 'node:util';

export type Resolve = (
  hostname: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined; hints?: number | undefined },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type NamesOptions = {
  /** Name servers, `address:port`; by default those of the system. */
  servers?: readonly string[];
  /** For the first attempt; the second one waits twice as long. */
  timeoutMs?: number;
};

const TIMEOUT_MS = 1_200;
const TRIES = 2;
/** Interval for rereading the system's name servers: a machine may move to another network. */
const RENEW_MS = 60_000;

/**
 * Looks up names supplied by others, v4 addresses first. Not by the system's look-up, which occupies one of the four
 * threads that also read files and hash passwords: a few names with silent servers would block everyone. The hosts
 * file is therefore not read. Origins that the operator listed are looked up by the system.
 */
export function openNames({ servers, timeoutMs = TIMEOUT_MS }: NamesOptions = {}): Resolve {
  let resolver: dns.Resolver | undefined;
  let madeAt = 0;
  const current = (): dns.Resolver => {
    if (resolver && performance.now() - madeAt < RENEW_MS) return resolver;
    resolver = new dns.Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers) resolver.setServers(servers);
    madeAt = performance.now();
    return resolver;
  };
  const lookUp = callbackify((hostname: string) => addressesOf(current(), hostname));
  return (hostname, _options, done) =>
    lookUp(hostname, (error, addresses) => done(error, addresses ?? []));
}

/** @throws Error of the name server, if neither family has an address */
async function addressesOf(resolver: dns.Resolver, hostname: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses;
}

/** Suffixes of names that exist only in private networks. */
const LOCAL = /(^|\.)(localhost|local|internal|lan|home\.arpa|localdomain|intranet)$/;

/** True for names without a dot and those of private networks, which public DNS does not have. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || LOCAL.test(name);
}
