import { uuidOf } from '#contract/base/ids.ts';
import { addressRefused } from '#contract/webhooks/refusals.ts';
import { type FactsOf, Refusal } from '#contract/base/refusals.ts';
import type { Language } from '#contract/language/language.ts';
import type { NewWebhook } from '#contract/rest/webhooks.ts';
import type { Delivery, DeliveryDetail, DeliveryState } from '#contract/webhooks/deliveries.ts';
import type { EventType } from '#contract/webhooks/events.ts';
import type { SavedWebhook, Webhook, WebhookTest } from '#contract/webhooks/webhook.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

type DeliveryQuery = {
  before: number | undefined;
  limit: number;
  state?: DeliveryState | undefined;
  type?: EventType | undefined;
  peer?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** What these endpoints need of the webhook of a key's token; deliveries are named by their UUID. */
export type WebhookCalls = {
  read: (sender: ApiSender) => Promise<Webhook | null>;
  save: (sender: ApiSender, webhook: NewWebhook) => Promise<SavedWebhook>;
  remove: (sender: ApiSender) => Promise<void>;
  test: (sender: ApiSender) => Promise<WebhookTest>;
  rotateSecret: (sender: ApiSender) => Promise<{ webhook: Webhook; secret: string }>;
  /** Those below the position `before`, the newest first; `next` is null on the last page. */
  list: (
    sender: ApiSender,
    query: DeliveryQuery,
  ) => Promise<{ rows: Delivery[]; next: number | null }>;
  get: (sender: ApiSender, deliveryId: string) => Promise<DeliveryDetail>;
  replay: (sender: ApiSender, deliveryId: string) => Promise<Delivery>;
  replayPeriod: (
    sender: ApiSender,
    period: { from: Date; to: Date; which: 'parked' | 'all' },
  ) => Promise<{ replayed: number; more: boolean }>;
};

/** Deliveries on a page, unless asked otherwise. */
const PAGE = 50;

/** Answers about the webhook of a token. The portal asks for the password before it is set; here the scope suffices. */
export const webhookHandlers = ({
  read,
  save,
  remove,
  test,
  rotateSecret,
}: WebhookCalls): Handlers<
  'getWebhook' | 'setWebhook' | 'removeWebhook' | 'testWebhook' | 'rotateWebhookSecret'
> => ({
  getWebhook: async ({ sender }) => ({ webhook: await read(sender) }),
  setWebhook: ({ sender, body, reader: { language } }) =>
    save(sender, body).catch((error: unknown) => {
      throw inLanguage(error, language);
    }),
  removeWebhook: async ({ sender, reply }) => {
    await remove(sender);
    return reply.code(204).send();
  },
  testWebhook: ({ sender }) => test(sender),
  rotateWebhookSecret: ({ sender }) => rotateSecret(sender),
});

/** Answers about what was sent to it. */
export const deliveryHandlers = ({
  list,
  get,
  replay,
  replayPeriod,
}: WebhookCalls): Handlers<
  'listDeliveries' | 'getDelivery' | 'replayDelivery' | 'replayDeliveries'
> => ({
  listDeliveries: async ({ sender, query: { cursor: before, limit = PAGE, ...filter } }) => {
    const { rows, next } = await list(sender, { before, limit, ...filter });
    return { data: rows, next_cursor: next };
  },
  getDelivery: async ({ sender, id }) => get(sender, deliveryIn(id)),
  replayDelivery: async ({ sender, id }) => replay(sender, deliveryIn(id)),
  replayDeliveries: ({ sender, body }) => replayPeriod(sender, body),
});

/** @throws Refusal `not_found` */
function deliveryIn(id: string): string {
  const uuid = uuidOf('delivery', id);
  if (uuid === undefined) throw new Refusal('not_found', { what: 'Pengiriman webhook' });
  return uuid;
}

/** What is wrong with a field beyond its shape, for who asked for English. */
const englishOf = (sentence: string): string =>
  Object.values(addressRefused).find(({ id }) => id === sentence)?.en ?? sentence;

function inLanguage(error: unknown, language: Language): unknown {
  if (!(error instanceof Refusal) || error.code !== 'input_invalid' || language !== 'en') {
    return error;
  }
  const { fields } = error.facts as FactsOf<'input_invalid'>;
  const inEnglish = Object.entries(fields).map(([name, sentence]) => [name, englishOf(sentence)]);
  return new Refusal('input_invalid', { fields: Object.fromEntries(inEnglish) });
}
