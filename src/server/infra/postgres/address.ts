/**
 * Returns `postgres://user:password@host:port/database?…`, with the folder of a unix socket as an encoded host.
 * Accepts libpq's other forms: no host, and `host`, `port`, `user`, `password`, `dbname` in the query, which win over
 * those before it.
 *
 * @returns `undefined` if the text is not such an address, or names no database.
 */
export function canonicalAddress(words: string): string | undefined {
  const parts =
    /^postgres(?:ql)?:\/\/(?:(?<who>[^/?#]*)@)?(?<place>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/.exec(
      words,
    )?.groups;
  if (!parts) return undefined;
  const query = new URLSearchParams(parts['query'] ?? '');
  const take = (name: string): string | undefined => {
    const value = query.get(name);
    query.delete(name);
    return value === null || value === '' ? undefined : encodeURIComponent(value);
  };
  const attrs = query.get('target_session_attrs') ?? 'any';
  query.delete('target_session_attrs');
  const [user = '', password = ''] = (parts['who'] ?? '').split(/:(.*)/s);
  const places = (parts['place'] ?? '').split(',').map((one) => /^(.*?)(?::(\d+))?$/s.exec(one));
  const named = (at: 1 | 2) => places.map((one) => one?.[at] ?? '').join(',');
  const who = joined(take('user') ?? user, take('password') ?? password);
  const all = pairsOf(listed(take('host')) ?? named(1), listed(take('port')) ?? named(2));
  const target = sessions[attrs];
  const database = take('dbname') ?? parts['database'];
  if (!database || !all || target === undefined) return undefined;
  const [place = ''] = all;
  if (all.length > 1) query.set(HOSTS, all.join(','));
  if (target !== 'any') query.set(SESSION, target);
  const rest = query.size > 0 ? `?${query.toString()}` : '';
  const address = `postgres://${who && `${who}@`}${place}/${database}${rest}`;
  return URL.canParse(address) ? address : undefined;
}

/** libpq's `target_session_attrs`; the fallback of `prefer-standby` is handled elsewhere. */
const sessions: Readonly<Record<string, TargetSession>> = {
  any: 'any',
  'read-write': 'read-write',
  primary: 'read-write',
  standby: 'standby',
  'read-only': 'standby',
  'prefer-standby': 'standby',
};

/** Required server state: read-write, standby, or any. */
export type TargetSession = 'any' | 'read-write' | 'standby';

export type Host = { host: string; port: number };

/** Our own query parameters: all servers if there are several, and their required state. */
const HOSTS = 'kabari_hosts';
const SESSION = 'kabari_session';

const listed = (words: string | undefined) => words?.replaceAll('%2C', ',');

/** `host:port` of each server; one port applies to all. `undefined` if the counts differ. */
function pairsOf(hosts: string, ports: string): string[] | undefined {
  const [names, numbers] = [hosts.split(','), ports.split(',')];
  if (numbers.length !== 1 && numbers.length !== names.length) return undefined;
  return names.map((name, at) => joined(name || 'localhost', numbers[at] ?? numbers[0] ?? ''));
}

export function hostsOf(url: string): Host[] {
  const { host, searchParams } = new URL(url);
  return (searchParams.get(HOSTS) ?? host).split(',').map((one) => {
    const [, name = '', port = ''] = /^(.*?)(?::(\d+))?$/s.exec(one) ?? [];
    return {
      host: decodeURIComponent(name).replaceAll(/^\[|\]$/g, ''),
      port: Number(port || 5432),
    };
  });
}

export const targetSessionOf = (url: string): TargetSession =>
  sessions[new URL(url).searchParams.get(SESSION) ?? 'any'] ?? 'any';

/** The same address with a required server state, unless it has one. */
export function withTargetSession(url: string, target: TargetSession): string {
  const address = new URL(url);
  if (!address.searchParams.has(SESSION)) address.searchParams.set(SESSION, target);
  return address.href;
}

const joined = (one: string, two: string): string => (two === '' ? one : `${one}:${two}`);

/** Our own query parameter: the start-up message carries no settings. */
const BARE = 'kabari_bare_startup';

export function withBareStartup(url: string): string {
  const bare = new URL(url);
  bare.searchParams.set(BARE, 'on');
  return bare.href;
}

/** Whether the start-up message carries no settings, and the address for the driver. */
export function readBareStartup(url: string): { bare: boolean; driverUrl: string } {
  const address = new URL(url);
  const bare = address.searchParams.has(BARE);
  address.searchParams.delete(BARE);
  return { bare, driverUrl: bare ? address.href : url };
}
