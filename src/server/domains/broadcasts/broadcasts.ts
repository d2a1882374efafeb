import * as operator from '#contract/operator/broadcasts.ts';
import {
  closeBroadcast,
  listBroadcasts,
  type ShownBroadcast,
  type BroadcastAudience,
  type broadcastAudiences,
} from '#contract/operator/broadcasts.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { repeat } from '#server/infra/polling.ts';
import { bindScope, withEachAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import { identifier, json } from '#server/infra/postgres/sql.ts';
import type { BroadcastDeps } from './deps.ts';
import { broadcastsPage, editBroadcast, endBroadcast, makeBroadcast } from './manage.ts';
import {
  type CustomerPerson,
  customersAfter,
  isAccount,
  countCustomers,
  phonesOf,
} from '#server/domains/accounts/accounts.ts';
import { type Sql, type Tx, asAccount, type Fragment } from '#server/infra/postgres/database.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { isOnPlan, plansForOperator } from '#server/domains/billing/billing.ts';
import { hasLinkedToken } from '#server/domains/tokens/tokens.ts';
import { createHash } from 'node:crypto';
import { captionNodes, captionText } from '#contract/messages/captions.ts';
import { type AccountData, eraseRows, inPages } from '#server/infra/account-data.ts';

type Read = { broadcast_id: string; read_at: Date };

/** Account data: broadcasts that the account's users have closed or received. */
export const broadcastsAccountData = ({
  sql,
  allAccountsSql,
}: {
  sql: Sql;
  allAccountsSql: Sql;
}): AccountData => ({
  subjects: (accountId) => [{ name: 'pengumuman-ditutup', rows: () => readsOf(sql, accountId) }],
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'broadcast_reads', accountId);
    await eraseRows(allAccountsSql, 'broadcast_deliveries', accountId);
  },
});

async function* readsOf(sql: Sql, accountId: string) {
  const reads = inPages<Read>(
    { sql, accountId },
    (tx, last, limit) => tx<Read[]>`
      select broadcast_id, read_at from broadcast_reads
      where account_id = ${accountId} ${last ? tx`and broadcast_id > ${last.broadcast_id}` : tx``}
      order by broadcast_id limit ${limit}`,
  );
  for await (const { broadcast_id, read_at } of reads) {
    yield { id: publicId('broadcast', broadcast_id), read_at };
  }
}

export type { BroadcastDeps } from './deps.ts';

/** Poll interval; open pages show a due notice within this time. */
const LOOK_MS = 3_000;

type Running = { close: () => Promise<void> };

export type Broadcasts = {
  acts: readonly ActHandler[];
  nameFor: Shown['nameFor'];
  work: () => Promise<void>;
  startAnnouncing: () => Running;
  startDelivery: () => Running;
  prune: () => Promise<void>;
};

export function openBroadcasts(deps: BroadcastDeps): Broadcasts {
  const shown = openShown(deps);
  let announceSoon = (): void => undefined;
  const deliverSoon: (() => void)[] = [];
  const changed = <T>(done: T): T => {
    shown.forget();
    announceSoon();
    return done;
  };
  let isClosing = false;
  const announce = async () => {
    await announceDue(deps.allAccountsSql, deps.now(), () => isClosing);
    for (const wake of deliverSoon) wake();
  };
  const deliver = () => deliverDue(deps, () => isClosing);
  const close = (worker: Running) => () => {
    isClosing = true;
    return worker.close();
  };
  return {
    acts: [
      handle(listBroadcasts, async ({ caller }) => ({ broadcasts: await shown.listFor(caller) })),
      handle(closeBroadcast, async ({ caller }, { broadcast_id }) => {
        await shown.close(caller, broadcast_id);
        return {};
      }),
      handle(operator.operatorBroadcasts, (_, input) => broadcastsPage(deps, input)),
      handle(operator.broadcastAudiences, () => audiences(deps.allAccountsSql)),
      handle(operator.createBroadcast, async ({ caller, key }, input) =>
        changed(await makeBroadcast(deps, { operatorId: caller.userId, key }, input)),
      ),
      handle(operator.changeBroadcast, async ({ caller }, input) =>
        changed(await editBroadcast(deps, caller.userId, input)),
      ),
      handle(operator.stopBroadcast, async ({ caller }, { broadcast_id }) =>
        changed(await endBroadcast(deps, caller.userId, broadcast_id)),
      ),
    ],
    nameFor: shown.nameFor,
    work: async () => {
      await announce();
      await deliver();
    },
    startAnnouncing: () => {
      const worker = repeat(announce, LOOK_MS, deps.report);
      announceSoon = worker.wake;
      return { close: close(worker) };
    },
    startDelivery: () => {
      const worker = repeat(deliver, LOOK_MS, deps.report);
      deliverSoon.push(bindScope(worker.wake));
      return { close: close(worker) };
    },
    prune: () => prune(deps),
  };
}

