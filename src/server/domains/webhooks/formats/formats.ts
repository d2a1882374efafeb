import type { WebhookFormat } from '#contract/webhooks/webhook.ts';
import type { Format } from './format.ts';
import { kabari } from './kabari.ts';

/** In whose shape events are sent: one for each `WebhookFormat` that can be had. */
const formats: Partial<Record<WebhookFormat, Format>> = { kabari };

/** The format of a name; undefined where it cannot be had. */
export const formatOf = (name: WebhookFormat): Format | undefined => formats[name];
