import { type OtherKind, otherKinds } from '#contract/messages/captions.ts';
import type { Inbound, MessageBody } from './channels.ts';

export const otherContent = (
  kind: OtherKind,
  details?: string | null,
): Pick<Inbound, 'type' | 'body'> => ({
  type: 'other',
  body: { kind, text: details ? `${otherKinds[kind]}: ${details}` : otherKinds[kind] },
});

/** A location as its sender gave it; an `other` line if its coordinates are not on a map. */
export function locationContent(place: MessageBody): Pick<Inbound, 'type' | 'body'> {
  const { latitude, longitude, name } = place;
  return isWithin(latitude, 90) && isWithin(longitude, 180)
    ? { type: 'location', body: place }
    : otherContent('unsupported', typeof name === 'string' ? name : undefined);
}

const isWithin = (degrees: unknown, most: number): boolean =>
  typeof degrees === 'number' && Math.abs(degrees) <= most;
