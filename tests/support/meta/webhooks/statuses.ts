import { createHash } from 'node:crypto';
import { errorInWebhook } from '#tests/support/meta/errors.ts';
import type { Accepted, BusinessNumber, MetaState } from '#tests/support/meta/state.ts';
import type { Outbox } from './outbox.ts';

export type StatusMode = {
  /** Delay of each status after the acceptance; `undefined` means never. */
  sentMs: number | undefined;
  deliveredMs: number | undefined;
  readMs: number | undefined;
  failedMs: number;
  /** `sent` is posted, and answered, before the answer to the request that sent the message. */
  isBeforeAnswer: boolean;
};

export type StatusName = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export const userIdOf = (phone: string): string =>
  `ID.${createHash('sha256').update(phone).digest('hex').slice(0, 20)}`;

export const isUserId = (to: string): boolean => /^[A-Z]{2}\./.test(to);

export const metadataOf = ({ id, phone }: BusinessNumber) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: phone, phone_number_id: id },
});

/** Unix seconds as a string, as in webhooks. */
export const secondsOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

const DAY_MS = 24 * 60 * 60_000;

function priceOf({ category, isBillable, acceptedAt, to }: Accepted, status: StatusName) {
  const id = createHash('sha256').update(`${to} ${category}`).digest('hex').slice(0, 32);
  const expires = secondsOf(new Date(acceptedAt.getTime() + DAY_MS));
  return {
    conversation: {
      id,
      ...(status === 'sent' && { expiration_timestamp: expires }),
      origin: { type: category },
    },
    pricing: {
      billable: isBillable,
      pricing_model: 'PMP',
      category,
      type: isBillable ? 'regular' : 'free_customer_service',
    },
  };
}

export function statusOf(
  message: Accepted,
  status: StatusName,
  { code, at }: { code?: number; at: Date },
) {
  const { wamid, to, callbackData, body } = message;
  const isGroup = body['recipient_type'] === 'group';
  return {
    id: wamid,
    status,
    timestamp: secondsOf(at),
    ...(!isUserId(to) && { recipient_id: to }),
    ...(!isGroup && { recipient_user_id: isUserId(to) ? to : userIdOf(to) }),
    recipient_type: isGroup ? 'group' : 'individual',
    ...(callbackData !== undefined && { biz_opaque_callback_data: callbackData }),
    ...(status === 'sent' || status === 'delivered' ? priceOf(message, status) : {}),
    ...(status === 'failed' && { errors: [errorInWebhook(code ?? 131_000)] }),
  };
}

export type StatusReporter = {
  mode: StatusMode;
  /** Posts one status now. @returns resolves after the first post. */
  report(message: Accepted, status: StatusName, code?: number): Promise<void>;
  /** Schedules a message's statuses. @returns resolves when its request may be answered. */
  start(message: Accepted): Promise<void>;
};

const usual: StatusMode = {
  sentMs: 2,
  deliveredMs: 4,
  readMs: 6,
  failedMs: 2,
  isBeforeAnswer: false,
};

export function openStatuses(
  state: MetaState,
  outbox: Outbox,
  given: Partial<StatusMode>,
): StatusReporter {
  const mode: StatusMode = { ...usual, ...given };
  const report: StatusReporter['report'] = async (message, status, code) => {
    const number = state.numbers.find(({ id }) => id === message.phoneNumberId);
    if (!number || !state.isSubscribed) return;
    const entry = statusOf(message, status, {
      ...(code !== undefined && { code }),
      at: state.now(),
    });
    const value = { ...metadataOf(number), statuses: [entry] };
    await outbox.add(message.wamid, { field: 'messages', value, wabaId: number.wabaId });
  };
  return {
    mode,
    report,
    start: async (message) => {
      const { sentMs, deliveredMs, readMs, failedMs, isBeforeAnswer } = mode;
      if (message.failure !== undefined) {
        if (isBeforeAnswer) await report(message, 'failed', message.failure);
        else outbox.later(failedMs, () => void report(message, 'failed', message.failure));
        return;
      }
      if (isBeforeAnswer && sentMs !== undefined) await report(message, 'sent');
      const steps = {
        sent: isBeforeAnswer ? undefined : sentMs,
        delivered: deliveredMs,
        read: readMs,
      } as const;
      for (const [status, ms] of Object.entries(steps) as [StatusName, number | undefined][]) {
        if (ms !== undefined) outbox.later(ms, () => void report(message, status));
      }
    },
  };
}
