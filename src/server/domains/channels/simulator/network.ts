import * as z from 'zod/mini';
import type { MessageType } from '#contract/messages.ts';
import type {
  Channel,
  MessageBody,
  Outgoing,
  Receipt,
  SendResult,
  Sinks,
} from '#server/domains/channels/channels.ts';
import { type ConnectDeps, connectLink, tokenOfPhone } from '#server/domains/tokens/tokens.ts';
import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import type { Files } from '#server/domains/media/media.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Pace, type Plan, planFor } from './outcomes.ts';
import { picture } from './picture.ts';
import { type Due, Ticker } from './ticker.ts';
import { LineWriter } from './writer.ts';

export type NetworkDeps = {
  allAccountsSql: Sql;
  pace: Pace;
  connecting: ConnectDeps;
  files: Pick<Files, 'save'>;
  report: (error: unknown) => void;
};

/** The simulated network: a channel like any other, and a way to say that something is due. */
export type Network = Channel & { wake(afterMs: number): void };

/** How long the network may take to answer: shorter where time runs faster, but never a race. */
const TIMEOUT_MS = 10_000;
const TIMEOUT_LEAST_MS = 2_000;
/** When a message is tried again that the phones' own memory could not take. */
const AWAY_MS = 500;

/** Opens the network. Phones keep everything in the database, so it forgets nothing when it stops. */
export function openNetwork(deps: NetworkDeps): Network {
  const { allAccountsSql, pace, report } = deps;
  let sinks: Sinks | undefined;
  const ticker = new Ticker(
    allAccountsSql,
    (due) => {
      if (!sinks) throw new Error('the simulator tells before it was started');
      return tell(deps, sinks, due);
    },
    report,
  );
  const writer = new LineWriter(allAccountsSql, (firstDueMs) => ticker.wake(firstDueMs));
  const quicker = pace.speed === 0 ? 0 : TIMEOUT_MS / pace.speed;

  return {
    name: 'simulator',
    preallocates: true,
    timeoutMs: Math.min(TIMEOUT_MS, Math.max(quicker, TIMEOUT_LEAST_MS)),
    send: (message, signal) => deliver(writer, message, planFor(message, pace), signal),
    async start(given) {
      sinks = given;
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
    case 'taken': {
      const written = await writer.write(message, plan).catch(awayOnly);
      // The same id again is the same message: a database that is away says "later", not nothing, or
      // two of its restarts would use up the tries of a message that nobody refused.
      if (written === 'away') return { outcome: 'later', afterMs: AWAY_MS, failure: 'no_answer' };
      if (written === 'blocked') return { outcome: 'failed', failure: 'blocked' };
      return { outcome: 'sent' };
    }
    default:
      return plan;
  }
}

function awayOnly(error: unknown): 'away' {
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

/** Tells what is due: receipts together, the rest one by one. Answers what was not kept. */
async function tell(deps: NetworkDeps, sinks: Sinks, due: readonly Due[]): Promise<Set<Due>> {
  const left = new Set<Due>();
  const receipts = new Map(due.flatMap(receiptFrom));
  try {
    const unkept = receipts.size > 0 ? await sinks.receipts([...receipts.keys()]) : [];
    for (const { item } of unkept) {
      const one = receipts.get(item);
      if (one) left.add(one);
    }
    // One report of a look: what breaks one receipt may break five hundred.
    if (unkept[0]) deps.report(unkept[0].error);
  } catch (error) {
    deps.report(error);
    for (const one of receipts.values()) left.add(one);
  }
  for (const one of due) {
    try {
      if (one.kind === 'inbound') await answer(deps, sinks, one);
      else if (one.kind === 'connect') await finishLink(deps, one);
    } catch (error) {
      deps.report(error);
      left.add(one);
    }
  }
  return left;
}

/** The receipt that something due is, and what it came from; nothing for the rest. */
function receiptFrom(due: Due): [Receipt, Due][] {
  const { kind, accountId, messageId, at } = due;
  const known = accountId !== null && messageId !== null;
  return known && (kind === 'delivered' || kind === 'read')
    ? [[{ accountId, messageId, status: kind, at }, due]]
    : [];
}

/** What an `inbound` row says: an answer typed in the phone, or one that a fixed outcome prescribes. */
const ReplyFacts = z.object({
  lineId: z.uuid(),
  to: z.string(),
  what: z.enum(['text', 'stop', 'picture']),
  text: z.optional(z.string()),
  fileId: z.optional(z.uuid()),
});
export type ReplyFacts = z.output<typeof ReplyFacts>;

/** The phone's owner answers; when the number is linked to nobody any more, nobody hears it. */
async function answer(deps: NetworkDeps, sinks: Sinks, due: Due): Promise<void> {
  const reply = ReplyFacts.parse(due.facts);
  const holder = await tokenOfPhone(deps.allAccountsSql, 'simulator', reply.to);
  if (!holder) return;
  const { accountId, tokenId } = holder;
  const { type, body } = await contentsOf(deps.files, accountId, reply);
  await deps.allAccountsSql`
    insert into sim_lines (phone, line_id, direction, peer, type, body, account_id)
    values (${due.phone}, ${reply.lineId}, 'out', ${reply.to}, ${type}, ${deps.allAccountsSql.json(body)},
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
  });
}

async function contentsOf(
  files: NetworkDeps['files'],
  accountId: string,
  { what, text = 'STOP', fileId }: ReplyFacts,
): Promise<{ type: MessageType; body: MessageBody & Record<string, string> }> {
  if (what !== 'picture') return { type: 'text', body: { text } };
  const bytes = picture();
  const name = 'bukti.png';
  const kept = await files.save({
    accountId,
    bytes,
    name,
    ...(fileId !== undefined && { fileId }),
  });
  return { type: 'image', body: { file: kept.fileId, mime: kept.mime, caption: 'Ini buktinya' } };
}

/** What a `connect` row says: the link that the phone has scanned. */
const ConnectFacts = z.object({ accountId: z.uuid(), linkId: z.uuid() });

/** The phone finishes linking; a link that was ended meanwhile needs nothing more. */
async function finishLink({ connecting }: NetworkDeps, { facts }: Due): Promise<void> {
  try {
    await connectLink(connecting, ConnectFacts.parse(facts));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
