import { closeBroadcast, listBroadcasts } from '#contract/operator/broadcasts.ts';
import * as operator from '#contract/operator/broadcasts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { repeat } from '#server/infra/jobs/repeat.ts';
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

export type Broadcasts = {
  acts: readonly ActHandler[];
  /** See `Shown.nameFor`. */
  nameFor: Shown['nameFor'];
  /** Announces and tells what is due now. */
  work: () => Promise<void>;
  /** Does that every few seconds, and soon after something was made here. */
  start: () => { close: () => Promise<void> };
  /** Forgets who was told of what ended long ago. */
  prune: () => Promise<void>;
};

/** Opens what operators tell customers. */
export function openBroadcasts(deps: BroadcastDeps): Broadcasts {
  const shown = openShown(deps);
  let wake = (): void => undefined;
  const changed = <T>(done: T): T => {
    shown.forget();
    wake();
    return done;
  };
  let isClosing = false;
  const work = async () => {
    await announceDue(deps.allAccountsSql, deps.now(), () => isClosing);
    await deliverDue(deps, () => isClosing);
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
    work,
    start: () => {
      const worker = repeat(work, LOOK_MS, deps.report);
      wake = worker.wake;
      return {
        close: () => {
          isClosing = true;
          return worker.close();
        },
      };
    },
    prune: () => prune(deps),
  };
}

/** Who was told, and who closed it, is kept for so long after the end. */
const KEPT_DAYS = 90;
const ROWS_AT_ONCE = 5_000;

async function prune({ allAccountsSql: sql, now }: BroadcastDeps): Promise<void> {
  const before = new Date(now().getTime() - KEPT_DAYS * 86_400_000);
  await sql`
    delete from broadcast_deliveries where ctid = any(array(
      select d.ctid from broadcast_deliveries d join broadcasts b using (broadcast_id)
      where b.until_at < ${before} limit ${ROWS_AT_ONCE}))`;
  await sql`
    delete from broadcast_reads where ctid = any(array(
      select r.ctid from broadcast_reads r join broadcasts b using (broadcast_id)
      where b.until_at < ${before} limit ${ROWS_AT_ONCE}))`;
}
