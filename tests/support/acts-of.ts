import type { Act, InputOf, OutputOf } from '#contract/base/act.ts';
import type { ActHandler } from '#server/infra/acts.ts';

/** Calls acts as a signed-in person of an account without HTTP, with parsed input. */
export function actsOf(handlers: readonly ActHandler[], accountId: string) {
  const call = { caller: { kind: 'person', accountId } } as never;
  return async <A extends Act>(act: A, input: InputOf<A>): Promise<OutputOf<A>> => {
    const handler = handlers.find((one) => one.act.name === act.name);
    if (!handler) throw new Error(`nobody handles ${act.name}`);
    return (await handler.handle(call, input as never)) as OutputOf<A>;
  };
}
