import { beginIn, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { extendSpans, isParted } from '#server/domains/channels/health/health.ts';
import { endIdlePauses, readPause } from '#server/domains/channels/health/pauses.ts';
import {
  type PresenceDeps,
  connectNumber,
  partNumber,
} from '#server/domains/channels/health/presence.ts';
import type { Graph } from './graph.ts';
import { isAccess } from './codes.ts';
import { confirm } from './connect.ts';
import { type CloudNumber, type NumbersDeps, allNumbers, forgetNumbers } from './numbers.ts';

export type CheckDeps = NumbersDeps &
  PresenceDeps & { graph: Graph; report: (error: unknown) => void };

const AT_ONCE = 8;

/**
 * Asks Meta for every number, each minute: what answers is connected, and was since the last time; one whose
 * access Meta refuses here is parted, and comes back by itself when it no longer is.
 */
export async function checkNumbers(deps: CheckDeps): Promise<void> {
  await forgetNumbers(deps.allAccountsSql);
  const numbers = await allNumbers(deps);
  const alive: CloudNumber[] = [];
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const some = numbers.slice(from, from + AT_ONCE);
    const states = await Promise.all(some.map((number) => stateOf(deps, number)));
    alive.push(...some.filter((_, index) => states[index] === 'alive'));
  }
  await withEachAccount(alive, async (own) => {
    await extendSpans(deps.allAccountsSql, own, deps.now());
    await endIdlePauses(deps.allAccountsSql, deps, own);
  });
}

async function stateOf(
  deps: CheckDeps,
  number: CloudNumber,
): Promise<'alive' | 'parted' | 'unreached'> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  try {
    const { name, quality } = await confirm(deps.graph, number);
    await noteCheck(deps, number, { name, quality, failure: undefined });
    if (!(await isParted(deps.allAccountsSql, ref))) return 'alive';
    // One that was disconnected for a refused message, which this does not ask for, is tried again after its pause.
    const pauseMs = (await readPause(deps.allAccountsSql, ref, deps.now())) ?? 0;
    if (pauseMs > 0) return 'parted';
    await beginIn(deps.allAccountsSql, ref.accountId, (tx) => connectNumber(tx, deps, ref));
    return 'alive';
  } catch (error) {
    if (!(error instanceof Refusal)) deps.report(error);
    if (!(error instanceof Refusal) || error.code !== 'cloud_refused') return 'unreached';
    const { code } = error.facts as { code: number };
    await noteCheck(deps, number, { failure: String(code) });
    if (!isAccess(code)) return 'unreached';
    await beginIn(deps.allAccountsSql, ref.accountId, (tx) => partNumber(tx, deps, ref, 'access'));
    return 'parted';
  }
}

/**
 * Reads the templates of every account anew: one of which Meta does not tell us, for want of a webhook, costs what
 * its new category does all the same.
 */
export async function readAllTemplates(
  deps: NumbersDeps & {
    onTemplates: (accountId: string) => Promise<void>;
    report: (error: unknown) => void;
  },
): Promise<void> {
  const accounts = new Set((await allNumbers(deps)).map(({ accountId }) => accountId));
  for (const accountId of accounts) {
    await deps.onTemplates(accountId).catch((error: unknown) => {
      if (!(error instanceof Refusal)) deps.report(error);
    });
  }
}

type Check = {
  name?: string | undefined;
  quality?: string | undefined;
  failure: string | undefined;
};

async function noteCheck(
  { allAccountsSql, now }: CheckDeps,
  { accountId, tokenId }: CloudNumber,
  { name, quality, failure }: Check,
): Promise<void> {
  await allAccountsSql`
    update cloud_numbers n set
      checked_at = ${now()}, check_failure = ${failure ?? null},
      verified_name = coalesce(${name ?? null}, n.verified_name),
      quality = coalesce(${quality ?? null}, n.quality)
    where n.account_id = ${accountId} and n.token_id = ${tokenId}`;
}
