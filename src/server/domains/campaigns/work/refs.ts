import { publicId } from '#contract/base/ids.ts';

/** How the references of messages of campaigns begin. */
export const REF_PREFIX = 'cmp_';

/** A recipient's place in the list of their campaign, and how often their message was taken back. */
export type Try = { place: number; taken_back: number };

/** With what the references of a campaign's messages begin. */
export const refsOf = (campaignId: string): string => `${publicId('campaign', campaignId)}:`;

/**
 * The reference under which a recipient's message is placed: each try has one, and it is placed under it once,
 * whoever asks how often. `cmp_01J…:17`, and `cmp_01J…:17.1` once it was taken back.
 */
export const refOf = (campaignId: string, { place, taken_back: tries }: Try): string =>
  `${refsOf(campaignId)}${place}${tries === 0 ? '' : `.${tries}`}`;

/** The public id of the campaign that a reference is of. */
export const campaignOfRef = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** The place of a recipient in a reference of a campaign. */
export const placeOfRef = (ref: string): number =>
  Number.parseInt(ref.slice(ref.indexOf(':') + 1), 10);
