import { type LookupAddress, promises as dns } from 'node:dns';
import { callbackify } from 'node:util';

/** How names are looked up. */
export type Resolve = (
  hostname: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined; hints?: number | undefined },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type NamesOptions = {
  /** Name servers, `address:port`; those of the system without it. */
  servers?: readonly string[];
  /** For the first question; the second one waits twice as long. */
  timeoutMs?: number;
};

const TIMEOUT_MS = 1_200;
const TRIES = 2;
/** The system's name servers are read again after so long: a machine moves to another network. */
const RENEW_MS = 60_000;

/**
 * Looks up names that others gave us, by the name servers of the system, v4 addresses first.
 *
 * Not by the system's own look-up: that one occupies one of the four threads on which the process also reads
 * files and hashes passwords, until a name server answers. A few names whose servers stay silent, and anybody
 * may own such, would hold up everybody. The hosts file is therefore not read; origins that the operator
 * listed are looked up by the system.
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

/** @throws Error of the name server, when neither family has an address */
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

/** Endings of names that are looked up in networks of one's own alone. */
const LOCAL = /(^|\.)(localhost|local|internal|lan|home\.arpa|localdomain|intranet)$/;

/** True for names that no public name server has: those without a dot, and those of networks of one's own. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || LOCAL.test(name);
}