/** Deliveries and closings are stored this long after the end. */
const KEPT_DAYS = 90;
const ROWS_AT_ONCE = 5_000;

async function prune({ allAccountsSql: sql, now }: BroadcastDeps): Promise<void> {
  const before = new Date(now().getTime() - KEPT_DAYS * 86_400_000);
  const ended = await sql<{ broadcast_id: string }[]>`
    select broadcast_id from broadcasts where until_at < ${before}`;
  const ids = ended.map(({ broadcast_id }) => broadcast_id);
  for (const table of ['broadcast_deliveries', 'broadcast_reads']) {
    await sql`
      delete from ${identifier(table)} where ctid = any(array(
        select ctid from ${identifier(table)}
        where broadcast_id = any(${ids}::uuid[]) limit ${ROWS_AT_ONCE}))`;
  }
}

const ACCOUNTS_AT_ONCE = 200;

type Due = Audience & {
  broadcast_id: string;
  by_push: boolean;
  by_message: boolean;
  is_stopped: boolean;
  queued_to: string;
};

/**
 * Queues deliveries and notifies open pages. Progress is stored in the same transaction, so a crash neither skips nor
 * repeats an account.
 */
async function announceDue(allAccountsSql: Sql, at: Date, isClosing: () => boolean): Promise<void> {
  while (!isClosing()) {
    const isMore = await allAccountsSql.begin((tx) =>
      announceSome({ sql: allAccountsSql, tx }, at),
    );
    if (!isMore) return;
  }
}

/** @returns false if no row is left that no other process holds */
async function announceSome({ sql, tx }: { sql: Sql; tx: Tx }, at: Date): Promise<boolean> {
  const [due] = await tx<Due[]>`
    select broadcast_id, audience, plan, by_push, by_message, queued_to,
      stopped_at is not null as is_stopped
    from broadcasts
    where ready_at is null and from_at <= ${at}
    order by broadcast_id limit 1 for no key update skip locked`;
  if (!due) return false;
  const people = await customersAfter(tx, {
    after: due.queued_to,
    limit: ACCOUNTS_AT_ONCE,
    where: isInAudience(tx, due),
  });
  await withEachAccountIn({ sql, tx }, people, (own, some) =>
    announceTo(own, due, { people: some, at }),
  );
  const accounts = accountsOf(people);
  await tx`
    update broadcasts set queued_to = ${accounts.at(-1) ?? due.queued_to},
      ready_at = ${accounts.length < ACCOUNTS_AT_ONCE ? at : null}
    where broadcast_id = ${due.broadcast_id}`;
  return true;
}

const accountsOf = (people: readonly CustomerPerson[]): string[] => [
  ...new Set(people.map(({ accountId }) => accountId)),
];

