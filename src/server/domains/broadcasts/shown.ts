import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ShownBroadcast } from '#contract/operator/broadcasts.ts';
import { isAccount } from '#server/domains/accounts/accounts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type Audience, isInAudience } from './audience.ts';
import type { BroadcastDeps } from './deps.ts';

/** How old what this process knows of broadcasts may be. */
const KNOWN_MS = 2_000;

type Current = Audience & {
  broadcast_id: string;
  title: string;
  body: string;
  tone: ShownBroadcast['tone'];
  from_at: Date;
  until_at: Date;
};

type Person = { accountId: string; userId: string };

/** What customers see of broadcasts. */
export type Shown = {
  /**
   * Names what there is to show to a person: another name is something else. Undefined while there is
   * nothing, which costs no query.
   */
  nameFor(tx: Sql | Tx, person: Person): Promise<string | undefined>;
  /** What there is to show to a person, the newest first. */
  listFor(person: Person): Promise<ShownBroadcast[]>;
  /** Stays closed for a person. @throws Refusal `not_found` for what is not shown to them. */
  close(person: Person, broadcastId: string): Promise<void>;
  /** Something has changed here: it is read again. */
  forget(): void;
};

/** Opens what customers see, over a list of what is not over that is at most two seconds old. */
export function openShown(deps: BroadcastDeps): Shown {
  const { sql, allAccountsSql, config, now } = deps;
  let known: { at: number; rows: Promise<readonly Current[]> } | undefined;
  const read = async (): Promise<readonly Current[]> => allAccountsSql<Current[]>`
    select broadcast_id, title, body, tone, audience, plan, from_at, until_at from broadcasts
    where stopped_at is null and until_at > ${now()} order by broadcast_id desc`;
  const current = async (): Promise<Current[]> => {
    if (known === undefined || performance.now() - known.at > KNOWN_MS) {
      const rows = read();
      known = { at: performance.now(), rows };
      rows.catch(() => (known = undefined));
    }
    const at = now();
    const rows = await known.rows;
    return rows.filter(({ from_at, until_at }) => from_at <= at && until_at > at);
  };
  const openTo = async (tx: Sql | Tx, person: Person): Promise<Current[]> => {
    const rows = await current();
    if (rows.length === 0) return rows;
    const mine = await openIds(tx, rows, person);
    return rows.filter(({ broadcast_id }) => mine.has(broadcast_id));
  };
  return {
    async nameFor(tx, person) {
      const names = (await openTo(tx, person)).map(({ broadcast_id }) => broadcast_id.slice(-12));
      if (config.MAINTENANCE) names.unshift(config.MAINTENANCE_TEXT);
      return names.length === 0 ? undefined : names.join();
    },
    async listFor(person) {
      const rows = await asAccount(sql, person.accountId, (tx) => openTo(tx, person));
      const shown = rows.map(({ broadcast_id, title, body, tone, until_at }) => ({
        id: publicId('broadcast', broadcast_id),
        title,
        text: body,
        tone,
        until: until_at,
      }));
      return config.MAINTENANCE ? [maintenance(config.MAINTENANCE_TEXT), ...shown] : shown;
    },
    close: (person, broadcastId) =>
      asAccount(sql, person.accountId, async (tx) => {
        const open = await openTo(tx, person);
        if (!open.some(({ broadcast_id }) => broadcast_id === broadcastId)) {
          // What is over, or closed already, is closed.
          const known = await allAccountsSql`
            select from broadcasts where broadcast_id = ${broadcastId}`;
          if (known.length === 0) throw new Refusal('not_found', { what: 'Pengumuman' });
          return;
        }
        await tx`
          insert into broadcast_reads (account_id, user_id, broadcast_id, read_at)
          values (${person.accountId}, ${person.userId}, ${broadcastId}, ${now()})
          on conflict do nothing`;
      }),
    forget: () => (known = undefined),
  };
}

const maintenance = (text: string): ShownBroadcast => ({
  id: null,
  title: 'Pemeliharaan',
  text,
  tone: 'warning',
  until: null,
});

/** Which of these are for a person who has not closed them. */
async function openIds(
  tx: Sql | Tx,
  rows: readonly Current[],
  { accountId, userId }: Person,
): Promise<Set<string>> {
  const closed = await tx<{ id: string }[]>`
    select broadcast_id as id from broadcast_reads
    where account_id = ${accountId} and user_id = ${userId}
      and broadcast_id = any(${rows.map((row) => row.broadcast_id)}::uuid[])`;
  const ids = new Set(rows.map((row) => row.broadcast_id));
  for (const { id } of closed) ids.delete(id);
  for (const row of rows) {
    if (!ids.has(row.broadcast_id) || row.audience === 'all') continue;
    if (!(await isAccount(tx, accountId, isInAudience(tx, row)))) ids.delete(row.broadcast_id);
  }
  return ids;
}
