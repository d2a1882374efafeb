/**
 * The message of a reply with `code` 0 (docs/screens.md#calls): its `result.msg`, else its `msg`, else its
 * `response`; `undefined` where none of them has text. Only a string with something besides blanks counts.
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
