import { closeBroadcast, listBroadcasts } from '#contract/operator/broadcasts.ts';
import * as operator from '#contract/operator/broadcasts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { repeat } from '#server/infra/jobs/repeat.ts';
import { stay } from '#server/infra/postgres/distribution/scope.ts';
import { identifier } from '#server/infra/postgres/sql.ts';
import { announceDue } from './announce.ts';
import { audiences } from './audience.ts';
import { deliverDue } from './deliver.ts';
import type { BroadcastDeps } from './deps.ts';
import { broadcastsPage, editBroadcast, endBroadcast, makeBroadcast } from './manage.ts';
import { type Shown, openShown } from './shown.ts';

export { broadcastsAccountData } from './account-data.ts';
export type { BroadcastDeps } from './deps.ts';

/** How often is looked for what is due: a notice reaches open pages within this. */
const LOOK_MS = 3_000;

type Running = { close: () => Promise<void> };

export type Broadcasts = {
  acts: readonly ActHandler[];
  /** See `Shown.nameFor`. */
  nameFor: Shown['nameFor'];
  /** Announces and tells what is due now. */
  work: () => Promise<void>;
  /** Announces every few seconds, and soon after something was made here. */
  startAnnouncing: () => Running;
  /** Tells who was written down, every few seconds and soon after an announcement. */
  startDelivery: () => Running;
  /** Forgets who was told of what ended long ago. */
  prune: () => Promise<void>;
};

/** Opens what operators tell customers. */
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
      deliverSoon.push(stay(worker.wake));
      return { close: close(worker) };
    },
    prune: () => prune(deps),
  };
}

/** Who was told, and who closed it, is kept for so long after the end. */
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
