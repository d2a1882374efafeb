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

/** The selected events that a format sends. */
export const chosenIn = (format: WebhookFormat, kinds: readonly string[]): readonly EventType[] =>
  formatEvents[format].filter((one) => kinds.includes(one));

/** Omits a complete selection, so that events of later versions are included. */
export function kindsIn(format: WebhookFormat, kinds: readonly string[]): { kinds?: EventType[] } {
  const chosen = chosenIn(format, kinds);
  return chosen.length === formatEvents[format].length ? {} : { kinds: [...chosen] };
}

/**
 * The selection after a change of a format's events to `next`: those of other formats stay selected.
 */
export const withChosen = (
  format: WebhookFormat,
  kinds: readonly string[],
  next: readonly string[],
): readonly string[] => [
  ...kinds.filter((one) => !formatEvents[format].some((offered) => offered === one)),
  ...next,
];

/** The events that a format offers, with their labels. */
export const offeredIn = (format: WebhookFormat) =>
  formatEvents[format].map((value) => ({ value, label: eventTypeLabel[value] }));
