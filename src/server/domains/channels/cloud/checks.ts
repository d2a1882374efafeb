import { Refusal } from '#contract/base/refusals.ts';
import { extendSpans } from '#server/domains/channels/health/health.ts';
import {
  type PresenceDeps,
  connectNumber,
  partNumber,
} from '#server/domains/channels/health/presence.ts';
import type { Graph } from './graph.ts';
import { meaningOf } from './codes.ts';
import { confirm } from './connect.ts';
import { type CloudNumber, type NumbersDeps, allNumbers, forgetNumbers } from './numbers.ts';

export type CheckDeps = NumbersDeps &
  PresenceDeps & { graph: Graph; report: (error: unknown) => void };

const AT_ONCE = 8;

/**
 * Asks Meta for every number, each minute: what answers is connected, and was since the last time; one whose
 * access Meta refuses is parted, and comes back by itself when it no longer does.
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
  await extendSpans(deps.allAccountsSql, alive, deps.now());
}

async function stateOf(
  deps: CheckDeps,
  number: CloudNumber,
): Promise<'alive' | 'parted' | 'unreached'> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  try {
    const { name, quality } = await confirm(deps.graph, number);
    await noteCheck(deps, number, { name, quality, failure: undefined });
    await connectNumber(deps, ref);
    return 'alive';
  } catch (error) {
    if (!(error instanceof Refusal)) deps.report(error);
    if (!(error instanceof Refusal) || error.code !== 'cloud_refused') return 'unreached';
    const { code } = error.facts as { code: number };
    await noteCheck(deps, number, { failure: String(code) });
    if (meaningOf({ code }, 400).does !== 'part') return 'unreached';
    await partNumber(deps, ref, 'access');
    return 'parted';
  }
}

type Check = {
  name?: string | undefined;
  quality?: string | undefined;
  failure: string | undefined;
};

const noteCheck = (
  { allAccountsSql, now }: CheckDeps,
  { accountId, tokenId }: CloudNumber,
  { name, quality, failure }: Check,
): Promise<unknown> =>
  Promise.resolve(allAccountsSql`
    update cloud_numbers set
      checked_at = ${now()}, check_failure = ${failure ?? null},
      verified_name = coalesce(${name ?? null}, verified_name),
      quality = coalesce(${quality ?? null}, quality)
    where account_id = ${accountId} and token_id = ${tokenId}`);
