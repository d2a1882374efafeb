import * as z from 'zod/mini';
import { passesForOperator } from '#contract/base/operator-names.ts';
import { withoutUnusable } from './schema.ts';

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

const isVisible = (text: string): boolean => visible.test(withoutUnusable(text));

const UNUSABLE = 'Nama berisi karakter yang tidak dapat dipakai.';

type NameRules = {
  min?: number;
  max: number;
  missing?: string;
  tooLong?: string;
  unusable?: string;
};

/** A typed name in one line; it may be empty unless `min` forbids it. */
export const TypedName = ({
  min = 0,
  max,
  missing = 'Tulis namanya.',
  tooLong = `Nama paling panjang ${max} karakter.`,
  unusable: wrong = UNUSABLE,
}: NameRules) =>
  z.string().check(
    z.trim(),
    z.minLength(min, missing),
    z.maxLength(max, { error: tooLong, abort: true }),
    z.refine(
      (name) =>
        withoutUnusable(name) === name && !/[<>]/.test(name) && (name === '' || isVisible(name)),
      wrong,
    ),
  );

/** A name that others identify a user or token by: it must not look like the operator of the installation. */
export const PublicName = (rules: NameRules) =>
  TypedName(rules).check(
    z.refine(
      (name) => !passesForOperator(name),
      'Nama ini dapat dikira milik pengelola. Pakai nama lain.',
    ),
  );

/**
 * A name from a stranger, made safe to show: one line without unusable characters; `undefined` if no character is
 * visible.
 */
export function cleanedName(name: string, max: number): string | undefined {
  const line = withoutUnusable(
    name
      .slice(0, 4 * max)
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]/gu, ' '),
  )
    .replace(/\s+/gu, ' ')
    .trim();
  return isVisible(line) ? line.slice(0, max).toWellFormed().trim() : undefined;
}

const rightToLeft =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A name for use inside a sentence: right-to-left names are wrapped in FSI and PDI so that they do not reorder the
 * words around them. Their unusable characters are dropped; other names are unchanged.
 */
export function isolated(name: string): string {
  const bare = withoutUnusable(name);
  return rightToLeft.test(bare) ? `\u2068${bare}\u2069` : bare;
}
