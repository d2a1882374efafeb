import type * as z from 'zod/mini';

type Issue = z.core.$ZodRawIssue;

/**
 * zod's own complaints in Indonesian, for fields whose schema says nothing of its own.
 *
 * Given to `safeParse` as its error map; a schema's own sentence goes first.
 */
export function inIndonesian(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Wajib diisi.' : wrongType(issue.expected);
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    case 'invalid_value':
      return issue.input === undefined ? 'Wajib diisi.' : 'Pilihan ini tidak dikenal.';
    case 'invalid_format':
      return 'Format isian ini tidak dikenali.';
    case 'unrecognized_keys':
      return 'Isian ini tidak dikenal.';
    default:
      return 'Isian ini tidak dapat dipakai.';
  }
}

const wrongType = (expected: string): string =>
  ['number', 'int', 'bigint', 'nan'].includes(expected)
    ? 'Tulis angka.'
    : expected === 'array'
      ? 'Isi berupa daftar.'
      : 'Isian ini tidak dapat dipakai.';

const figure = new Intl.NumberFormat('id-ID');

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'string')
    return minimum <= 1 ? 'Wajib diisi.' : `Paling sedikit ${figure.format(minimum)} karakter.`;
  if (origin === 'array') return `Pilih paling sedikit ${figure.format(minimum)}.`;
  return `Paling kecil ${figure.format(minimum)}.`;
}

function tooBig(origin: string, maximum: number): string {
  if (origin === 'string') return `Paling panjang ${figure.format(maximum)} karakter.`;
  if (origin === 'array') return `Paling banyak ${figure.format(maximum)}.`;
  return `Paling besar ${figure.format(maximum)}.`;
}

const NAMED_MAX = 20;

/** One sentence per field, from the issues of a strict schema; unknown fields are named too. */
export function fieldsOf(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (const issue of issues) {
    const names =
      issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.map(String).join('.') || 'act'];
    for (const name of names) {
      if (fields.size < NAMED_MAX && !fields.has(name)) fields.set(name, issue.message);
    }
  }
  return Object.fromEntries(fields);
}
