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

/** Unanswered tries in a row that pause a number; while it is tried again, one is enough. */
const SILENT_MAX = 5;
/** The same if the last is a message's second try: it would fail although no other was answered. */
const SILENT_MAX_OF_SECOND = 2;
/** For a disconnected number: its lane no longer runs by then. */
const DISCONNECTED_MS = 2_000;

/** Pauses of Cloud API numbers. Results are the pause of the number in milliseconds. */
export type CloudPauses = Pauses & {
  answered(token: TokenRef): Promise<void>;
  pause(token: TokenRef, reason: Pause): Promise<number>;
  /** Meta refuses access: the number's own check tells whether the access token is at fault. */
  verify(token: TokenRef): Promise<number>;
  /** Disconnects a number until something is done at Meta; retried by itself. */
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

type Checked = 'fine' | 'refused' | 'unreached';

/** Opens the pauses. They are stored; counts of unanswered tries are local to this process. */
export function openPauses(deps: PausesDeps): CloudPauses {
  const { allAccountsSql: sql, report, now } = deps;
  const silences = new Map<string, number>();
  const still = new Set<string>();
  const checking = new Map<string, Promise<Checked>>();
  const change = <T>({ accountId }: TokenRef, work: (tx: Tx) => Promise<T>) =>
    beginIn(sql, accountId, work);

  const pauseIn = async (tx: Tx, token: TokenRef, reason: Pause) => {
    const paused = await pauseNumber(tx, deps, refOf(token), reason);
    if (paused) still.add(token.tokenId);
    return paused?.forMs ?? DISCONNECTED_MS;
  };
  const pause: CloudPauses['pause'] = (token, reason) =>
    change(token, (tx) => pauseIn(tx, token, reason));
  /** Many tries are refused at once: one check serves all of them. */
  const check = (token: TokenRef): Promise<Checked> => {
    const known = checking.get(token.tokenId);
    if (known) return known;
    const run = checkOnce(deps, token).finally(() => checking.delete(token.tokenId));
    checking.set(token.tokenId, run);
    return run;
  };
  const finishCheck = async (
    token: TokenRef,
    checked: Checked,
    otherwise: () => Promise<number>,
  ) => {
    if (checked === 'unreached') return pause(token, 'silent');
    if (checked === 'fine') return otherwise();
    await change(token, (tx) => disconnectNumber(tx, deps, refOf(token), 'access'));
    return DISCONNECTED_MS;
  };
  return {
    pause,
    async remainingMs(token) {
      const ms = await readPause(sql, token, now());
      if (ms === undefined) still.delete(token.tokenId);
      else still.add(token.tokenId);
      return ms;
    },
    probe: async (token) => finishCheck(token, await check(token), async () => 0),
    verify: async (token) => finishCheck(token, await check(token), () => pause(token, 'refused')),
    async part(token, reason) {
      const isRetry = still.has(token.tokenId);
      // In one transaction: the minute's check connects a disconnected number that has no pause.
      await change(token, async (tx) => {
        await disconnectNumber(tx, deps, { ...refOf(token), isRetry }, reason);
        await pauseIn(tx, token, 'refused');
      });
      return DISCONNECTED_MS;
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
