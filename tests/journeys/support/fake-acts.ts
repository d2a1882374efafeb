import type { Page } from 'playwright-core';
import type { Act, OutputOf } from '#contract/base/act.ts';

type Fields = Readonly<Record<string, string>>;

/** The only page of a list. */
export type FakeList = { list: readonly object[] };

export type FakeRefusal = { refused: string; message: string; facts?: Record<string, unknown> };

/** The data, list or refusal that an act returns in place of the server. */
export type FakeActs = Readonly<Record<string, (fields: Fields) => object | null>>;

type Answer<A extends Act> =
  | FakeRefusal
  | (A['list'] extends 'default'
      ? { list: readonly OutputOf<A>[] }
      : A['list'] extends 'manual'
        ? readonly OutputOf<A>[]
        : OutputOf<A>);

/** Fakes one act with answers that its contract allows. */
export const fakeAct = <A extends Act>(
  { name }: A,
  answer: (fields: Fields) => Answer<A>,
): FakeActs => ({ [name]: answer as (fields: Fields) => object | null });

const isList = (answer: object): answer is FakeList => 'list' in answer;

const isRefusal = (answer: object): answer is FakeRefusal => 'refused' in answer;

/** An answer to a request in place of the server's. */
export type FakeAnswer = { status?: number; type?: string; json?: object; text?: string };

/** `real` asks the server. */
type Answering = (
  fields: Fields,
  real: () => Promise<{ data?: object; result?: object }>,
) => Promise<FakeAnswer | undefined> | FakeAnswer | undefined;

const answering = new WeakMap<Page, Answering[]>();

/**
 * Answers requests of the app within the page; one without an answer reaches an earlier fake, then the server. Routes
 * of Playwright also stop each script and style on its way, and turn the cache off.
 */
export async function fakeRequests(tab: Page, answer: Answering): Promise<void> {
  const earlier = answering.get(tab);
  if (earlier) {
    earlier.unshift(answer);
    return;
  }
  const all = [answer];
  answering.set(tab, all);
  await tab.exposeBinding('answerInstead', async (_, url: string, given: [string, string][]) => {
    const form = Object.fromEntries(given);
    const real = async () => (await tab.request.post(url, { form })).json();
    for (const one of all) {
      const found = await one(form, real);
      if (found) return found;
    }
    return undefined;
  });
  await tab.addInitScript(installFakes);
  await tab.evaluate(installFakes);
}

/** Answers an act as the server does, with some fields changed. */
export const fakeChanges = (tab: Page, { name }: Act, changes: () => object): Promise<void> =>
  fakeRequests(tab, async ({ act }, real) => {
    if (act !== name) return undefined;
    const answer = await real();
    return { json: { ...answer, data: { ...answer.data, ...changes() } } };
  });

/** From here on the server answers everything. */
export const endFakes = (tab: Page): void => void answering.get(tab)?.splice(0);

/** Runs in the page. */
function installFakes(): void {
  const page = globalThis as typeof globalThis & {
    location: { href: string };
    answerInstead: (url: string, given: [string, unknown][]) => Promise<FakeAnswer | undefined>;
  };
  const real = fetch;
  page.fetch = async (input, init) => {
    const { body, signal } = init ?? {};
    const isForm = body instanceof URLSearchParams || body instanceof FormData;
    if (!isForm || !body.has('act')) return real(input, init);
    const given = [...body.entries()].filter(([, value]) => typeof value === 'string');
    const url = new URL(input instanceof Request ? input.url : input, page.location.href).href;
    const aborted = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    signal?.throwIfAborted();
    const found = await Promise.race([page.answerInstead(url, given), aborted.promise]);
    if (!found) return real(input, init);
    const { status = 200, type = 'application/json', json, text = JSON.stringify(json) } = found;
    return new Response(text, { status, headers: { 'content-type': type } });
  };
}

/** Answers some acts in place of the server; all others reach it, or an earlier fake. @returns the requests. */
export async function fakeActs(tab: Page, acts: FakeActs): Promise<Fields[]> {
  const requests: Fields[] = [];
  await fakeRequests(tab, (fields) => {
    const answer = acts[fields['act'] ?? '']?.(fields);
    if (answer === undefined) return undefined;
    requests.push(fields);
    if (answer === null) return { json: { code: 1, msg: '', data: null } };
    if (isList(answer)) {
      return { json: { code: 1, msg: '', result: { data: answer.list, total_page: 1 } } };
    }
    if (!isRefusal(answer)) return { json: { code: 1, msg: '', data: answer } };
    const { refused, message, facts = {} } = answer;
    const error = { type: refused, message, facts };
    return { status: 422, json: { code: 0, msg: message, error } };
  });
  return requests;
}
