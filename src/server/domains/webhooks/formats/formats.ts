import type { WebhookFormat } from '#contract/webhooks.ts';
import { cloud } from './cloud.ts';
import { fonnte } from './fonnte.ts';
import type { Format } from './format.ts';
import { kabari } from './kabari.ts';
import { wablas } from './wablas.ts';

/** In whose shape events are sent. */
export const formats: Readonly<Record<WebhookFormat, Format>> = { kabari, cloud, fonnte, wablas };
