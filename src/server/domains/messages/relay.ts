import type { LiveKind } from '#contract/events.ts';
import { publicId } from '#contract/ids.ts';
import { type Sql, type Tx, isTransient } from '#server/platform/database.ts';
import type { Log } from '#server/platform/log.ts';

/** Outbox rows published in one transaction; a row may stand for 200 messages. */
const ROWS_MAX = 200;
/** How often the outbox is looked at without a hint. */
const POLL_MS = 250;
/** Live tabs are told at most once in this long per process (`architecture.md`, section 5). */
const COALESCE_MS = 20;
const PREVIEW_LENGTH = 120;

type Row = {
  account_id: string;
  kind: LiveKind;
  message_ids: string[] | null;
  token_ids: string[] | null;
  peers: string[] | null;
  statuses: string[] | null;
  data: Record<string, unknown> | null;
};

type Told = {
  kind: LiveKind;
  messageId: string | null;
  tokenId: string | null;
  peer: string | null;
  name: string | null;
  data: Record<string, unknown>;
};

export type Relay = {
  /** Something was written to the outbox: look now. */
  poke: () => void;
  /** Publishes what stands in the outbox now, unless another relay is at it. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Starts the relay that publishes the outbox: it gives events their `position` and `conversation_seq`.
 * Any number may run: a lock of the transaction lets one publish at a time.
 *
 * @param onPublished told after COMMIT which accounts have news, at most once in 20 ms.
 */
export function startRelay(
  { sql, log }: { sql: Sql; log: Log },
  onPublished: (accountIds: ReadonlySet<string>) => void,
): Relay {
  const news = new Set<string>();
  let telling: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const tell = () => {
    telling = undefined;
    onPublished(new Set(news));
    news.clear();
  };
  const drain = async () => {
    for (;;) {
      const published = await publishSome(sql);
      for (const accountId of published.accounts) news.add(accountId);
      if (news.size > 0) telling ??= setTimeout(tell, COALESCE_MS);
      if (published.rows < ROWS_MAX) return;
    }
  };
  const work = async () => {
    try {
      do {
        again = false;
        await drain();
      } while (again && !closed);
    } catch (error) {
      if (!isTransient(error)) log.error({ err: error }, 'the outbox cannot be published');
    } finally {
      working = undefined;
    }
  };
  const poke = () => {
    if (closed) return;
    if (working) again = true;
    else working = work();
  };
  const timer = setInterval(poke, POLL_MS);
  return {
    poke,
    drain,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await working;
      if (telling) {
        clearTimeout(telling);
        tell();
      }
    },
  };
}

const RELAY_LOCK = 7_206_217;

async function publishSome(sql: Sql): Promise<{ rows: number; accounts: string[] }> {
  return sql.begin(async (tx) => {
    const [lock] = await tx<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${RELAY_LOCK}) as mine`;
    if (!lock?.mine) return { rows: 0, accounts: [] };
    // By the database's clock: what was committed before something else began comes first.
    const rows = await tx<Row[]>`
      with gone as (
        delete from outbox where (account_id, outbox_id) in (
          select account_id, outbox_id from outbox order by at limit ${ROWS_MAX}
        ) returning *
      )
      select * from gone order by at, outbox_id`;
    const byAccount = Map.groupBy(rows, (row) => row.account_id);
    // In account order: two relays that hand over never wait for each other crosswise.
    const accounts = [...byAccount.keys()].toSorted();
    for (const accountId of accounts) {
      await publish(tx, accountId, byAccount.get(accountId) ?? []);
    }
    return { rows: rows.length, accounts };
  });
}

async function publish(tx: Tx, accountId: string, rows: readonly Row[]): Promise<void> {
  const previews = await previewsOf(tx, accountId, rows);
  const told = rows.flatMap((row) => toldBy(row, previews));
  const saldo = rows.findLast((row) => typeof row.data?.['available'] === 'number')?.data;
  if (saldo) {
    const { available, held } = saldo;
    told.push({ ...silent, kind: 'saldo.changed', data: { available, held } });
  }
  await tx`select publish_events(
    ${accountId},
    ${told.map((event) => event.kind)}::text[],
    ${told.map((event) => event.messageId)}::uuid[],
    ${told.map((event) => event.tokenId)}::uuid[],
    ${told.map((event) => event.peer)}::text[],
    ${told.map((event) => event.name)}::text[],
    ${told.map((event) => JSON.stringify(event.data))}::text[]::jsonb[]
  )`;
}

const silent = { messageId: null, tokenId: null, peer: null, name: null };

/** The events of an outbox row: one per message, or the one it names. */
function toldBy(row: Row, previews: ReadonlyMap<string, string>): Told[] {
  if (row.kind === 'saldo.changed') return [];
  if (!row.message_ids) return [{ ...silent, kind: row.kind, data: row.data ?? {} }];
  const received = row.kind === 'message.received';
  const told = row.data?.['peer_name'];
  const name = received && typeof told === 'string' && told !== '' ? told : null;
  return row.message_ids.map((messageId, index) => {
    const tokenId = row.token_ids?.[index] ?? '';
    const peer = row.peers?.[index] ?? '';
    const data = {
      id: publicId('message', messageId),
      token_id: publicId('token', tokenId),
      peer,
      direction: received ? 'in' : 'out',
      status: row.statuses?.[index] ?? '',
      ...(received && { peer_name: name, preview: previews.get(messageId) ?? '' }),
    };
    return { kind: row.kind, messageId, tokenId, peer, name, data };
  });
}

async function previewsOf(
  tx: Tx,
  accountId: string,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap((row) =>
    row.kind === 'message.received' ? (row.message_ids ?? []) : [],
  );
  if (ids.length === 0) return new Map();
  const found = await tx<{ message_id: string; preview: string }[]>`
    select message_id, left(coalesce(body->>'text', body->>'caption', ''), ${PREVIEW_LENGTH}) as preview
    from messages where account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  return new Map(found.map((row) => [row.message_id, row.preview]));
}
