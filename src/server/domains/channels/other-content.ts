import { type OtherKind, otherKinds } from '#contract/messages/captions.ts';
import type { Inbound, MessageBody } from './channels.ts';

/** The content of a message of such a kind: its line, and what is known of it. */
export const otherContent = (
  kind: OtherKind,
  details?: string | null,
): Pick<Inbound, 'type' | 'body'> => ({
  type: 'other',
  body: { kind, text: details ? `${otherKinds[kind]}: ${details}` : otherKinds[kind] },
});

/** A place as its sender says it; a line of its own where that is nowhere on a map. */
export function placeContent(place: MessageBody): Pick<Inbound, 'type' | 'body'> {
  const { latitude, longitude, name } = place;
  return isWithin(latitude, 90) && isWithin(longitude, 180)
    ? { type: 'location', body: place }
    : otherContent('unsupported', typeof name === 'string' ? name : undefined);
}

const isWithin = (degrees: unknown, most: number): boolean =>
  typeof degrees === 'number' && Math.abs(degrees) <= most;
