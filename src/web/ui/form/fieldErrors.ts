import type { Act } from '#contract/base/act.ts';

/** What is said of a field whose schema says nothing of its own. */
const PLAIN = 'Periksa isian ini.';

/** One sentence per field that the act would refuse; empty when all is well. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * Reads a form as the server will, by the act's own schema, so that most mistakes are reported before
 * anything is sent.
 */
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
