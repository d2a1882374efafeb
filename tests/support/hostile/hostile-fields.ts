import { type IdKind, publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';

/** A call's fields, as a browser sends them. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** An id without a record. */
export const anId = (kind: IdKind) => publicId(kind, newId());

/** Fields that every list accepts. */
export const LIST: Fields = { page: '0', start: '0', sort_type: 'desc' };

/** An operator's reason for an act. */
export const REASON = 'Diminta pelanggan';
