/**
 * The message of a reply with `code` 0 (docs/screens.md#calls): `result.msg`, else `msg`, else `response`; only strings
 * that are not blank count.
 */
export function replyMessage(reply: unknown): string | undefined {
  const candidates = [
    fieldOf(fieldOf(reply, 'result'), 'msg'),
    fieldOf(reply, 'msg'),
    fieldOf(reply, 'response'),
  ];
  return candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
