import type { Act } from '#contract/base/act.ts';

/** The message of a field whose schema has none. */
const PLAIN = 'Periksa isian ini.';

/** One message per invalid field; empty if the form is valid. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Validates a form by the act's schema, as the server will, so that most mistakes are reported before sending. */
export function fieldErrors(act: Act, input: unknown): FieldErrors {
  const read = act.input.safeParse(input, { error: () => PLAIN });
  if (read.success) return {};
  const fields: Record<string, string> = {};
  for (const { path, message } of read.error.issues) {
    const name = String(path[0] ?? '');
    if (name !== '') fields[name] ??= message;
  }
  return fields;
}
