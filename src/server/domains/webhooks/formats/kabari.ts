import type { Format } from './format.ts';
import { jsonRequest } from './request.ts';

/** Kabari's own: the event as the feed lists it, signed as Standard Webhooks says. */
export const kabari: Format = {
  build: (outgoing) => jsonRequest(JSON.stringify(outgoing.event), outgoing),
};
