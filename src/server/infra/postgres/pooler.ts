import { withBareStartup } from './address.ts';
import { STARTUP_MARK } from './driver/client.ts';
import { type Sql, openDatabase } from './database.ts';
import { StartError } from '#server/infra/start-error.ts';

/** Number of compared connections; three also detect a pooler that rotates among its servers. */
const PROBES = 3;
const PASSES = 4;

/**
 * A pooler accepts no settings in the start-up message: the address is marked, and pools send them afterwards. A
 * transaction-mode pooler would mix the settings of tenants and is refused.
 *
 * @returns the address to use; an unreachable one unchanged.
 * @throws StartError if transactions are pooled.
 */
export async function passPooler(url: string): Promise<string> {
  const address = (await refusesSettings(url)) ? withBareStartup(url) : url;
  // Twice: after a restart in between, the server answers from another process once.
  if ((await sharesServers(address)) && (await sharesServers(address))) {
    throw new StartError(
      'The pooler in front of the database uses transaction-mode pooling, which mixes the settings of ' +
        'connections, and with them the data of customers; set it to session mode (pgbouncer: ' +
        'pool_mode = session), or let DATABASE_URL name the database itself.',
    );
  }
  return address;
}

const openProbe = (url: string): Sql => openDatabase(url, { max: 1, as: 'owner', name: 'start' });

/** True if settings of the start-up message are refused (pgbouncer: 08P01), or do not arrive. */
async function refusesSettings(url: string): Promise<boolean> {
  const sql = openProbe(url);
  try {
    const [found] = await sql.query<{ arrived: boolean }[]>(
      `select coalesce(current_setting('${STARTUP_MARK}', true), '') <> '' as arrived`,
    );
    return found?.arrived === false;
  } catch (error) {
    return error instanceof Error && /unsupported startup parameter/i.test(error.message);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** True if a connection is served by several of the database's processes, or one serves several. */
async function sharesServers(url: string): Promise<boolean> {
  const probes = Array.from({ length: PROBES }, () => openProbe(url));
  const served = probes.map(() => new Set<number>());
  try {
    // Back and forth: otherwise a rotating pooler would give each connection the same process again.
    for (let pass = 0; pass < PASSES; pass++) {
      const order = [...probes.keys()];
      for (const at of pass % 2 === 0 ? order : order.reverse()) {
        // Unprepared: a transaction-mode pooler may not support prepared statements.
        const found = await probes[at]?.query<{ pid: number }[]>('select pg_backend_pid() as pid');
        served[at]?.add(found?.[0]?.pid ?? 0);
      }
    }
    return (
      new Set(served.flatMap((pids) => [...pids])).size !== PROBES ||
      served.some((pids) => pids.size !== 1)
    );
  } catch {
    return false;
  } finally {
    await Promise.all(probes.map((sql) => sql.end({ timeout: 0 })));
  }
}
