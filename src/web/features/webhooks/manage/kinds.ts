import {
  eventTypeLabel,
  type EventType,
  formatEvents,
  webhookFormats,
  type WebhookFormat,
} from '#contract/webhooks.ts';

/** The format that a form names. */
export const formatIn = (value: string): WebhookFormat =>
  webhookFormats.find((one) => one === value) ?? 'kabari';

/** The events that a format sends, of those that were chosen. */
export const chosenIn = (format: WebhookFormat, kinds: readonly string[]): readonly EventType[] =>
  formatEvents[format].filter((one) => kinds.includes(one));

/** All that a format sends is said by leaving them out: events of later versions come too then. */
export function kindsIn(format: WebhookFormat, kinds: readonly string[]): { kinds?: EventType[] } {
  const chosen = chosenIn(format, kinds);
  return chosen.length === formatEvents[format].length ? {} : { kinds: [...chosen] };
}

/** What is chosen once the events that a format offers are `next`: those of other formats stay chosen. */
export const withChosen = (
  format: WebhookFormat,
  kinds: readonly string[],
  next: readonly string[],
): readonly string[] => [
  ...kinds.filter((one) => !formatEvents[format].some((offered) => offered === one)),
  ...next,
];

/** The events that a format offers, in words. */
export const offeredIn = (format: WebhookFormat) =>
  formatEvents[format].map((value) => ({ value, label: eventTypeLabel[value] }));
