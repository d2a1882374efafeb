import type { FastifyReply } from 'fastify';

/** Remembers what a repeated key was answered, for a day. */
export type FirstAnswers = (
  call: { tokenId: string; key: string; endpoint: string; input: string },
  work: () => Promise<string>,
) => Promise<string>;

/** A call that may carry a key; `input` is the same for the same request. */
type RememberedCall = { tokenId: string; key: string | undefined; endpoint: string; input: string };

/**
 * The answer of `work` as JSON; for a repeated key the first one again, which the reply's header says.
 *
 * @throws Refusal `idempotency_conflict`, `request_in_flight`, and what `work` throws
 */
export async function remember(
  firstAnswer: FirstAnswers,
  { key, ...asked }: RememberedCall,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<string> {
  let isFirst = false;
  const text = async () => {
    isFirst = true;
    return JSON.stringify(await work());
  };
  if (key === undefined) return text();
  const answer = await firstAnswer({ ...asked, key }, text);
  if (!isFirst) void reply.header('Idempotent-Replayed', 'true');
  return answer;
}
