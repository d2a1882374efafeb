import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { CivilDay } from '#contract/base/days.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { ShownPeer, TypedPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { EventType } from './events.ts';

/**
 * waiting: for its turn or its next try; delivered: answered with 2xx; parked: given up after the last try,
 * until it is sent anew; skipped: nothing was sent, its message was erased or the format has no word for the event.
 */
export const DeliveryState = schema(() => z.enum(['waiting', 'delivered', 'parked', 'skipped']));
export type DeliveryState = Output<typeof DeliveryState>;

/** The state in the interface's words. */
export const deliveryStateLabel: Record<DeliveryState, string> = {
  waiting: 'Menunggu',
  delivered: 'Terkirim',
  parked: 'Dihentikan',
  skipped: 'Dilewati',
};

/** Why a try had no usable answer; null where there was a status. `ours`: nothing was sent, for a fault of Kabari's. */
export const AttemptError = schema(() => z.enum(['refused', 'late', 'unreachable', 'ours']));
export type AttemptError = Output<typeof AttemptError>;

/** One event on its way to a webhook. */
export const Delivery = schema(() =>
  z.object({
    /** The header `webhook-id`: the same for every try. */
    id: Id('delivery'),
    /** The event's position in the account. */
    seq: z.int(),
    type: EventType(),
    /** When the event happened. */
    created_at: z.coerce.date(),
    state: DeliveryState(),
    tries: z.int(),
    /** When it is tried next; null when it is not, or while it waits for one before it. */
    next_at: z.nullable(z.coerce.date()),
    /** What was answered last; null without an answer. */
    last_status: z.nullable(z.int()),
    last_error: z.nullable(AttemptError()),
    ended_at: z.nullable(z.coerce.date()),
    /** Whom the event is about: the number at the other end; null where it is about nobody, or was erased. */
    peer: z.nullable(ShownPeer()),
    /** The message whose event it is. */
    message_id: z.nullable(Id('message')),
  }),
);
export type Delivery = Output<typeof Delivery>;

/** One try: what was sent, what was answered, and how long it took. */
export const DeliveryAttempt = schema(() =>
  z.object({
    n: z.int(),
    at: z.coerce.date(),
    ms: z.int(),
    status: z.nullable(z.int()),
    error: z.nullable(AttemptError()),
    /** As they were sent, the signature too. */
    headers: z.record(z.string(), z.string()),
    /** The first 200 printable characters of the answer. */
    answer: z.string(),
  }),
);
export type DeliveryAttempt = Output<typeof DeliveryAttempt>;

export const DeliveryDetail = schema(() =>
  z.extend(Delivery(), {
    /** What is sent, as it would be now: links of files are signed anew. Null when there is nothing left to send. */
    body: z.nullable(z.string()),
    /** The latest 50, the newest first. */
    attempts: z.array(DeliveryAttempt()),
  }),
);
export type DeliveryDetail = Output<typeof DeliveryDetail>;

const ofToken = () => ({ token_id: IdInput('token') });

/** The newest first; `start` counts from the newest. The days are in WIB, and inclusive. */
export const listDeliveries = act({
  name: 'webhook_delivery_list',
  by: 'customer',
  list: 'manual',
  input: () => ({
    ...paging(['seq']),
    ...ofToken(),
    state: z.optional(DeliveryState()),
    type: z.optional(EventType()),
    peer: z.optional(TypedPeer()),
    from: z.optional(CivilDay()),
    to: z.optional(CivilDay()),
  }),
  output: Delivery,
});

export const getDelivery = act({
  name: 'webhook_delivery_get',
  by: 'customer',
  input: () => ({ ...ofToken(), delivery_id: IdInput('delivery') }),
  output: DeliveryDetail,
});

/** Sends one anew, whatever became of it, after what waits before it in its conversation. */
export const replayDelivery = act({
  name: 'webhook_delivery_replay',
  by: 'customer',
  changes: true,
  input: () => ({ ...ofToken(), delivery_id: IdInput('delivery') }),
  output: Delivery,
  refuses: ['webhook_off'],
});

/** Which of a period: those that were given up, or all, also those that arrived. */
export const ReplayWhich = schema(() => z.enum(['parked', 'all']));

/** So many are sent anew by one call, at most. */
export const REPLAY_MAX = 50_000;

/** Sends those of a period anew, in their order; `more`: not all of them yet. The days are in WIB, and inclusive. */
export const replayDeliveries = act({
  name: 'webhook_deliveries_replay',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...ofToken(), from: CivilDay(), to: CivilDay(), which: ReplayWhich() }),
  output: () => z.object({ replayed: z.int(), more: z.boolean() }),
  refuses: ['webhook_off'],
});
