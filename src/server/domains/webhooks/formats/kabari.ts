import { standardHeaders } from '#server/domains/webhooks/signature.ts';
import type { Format } from './format.ts';

/** Kabari's own: the event as the feed lists it, signed as Standard Webhooks says. */
export const kabari: Format = {
  build: ({ id, at, event, secrets }) => {
    const body = JSON.stringify(event);
    return {
      headers: {
        'content-type': 'application/json',
        ...standardHeaders({ id, at, body, secrets }),
      },
      body,
    };
  },
};
