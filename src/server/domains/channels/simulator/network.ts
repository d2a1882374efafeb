import * as z from 'zod/mini';
import type {
  Channel,
  Outgoing,
  Receipt,
  SendResult,
  Sinks,
} from '#server/domains/channels/channels.ts';
import { type ConnectDeps, connectLink, tokenOfPhone } from '#server/domains/tokens/tokens.ts';
import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Library } from '#server/domains/media/media.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { answerOf } from './answers.ts';
import { type Pace, type Plan, answerKinds, planFor } from './outcomes.ts';
import { type Due, Ticker } from './ticker.ts';
import { LineWriter } from './writer.ts';

export type NetworkDeps = {
  allAccountsSql: Sql;
  pace: Pace;
  connecting: ConnectDeps;
  library: Pick<Library, 'take'>;
  report: (error: unknown) => void;
};

/** The simulated network: a channel that can also be woken when something is due. */
export type Network = Channel & { wake(afterMs: number): void };

/** How long the network may take to answer: shorter where time runs faster, but never a race. */
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MIN = 2_000;
/** When a message is tried again that could not be stored on the phone. */
const RETRY_MS = 500;

/** Opens the network. Phones store everything in the database, so nothing is lost when it stops. */
export function openNetwork(deps: NetworkDeps): Network {
  const { allAccountsSql, pace, report } = deps;
  let sinks: Sinks | undefined;
  const ticker = new Ticker(
    allAccountsSql,
    (due) => {
      if (!sinks) throw new Error('the simulator has something due before it was started');
      return handleDue(deps, sinks, due);
    },
    report,
  );
  const writer = new LineWriter(allAccountsSql, (firstDueMs) => ticker.wake(firstDueMs));
  const quicker = pace.speed === 0 ? 0 : TIMEOUT_MS / pace.speed;

  return {
    name: 'simulator',
    preallocates: true,
    timeoutMs: Math.min(TIMEOUT_MS, Math.max(quicker, TIMEOUT_MS_MIN)),
    send: (message, signal) => deliver(writer, message, planFor(message, pace), signal),
    async start(channelSinks) {
      sinks = channelSinks;
      ticker.start();
    },
    close: () => ticker.close(),
    wake: (afterMs) => ticker.wake(afterMs),
  };
}

async function deliver(
  writer: LineWriter,
  message: Outgoing,
  plan: Plan,
  signal: AbortSignal,
): Promise<SendResult> {
  switch (plan.outcome) {
    case 'silent':
      return silence(signal);
    case 'accepted': {
      const written = await writer.write(message, plan).catch(awayIfTransient);
      // The same id again is the same message: an unreachable database is answered "later", or two of its
      // restarts would use up the tries of a message that nobody refused.
      if (written === 'away') return { outcome: 'later', afterMs: RETRY_MS, failure: 'no_answer' };
      if (written === 'blocked') return { outcome: 'failed', failure: 'blocked' };
      return { outcome: 'sent' };
    }
    default:
      return plan;
  }
}

function awayIfTransient(error: unknown): 'away' {
  if (isTransient(error)) return 'away';
  throw error;
}

/** Never answers: ends only when the caller gives up. */
function silence(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  return promise;
}

/** Delivers what is due: receipts together, the rest one by one. Returns what could not be stored. */
async function handleDue(deps: NetworkDeps, sinks: Sinks, due: readonly Due[]): Promise<Set<Due>> {
  const failed = new Set<Due>();
  const receipts = new Map(due.flatMap(receiptFrom));
  try {
    const unstored = receipts.size > 0 ? await sinks.receipts([...receipts.keys()]) : [];
    for (const { item } of unstored) {
      const one = receipts.get(item);
      if (one) failed.add(one);
    }
    // One report per poll: what breaks one receipt may break five hundred.
    if (unstored[0]) deps.report(unstored[0].error);
  } catch (error) {
    deps.report(error);
    for (const one of receipts.values()) failed.add(one);
  }
  for (const one of due) {
    try {
      if (one.kind === 'inbound') await sendReply(deps, sinks, one);
      else if (one.kind === 'connect') await connectPhone(deps, one);
    } catch (error) {
      deps.report(error);
      failed.add(one);
    }
  }
  return failed;
}

/** The receipt of a due row, with the row; nothing for other kinds. */
function receiptFrom(due: Due): [Receipt, Due][] {
  const { kind, accountId, messageId, at } = due;
  const known = accountId !== null && messageId !== null;
  return known && (kind === 'delivered' || kind === 'read')
    ? [[{ accountId, messageId, status: kind, at }, due]]
    : [];
}

/** The facts of an `inbound` row: a reply typed in the phone, or one of a fixed outcome. */
const ReplyFacts = z.object({
  lineId: z.uuid(),
  to: z.string(),
  what: z.enum(answerKinds),
  text: z.optional(z.string()),
  fileId: z.optional(z.uuid()),
  /** The message it answers by quoting it, or reacts to: by the network's id. */
  quotes: z.optional(z.string()),
});
export type ReplyFacts = z.output<typeof ReplyFacts>;

/** The phone's owner replies; when the number is not linked any more, the reply is dropped. */
async function sendReply(deps: NetworkDeps, sinks: Sinks, due: Due): Promise<void> {
  const reply = ReplyFacts.parse(due.facts);
  const holder = await tokenOfPhone(deps.allAccountsSql, 'simulator', reply.to);
  if (!holder) return;
  const { accountId, tokenId } = holder;
  const { quotes } = reply;
  const { type, body } = await answerOf(deps.library, { accountId, ...reply });
  await deps.allAccountsSql`
    insert into sim_lines (phone, line_id, direction, peer, type, body, account_id)
    values (${due.phone}, ${reply.lineId}, 'out', ${reply.to}, ${type}, ${json(body)},
      ${accountId})
    on conflict (phone, line_id) do nothing`;
  await sinks.inbound({
    accountId,
    tokenId,
    from: due.phone,
    type,
    body,
    at: due.at,
    providerId: reply.lineId,
    ...(quotes !== undefined && { quotes }),
  });
}

/** The facts of a `connect` row: the link that the phone has scanned. */
const ConnectFacts = z.object({ accountId: z.uuid(), linkId: z.uuid() });

/** The phone finishes linking; a link that was ended meanwhile needs nothing more. */
async function connectPhone({ connecting }: NetworkDeps, { facts }: Due): Promise<void> {
  try {
    await connectLink(connecting, ConnectFacts.parse(facts));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
