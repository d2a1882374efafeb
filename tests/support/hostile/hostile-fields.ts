import { type IdKind, publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';

/** The fields of a call, as a browser sends them. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** An id of nobody's. */
export const anId = (kind: IdKind) => publicId(kind, newId());

/** What every list takes. */
export const LIST: Fields = { page: '0', start: '0', sort_type: 'desc' };

/** Why an operator does something. */
export const REASON = 'Diminta pelanggan';
