import { publicId } from '#contract/base/ids.ts';

export const REF_PREFIX = 'cmp_';

/** A recipient's position in the list, and how often their message was taken back. */
export type Try = { place: number; taken_back: number };

export const refsOf = (campaignId: string): string => `${publicId('campaign', campaignId)}:`;

/**
 * The reference of a recipient's message. Each try has its own, under which it is accepted once: `cmp_01J…:17`, and
 * `cmp_01J…:17.1` once it was taken back.
 */
export const refOf = (campaignId: string, { place, taken_back: tries }: Try): string =>
  `${refsOf(campaignId)}${place}${tries === 0 ? '' : `.${tries}`}`;

/** The public id of the campaign in a reference. */
export const campaignOfRef = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** The position of a recipient in a reference. */
export const positionOfRef = (ref: string): number =>
  Number.parseInt(ref.slice(ref.indexOf(':') + 1), 10);
