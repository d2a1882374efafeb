import { type IdKind, publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';

export type Fields = Readonly<Record<string, string | readonly string[]>>;

export const anId = (kind: IdKind) => publicId(kind, newId());

export const LIST: Fields = { page: '0', start: '0', sort_type: 'desc' };

export const REASON = 'Diminta pelanggan';
