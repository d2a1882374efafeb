import { publicId } from '#contract/base/ids.ts';

export const REF_PREFIX = 'cmp_';

/** A recipient's position in the list, and how often their message was taken back. */
export type Try = { place: number; taken_back: number };

export const refsOf = (campaignId: string): string => `${publicId('campaign', campaignId)}:`;

/** The reference of one try; accepted once. `cmp_01J…:17`, then `cmp_01J…:17.1` once taken back. */
export const refOf = (campaignId: string, { place, taken_back: tries }: Try): string =>
  `${refsOf(campaignId)}${place}${tries === 0 ? '' : `.${tries}`}`;

export const campaignOfRef = (ref: string): string => ref.slice(0, ref.indexOf(':'));

export const positionOfRef = (ref: string): number =>
  Number.parseInt(ref.slice(ref.indexOf(':') + 1), 10);