async function announceTo(
  tx: Tx,
  due: Due,
  { people, at }: { people: readonly CustomerPerson[]; at: Date },
): Promise<void> {
  const accounts = accountsOf(people);
  if (accounts.length === 0) return;
  await tx`
    select enqueue_events(${accounts}::uuid[], 'broadcast.changed',
      array_fill(${json({})}::jsonb, array[${accounts.length}::int]))`;
  if (!due.is_stopped && (due.by_push || due.by_message)) {
    await tx`
      insert into broadcast_deliveries (account_id, broadcast_id, user_id, next_at)
      select account_id, ${due.broadcast_id}, user_id, ${at}
      from unnest(
        ${people.map(({ accountId }) => accountId)}::uuid[],
        ${people.map(({ userId }) => userId)}::uuid[]
      ) as p(account_id, user_id)
      on conflict do nothing`;
  }
}

/** Cache time of the current broadcasts in this process. */
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

type Shown = {
  /** Names a person's broadcasts, and changes with them; undefined without any, at no query. */
  nameFor(tx: Sql | Tx, person: Person): Promise<string | undefined>;
  listFor(person: Person): Promise<ShownBroadcast[]>;
  /** Hides a broadcast from a person for good. @throws Refusal `not_found` if not shown to them */
  close(person: Person, broadcastId: string): Promise<void>;
  forget(): void;
};

