/**
 * The words of a reply that says no (docs/screens.md#calls): those of its `result.msg`, else those of its
 * `msg`; `undefined` where neither says anything. Blanks and what is no text say nothing.
 */
export function replyMessage(reply: unknown): string | undefined {
  return [messageIn(fieldOf(reply, 'result')), messageIn(reply)].find((said) => said !== undefined);
}

function messageIn(part: unknown): string | undefined {
  const message = fieldOf(part, 'msg');
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
