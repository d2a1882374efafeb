import type { Receipt, Sinks } from '#server/domains/channels/channels.ts';
import type { CloudNumber } from '#server/domains/channels/cloud/numbers.ts';
import type { Refs } from '#server/domains/channels/cloud/refs.ts';
import type { HealthRecorder } from '#server/domains/channels/health/recorder.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import type { Status } from './read.ts';

/** A status of one of our messages, with the number that sent it. */
export type NumberStatus = {
  number: CloudNumber;
  status: Omit<Status, 'receipt'> & { receipt: Omit<Receipt, 'accountId'> };
};

/**
 * Finds the messages of statuses that echo nothing of ours by Meta's ids. Those that are not found are of messages that
 * another program sent.
 */
export async function statusesOfOurs(
  refs: Pick<Refs, 'messagesOf'>,
  told: readonly { number: CloudNumber; status: Status }[],
): Promise<NumberStatus[]> {
  const unnamed = told.filter(({ status }) => status.receipt.messageId === undefined);
  const known = new Map<string, string>();
  for (const [accountId, some] of Map.groupBy(unnamed, ({ number }) => number.accountId)) {
    const wamids = some.flatMap(({ status }) => status.wamid ?? []);
    for (const [wamid, id] of await refs.messagesOf(accountId, wamids))
      known.set(`${accountId} ${wamid}`, id);
  }
  return told.flatMap(({ number, status: { receipt, ...status } }) => {
    const messageId = receipt.messageId ?? known.get(`${number.accountId} ${status.wamid}`);
    if (messageId === undefined) return [];
    return { number, status: { ...status, receipt: { ...receipt, messageId } } };
  });
}

type StatusDeps = {
  sinks: Sinks;
  refs: Refs;
  health: HealthRecorder;
  report: (error: unknown) => void;
};

/** Takes the statuses of a callback. @throws what passes: Meta brings it again */
export type TakeStatuses = (statuses: readonly NumberStatus[]) => Promise<void>;

/** Callbacks wait for each other for as long as the event loop needs to turn; settling gathers them further. */
const GATHER = { waitMs: 0, sizeMax: 500, runsMax: 8 };

/**
 * Takes statuses, those of many callbacks at once where many come: alone each would cost a query of its own.
 * They touch only messages that their own number has sent.
 */
export function openTakeStatuses(deps: StatusDeps): TakeStatuses {
  const take = gather<readonly NumberStatus[], void>(
    async (jobs) => {
      const failed = await store(deps, jobs.flat());
      return jobs.map((statuses) => {
        const error = statuses.map((one) => failed.get(one)).find((one) => one !== undefined);
        return error === undefined ? undefined : Promise.reject(error);
      });
    },
    { ...GATHER, sizeOf: (statuses) => statuses.length },
  );
  return async (statuses) => {
    if (statuses.length > 0) await take(statuses);
  };
}

/** @returns those that could not be stored, each with its error */
async function store(
  { sinks, health, refs, report }: StatusDeps,
  statuses: readonly NumberStatus[],
): Promise<ReadonlyMap<NumberStatus, Error>> {
  const failed = await tell(sinks, statuses);
  for (const { number, status } of statuses) {
    health.receipt(number);
    const { code, receipt, wamid } = status;
    if (code !== undefined) health.answered({ ...number, channel: 'cloud', code: String(code) });
    // Where the answer to the try was lost, this is the first that is heard of Meta's id.
    if (receipt.status === 'sent' && wamid !== undefined) {
      refs.addTold({ ...number, messageId: receipt.messageId, wamid }).catch(report);
    }
  }
  return failed;
}

/**
 * A failure that Meta tells by callback is of a message that it took, so it was sent and failed, and stays charged
 * (docs/decisions/054-failures-told-later.md): also where this is known before Meta's answer to the try. That it was
 * sent is told first, by itself: of a message that was given up, both at once would only prove that it was sent.
 *
 * @returns those that could not be stored, each with its error
 */
async function tell(
  sinks: Sinks,
  statuses: readonly NumberStatus[],
): Promise<ReadonlyMap<NumberStatus, Error>> {
  const failures = statuses.filter(({ status }) => status.receipt.status === 'failed');
  const unsent = await tellReceipts(
    sinks,
    new Map(failures.map((one) => [sentReceiptOf(one), one])),
  );
  const rest = statuses.filter((one) => !unsent.has(one));
  const untold = await tellReceipts(sinks, new Map(rest.map((one) => [receiptOf(one), one])));
  return new Map([...unsent, ...untold]);
}

async function tellReceipts(
  sinks: Sinks,
  receipts: ReadonlyMap<Receipt, NumberStatus>,
): Promise<Map<NumberStatus, Error>> {
  const failed = new Map<NumberStatus, Error>();
  if (receipts.size === 0) return failed;
  for (const { item, error } of await sinks.receipts([...receipts.keys()])) {
    const one = receipts.get(item);
    if (one) failed.set(one, error instanceof Error ? error : new Error('a status was not stored'));
  }
  return failed;
}

const receiptOf = ({ number, status: { receipt } }: NumberStatus): Receipt => {
  const { accountId, tokenId } = number;
  return { accountId, tokenId, ...receipt };
};

const sentReceiptOf = (one: NumberStatus): Receipt => {
  const { failure: _, ...receipt } = receiptOf(one);
  return { ...receipt, status: 'sent' };
};
