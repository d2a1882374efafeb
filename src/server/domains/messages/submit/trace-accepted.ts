import type { RequestTrace, Step, Tracing } from '#server/infra/observability/tracing/tracing.ts';
import type { Answer, SendRequest } from './send-request.ts';

/** A request that was placed, and the call of somebody that it came with, where traces are recorded. */
export type TracedJob = { request: SendRequest; cause?: RequestTrace | undefined };

type Batch = {
  /** When the batch began, by `performance.now()`. */
  began: number;
  /** The jobs of each wallet, and their answers in the same order, or a promise of them. */
  groups: readonly { jobs: readonly TracedJob[] }[];
  answers: readonly (readonly Answer[] | Promise<readonly Answer[]>)[];
};

/** Begins the traces of what a batch has accepted; of a wallet that takes longer once it has answered. */
export function traceAccepted(tracing: Tracing, { began, groups, answers }: Batch): void {
  const record = (pairs: readonly Pair[]) => {
    const requests = pairs.flatMap(([{ jobs }, answered]) =>
      jobs.map(({ request, cause }, index) => ({
        cause,
        messages: acceptedOf(request, answered[index]),
      })),
    );
    tracing.created({ operation: 'accept', began, requests });
  };
  const answered: Pair[] = [];
  for (const [index, group] of groups.entries()) {
    const answer = answers[index] ?? [];
    if (answer instanceof Promise) {
      answer.then((later) => record([[group, later]])).catch(() => undefined);
    } else answered.push([group, answer]);
  }
  record(answered);
}

type Pair = readonly [{ jobs: readonly TracedJob[] }, readonly Answer[]];

/** The messages of a request that are new now: not those of a repeat, which were placed before. */
function acceptedOf({ accountId, items }: SendRequest, answer: Answer | undefined): Step[] {
  if (answer === undefined || answer instanceof Error || answer.replayed) return [];
  return answer.results.flatMap(({ id, outcome }, index) => {
    const item = items[index];
    if (outcome !== 'accepted' || !item) return [];
    return [{ messageId: id, account: accountId, token: item.tokenId, type: item.type }];
  });
}
