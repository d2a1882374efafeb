import type { Act, InputOf } from '#contract/base/act.ts';
import type { ActHandler, ResultOf } from '#server/infra/acts.ts';

/** Calls acts as a signed-in person of an account without HTTP, with parsed input. */
export function actsOf(handlers: readonly ActHandler[], accountId: string, userId?: string) {
  const call = { caller: { kind: 'person', accountId, userId }, agent: 'test' } as never;
  return async <A extends Act>(act: A, input: InputOf<A>): Promise<ResultOf<A>> => {
    const handler = handlers.find((one) => one.act.name === act.name);
    if (!handler) throw new Error(`nobody handles ${act.name}`);
    return (await handler.handle(call, input as never)) as ResultOf<A>;
  };
}
