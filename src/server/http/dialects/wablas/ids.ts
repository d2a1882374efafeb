import { publicId, uuidOf } from '#contract/base/ids.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A message's id as this dialect writes ids: the UUID that it is behind `msg_…`. */
export const dialectId = (id: string): string => uuidOf('message', id) ?? id;

/** An id of the dialect as ours; `msg_…` stays as it is. */
export const messageId = (id: string): string =>
  UUID.test(id) ? publicId('message', id.toLowerCase()) : id;