/** Opens the customers' view, over a list of current broadcasts that is at most two seconds old. */
function openShown(deps: BroadcastDeps): Shown {
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
          // A broadcast that is over or already closed counts as closed.
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

type Audience = { audience: BroadcastAudience; plan: string | null };

/** SQL condition: the broadcast is for account `a`. */
function isInAudience(sql: Sql | Tx, { audience, plan }: Audience): Fragment {
  if (audience === 'linked') return hasLinkedToken(sql);
  return audience === 'plan' ? isOnPlan(sql, plan ?? '') : sql`true`;
}

async function audiences(sql: Sql): Promise<OutputOf<typeof broadcastAudiences>> {
  const plans = await plansForOperator(sql);
  const targets: Audience[] = [
    { audience: 'all', plan: null },
    { audience: 'linked', plan: null },
    ...plans.map(({ code }): Audience => ({ audience: 'plan', plan: code })),
  ];
  const people = await countCustomers(
    sql,
    targets.map((one) => isInAudience(sql, one)),
  );
  const [all = 0, linked = 0, ...onPlans] = people;
  return {
    all,
    linked,
    plans: plans.map(({ code, name }, place) => ({ code, name, people: onPlans[place] ?? 0 })),
  };
}

const AT_ONCE = 50;
/** Lease of a delivery, longer after each failure: without a linked phone, retries take days. */
const LEASE_SECONDS = 120;
const LEASES_MAX = 15;
const MESSAGE_MS = 86_400_000;

type Claimed = {
  account_id: string;
  broadcast_id: string;
  user_id: string;
  tries: number;
  pushed_at: Date | null;
};

type Broadcast = {
  broadcast_id: string;
  title: string;
  body: string;
  by_push: boolean;
  by_message: boolean;
  until_at: Date;
  is_over: boolean;
};

type Delivery = Claimed & Broadcast;

/**
 * Delivers queued rows: a push in the transaction that records it, and a message with a key derived from the broadcast,
 * so that a crash neither loses nor repeats it. Failed messages are retried until the broadcast is over.
 */
async function deliverDue(deps: BroadcastDeps, isClosing: () => boolean): Promise<void> {
  while (!isClosing()) {
    const due = await claim(deps);
    if (due.length === 0) return;
    const accounts = due.map(({ account_id }) => account_id);
    const people = await phonesOf(deps.allAccountsSql, accounts);
    for (const one of due) {
      const person = people.find(
        ({ accountId, userId }) => accountId === one.account_id && userId === one.user_id,
      );
      await deliver(deps, one, person?.phone).catch(deps.report);
    }
  }
}

async function claim({ allAccountsSql, now }: BroadcastDeps): Promise<Delivery[]> {
  const at = now();
  const claimed = await allAccountsSql<Claimed[]>`
    with due as (
      select account_id, broadcast_id, user_id from broadcast_deliveries
      where ended_at is null and next_at <= ${at}
      order by next_at limit ${AT_ONCE} for update skip locked
    )
    update broadcast_deliveries d set tries = tries + 1,
      next_at = ${at}::timestamptz
        + make_interval(secs => ${LEASE_SECONDS} * least(d.tries + 1, ${LEASES_MAX}))
    from due
    where (d.account_id, d.broadcast_id, d.user_id) = (due.account_id, due.broadcast_id, due.user_id)
    returning d.account_id, d.broadcast_id, d.user_id, d.tries, d.pushed_at`;
  if (claimed.length === 0) return [];
  const broadcasts = await allAccountsSql<Broadcast[]>`
    select broadcast_id, title, body, by_push, by_message, until_at,
      stopped_at is not null or until_at <= ${at} as is_over
    from broadcasts
    where broadcast_id = any(${claimed.map(({ broadcast_id }) => broadcast_id)}::uuid[])`;
  const byId = new Map(broadcasts.map((broadcast) => [broadcast.broadcast_id, broadcast]));
  return claimed.flatMap((one) => {
    const broadcast = byId.get(one.broadcast_id);
    return broadcast ? { ...one, ...broadcast } : [];
  });
}

type Outcome = 'sent' | 'opted_out' | 'failed' | 'stopped' | null;

async function deliver(
  deps: BroadcastDeps,
  one: Delivery,
  phone: string | undefined,
): Promise<void> {
  // The account has no user with a phone left, or the broadcast is over.
  if (one.is_over || phone === undefined || phone === '') {
    const wasTried = one.by_message && one.tries > 1;
    return end(deps, one, wasTried ? 'failed' : 'stopped');
  }
  if (one.by_push && one.pushed_at === null) await push(deps, one);
  if (!one.by_message) return end(deps, one, null);
  await end(deps, one, await send(deps, one, phone));
}

const push = ({ allAccountsSql, queueNotice, now }: BroadcastDeps, one: Delivery): Promise<void> =>
  allAccountsSql.begin(async (tx) => {
    const { count } = await tx`
      update broadcast_deliveries set pushed_at = ${now()}
      where account_id = ${one.account_id} and broadcast_id = ${one.broadcast_id}
        and user_id = ${one.user_id} and pushed_at is null`;
    if (count === 0) return;
    await queueNotice(tx, {
      accountId: one.account_id,
      title: one.title,
      body: captionText(one.body),
      url: '/',
      tag: `broadcast-${one.broadcast_id}`,
    });
  });

async function send(
  { sendNotice, now }: BroadcastDeps,
  { account_id, broadcast_id, user_id, title, body, until_at }: Delivery,
  phone: string,
): Promise<Outcome> {
  // Hashed: the key outlives an erased account and must not identify it.
  const facts = [broadcast_id, account_id, user_id].join(':');
  const outcome = await sendNotice({
    to: phone,
    text: `${title}\n\n${plainText(body)}`,
    key: `broadcast:${createHash('sha256').update(facts).digest('base64url')}`,
    expiresAt: new Date(Math.min(until_at.getTime(), now().getTime() + MESSAGE_MS)),
  });
  return outcome === 'opted_out' ? 'opted_out' : 'sent';
}

/** A caption as plain text for a phone: each address follows the words of its link. */
export const plainText = (caption: string): string =>
  captionNodes(caption)
    .map((node) => {
      if (node.kind === 'break') return '\n';
      if (node.kind === 'text' || node.text === node.href) return node.text;
      return node.href.startsWith(node.text) ? node.text : `${node.text} (${node.href})`;
    })
    .join('');

async function end(
  { allAccountsSql, now }: BroadcastDeps,
  { account_id, broadcast_id, user_id }: Delivery,
  outcome: Outcome,
): Promise<void> {
  await allAccountsSql`
    update broadcast_deliveries set ended_at = ${now()}, outcome = ${outcome}
    where account_id = ${account_id} and broadcast_id = ${broadcast_id} and user_id = ${user_id}`;
}
