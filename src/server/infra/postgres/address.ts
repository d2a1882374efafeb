/**
 * A database's address in the one shape that the rest of the server reads:
 * `postgres://user:password@host:port/database?…`, the folder of a unix socket as an encoded host.
 *
 * Takes what PostgreSQL's own clients take beside it: no host before the path (`postgres://ani@/kabari`),
 * and `host`, `port`, `user`, `password`, `dbname` behind the question mark, which win over those before it.
 *
 * @returns `undefined` when the words are no such address, or name no database.
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
  const [user = '', password = ''] = (parts['who'] ?? '').split(/:(.*)/s);
  const [, host = '', port = ''] = /^(.*?)(?::(\d+))?$/s.exec(parts['place'] ?? '') ?? [];
  const who = joined(take('user') ?? user, take('password') ?? password);
  const place = joined((take('host') ?? host) || 'localhost', take('port') ?? port);
  const database = take('dbname') ?? parts['database'];
  if (!database) return undefined;
  const rest = query.size > 0 ? `?${query.toString()}` : '';
  const address = `postgres://${who && `${who}@`}${place}/${database}${rest}`;
  return URL.canParse(address) ? address : undefined;
}

const joined = (one: string, two: string): string => (two === '' ? one : `${one}:${two}`);

/** The folder of a unix socket in an address, which the driver would not decode by itself. */
export function socketFolderOf(url: string): { host: string } | undefined {
  const host = decodeURIComponent(new URL(url).hostname);
  return host.startsWith('/') ? { host } : undefined;
}

/** Ours, behind the question mark: the start-up message carries no settings. */
const BARE = 'kabari_bare_startup';

/** The same address, spoken to without settings in the start-up message, as poolers demand. */
export function withBareStartup(url: string): string {
  const bare = new URL(url);
  bare.searchParams.set(BARE, 'on');
  return bare.href;
}

/** Whether the start-up message carries no settings, and the address as the driver knows it. */
export function readBareStartup(url: string): { bare: boolean; driverUrl: string } {
  const address = new URL(url);
  const bare = address.searchParams.has(BARE);
  address.searchParams.delete(BARE);
  return { bare, driverUrl: bare ? address.href : url };
}
