import {
  eventTypeLabel,
  type EventType,
  formatEvents,
  webhookFormats,
  type WebhookFormat,
} from '#contract/webhooks.ts';

export const formatIn = (value: string): WebhookFormat =>
  webhookFormats.find((one) => one === value) ?? 'kabari';

export const selectedIn = (format: WebhookFormat, kinds: readonly string[]): readonly EventType[] =>
  formatEvents[format].filter((one) => kinds.includes(one));

/** Omits a complete selection, so that events of later versions are included. */
export function kindsIn(format: WebhookFormat, kinds: readonly string[]): { kinds?: EventType[] } {
  const selected = selectedIn(format, kinds);
  return selected.length === formatEvents[format].length ? {} : { kinds: [...selected] };
}

/** The selection after a format's events change to `next`; other formats' stay selected. */
export const withSelection = (
  format: WebhookFormat,
  kinds: readonly string[],
  next: readonly string[],
): readonly string[] => [
  ...kinds.filter((one) => !formatEvents[format].some((offered) => offered === one)),
  ...next,
];

export const offeredIn = (format: WebhookFormat) =>
  formatEvents[format].map((value) => ({ value, label: eventTypeLabel[value] }));
