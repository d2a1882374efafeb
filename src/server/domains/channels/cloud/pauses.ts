import type { Parting, Pause } from '#contract/channels.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Pauses } from '#server/domains/channels/channels.ts';
import {
  endPause,
  pauseNumber,
  readPause,
  type PresenceDeps,
  disconnectNumber,
} from '#server/domains/channels/health.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import { isAccess } from './codes.ts';
import { confirm } from './connect.ts';
import type { Graph } from './graph.ts';
import type { CloudNumber } from './numbers.ts';

/** Tries in a row without an answer that make a number stand still; while it is tried anew, one is enough. */
const SILENT_MAX = 5;
/** The same when the last of them is a message's second: it would fail although no other message was answered. */
const SILENT_MAX_OF_SECOND = 2;
/** Of a number that is disconnected: by then its lane no longer runs. */
const PARTED_MS = 2_000;

/** The pauses of numbers of the Cloud API. Each answers for how long the number stands still now, in milliseconds. */
export type CloudPauses = Pauses & {
  /** Meta has answered a try: the number does not stand still any more. */
  answered(token: TokenRef): Promise<void>;
  /** Pauses a number all of whose messages Meta refuses. */
  pause(token: TokenRef, reason: Pause): Promise<number>;
  /** Meta refuses its access for a message: its own check says whether the access token is at fault. */
  verify(token: TokenRef): Promise<number>;
  /** The number cannot send until something is done at Meta: it is disconnected, and tried again by itself. */
  part(token: TokenRef, reason: Parting): Promise<number>;
};

type PausesDeps = PresenceDeps & {
  allAccountsSql: Sql;
  graph: Graph;
  numberOf: (token: TokenRef) => Promise<CloudNumber | undefined>;
  report: (error: unknown) => void;
};

const refOf = ({ accountId, tokenId }: TokenRef) => ({
  accountId,
  tokenId,
  channel: 'cloud' as const,
});

/** The result of checking a number. */
type Checked = 'fine' | 'refused' | 'unreached';

/** Opens the pauses: which number stands still is stored, and how often in a row one was silent is of this process. */
export function openPauses(deps: PausesDeps): CloudPauses {
  const { allAccountsSql: sql, report, now } = deps;
  const silences = new Map<string, number>();
  /** Numbers that stand still, or are tried anew, as this process knows. */
  const still = new Set<string>();
  const checking = new Map<string, Promise<Checked>>();
  const change = <T>({ accountId }: TokenRef, work: (tx: Tx) => Promise<T>) =>
    beginIn(sql, accountId, work);

  const pauseIn = async (tx: Tx, token: TokenRef, reason: Pause) => {
    const paused = await pauseNumber(tx, deps, refOf(token), reason);
    if (paused) still.add(token.tokenId);
    return paused?.forMs ?? PARTED_MS;
  };
  const pause: CloudPauses['pause'] = (token, reason) =>
    change(token, (tx) => pauseIn(tx, token, reason));
  /** Many tries are refused at once: one check tells for all of them. */
  const check = (token: TokenRef): Promise<Checked> => {
    const known = checking.get(token.tokenId);
    if (known) return known;
    const run = checkOnce(deps, token).finally(() => checking.delete(token.tokenId));
    checking.set(token.tokenId, run);
    return run;
  };
  const settleCheck = async (
    token: TokenRef,
    checked: Checked,
    otherwise: () => Promise<number>,
  ) => {
    if (checked === 'unreached') return pause(token, 'silent');
    if (checked === 'fine') return otherwise();
    await change(token, (tx) => disconnectNumber(tx, deps, refOf(token), 'access'));
    return PARTED_MS;
  };
  return {
    pause,
    async remainingMs(token) {
      const ms = await readPause(sql, token, now());
      if (ms === undefined) still.delete(token.tokenId);
      else still.add(token.tokenId);
      return ms;
    },
    probe: async (token) => settleCheck(token, await check(token), async () => 0),
    verify: async (token) => settleCheck(token, await check(token), () => pause(token, 'refused')),
    async part(token, reason) {
      const isAgain = still.has(token.tokenId);
      // In one transaction: the minute's check connects a disconnected number that has no pause.
      await change(token, async (tx) => {
        await disconnectNumber(tx, deps, { ...refOf(token), isAgain }, reason);
        await pauseIn(tx, token, 'refused');
      });
      return PARTED_MS;
    },
    async silent(token, isSecond) {
      const count = (silences.get(token.tokenId) ?? 0) + 1;
      silences.set(token.tokenId, count);
      const max = isSecond ? SILENT_MAX_OF_SECOND : SILENT_MAX;
      if (count < max && !still.has(token.tokenId)) return 0;
      return pause(token, 'silent').catch((error: unknown) => {
        report(error);
        return 0;
      });
    },
    async answered(token) {
      silences.delete(token.tokenId);
      if (!still.delete(token.tokenId)) return;
      await change(token, (tx) => endPause(tx, deps, token)).catch(report);
    },
  };
}

/** Asks Meta for a number as the minute's check does. */
async function checkOnce(
  { graph, numberOf, report }: PausesDeps,
  token: TokenRef,
): Promise<Checked> {
  try {
    const number = await numberOf(token);
    if (number) await confirm(graph, number);
    return 'fine';
  } catch (error) {
    if (!(error instanceof Refusal)) {
      report(error);
      return 'unreached';
    }
    if (error.code !== 'cloud_refused') return 'unreached';
    const { code } = error.facts as { code: number };
    return isAccess(code) ? 'refused' : 'fine';
  }
}
