import { PAGE_SIZE } from '#contract/base/act.ts';
import { wibMidnight } from '#contract/base/time.ts';
import * as deliveries from '#contract/webhooks/deliveries.ts';
import * as webhooks from '#contract/webhooks/webhook.ts';
import type { TokenRef, WebhookCalls } from '#server/domains/webhooks/api.ts';
import { type ActHandler, type Call, handle } from '#server/infra/acts/act.ts';

const tokenOf = (
  { caller: { accountId } }: Call<'customer'>,
  { token_id: tokenId }: { token_id: string },
): TokenRef => ({ accountId, tokenId });

const DAY_MS = 86_400_000;

/** The end of a day in WIB. */
const endOf = (day: string): Date => new Date(wibMidnight(day).getTime() + DAY_MS);

/** The portal's acts: each asks what the public API asks too. */
export const webhookActs = (calls: WebhookCalls): readonly ActHandler[] => [
  handle(webhooks.getWebhook, async (call, input) => ({
    webhook: await calls.read(tokenOf(call, input)),
  })),
  handle(webhooks.saveWebhook, (call, { token_id, ...fields }) =>
    calls.save(tokenOf(call, { token_id }), fields),
  ),
  handle(webhooks.switchWebhook, (call, input) =>
    calls.setOn(tokenOf(call, input), input.state === 'on'),
  ),
  handle(webhooks.rotateWebhookSecret, (call, input) => calls.rotateSecret(tokenOf(call, input))),
  handle(webhooks.deleteWebhook, async (call, input) => {
    await calls.remove(tokenOf(call, input));
    return {};
  }),
  handle(webhooks.testWebhook, (call, input) => calls.test(tokenOf(call, input))),
  ...deliveryActs(calls),
];

const deliveryActs = (calls: WebhookCalls): readonly ActHandler[] => [
  handle(deliveries.listDeliveries, async (call, input) => {
    const { state, type, peer, from, to, start: offset = 0 } = input;
    const { rows, next } = await calls.list(tokenOf(call, input), {
      state,
      type,
      peer,
      from: from === undefined ? undefined : wibMidnight(from),
      to: to === undefined ? undefined : endOf(to),
      offset,
      limit: PAGE_SIZE,
    });
    return { rows, total: offset + rows.length + (next === null ? 0 : 1) };
  }),
  handle(deliveries.getDelivery, (call, input) =>
    calls.get(tokenOf(call, input), input.delivery_id),
  ),
  handle(deliveries.replayDelivery, (call, input) =>
    calls.replay(tokenOf(call, input), input.delivery_id),
  ),
  handle(deliveries.replayDeliveries, (call, input) =>
    calls.replayPeriod(tokenOf(call, input), {
      from: wibMidnight(input.from),
      to: endOf(input.to),
      which: input.which,
    }),
  ),
];
