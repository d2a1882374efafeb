import type { Page } from 'playwright-core';

type Fields = Readonly<Record<string, string>>;

/** The only page of a list. */
export type FakeList = { list: readonly object[] };

export type FakeRefusal = { refused: string; message: string; facts?: Record<string, unknown> };

/** The data, list or refusal that an act returns in place of the server. */
export type FakeActs = Readonly<Record<string, (fields: Fields) => object>>;

const isList = (answer: object): answer is FakeList => 'list' in answer;

const isRefusal = (answer: object): answer is FakeRefusal => 'refused' in answer;

/** Answers some acts in place of the server; all others reach it, or an earlier fake. @returns the requests. */
export async function fakeActs(tab: Page, acts: FakeActs): Promise<Fields[]> {
  const requests: Fields[] = [];
  await tab.route('**/api', async (route) => {
    const fields = Object.fromEntries(new URLSearchParams(route.request().postData() ?? ''));
    const answer = acts[fields['act'] ?? '']?.(fields);
    if (!answer) return route.fallback();
    requests.push(fields);
    if (isList(answer)) {
      const result = { data: answer.list, total_page: 1 };
      return route.fulfill({ json: { code: 1, msg: '', result } });
    }
    if (!isRefusal(answer)) return route.fulfill({ json: { code: 1, msg: '', data: answer } });
    const { refused, message, facts = {} } = answer;
    const error = { type: refused, message, facts };
    return route.fulfill({ status: 422, json: { code: 0, msg: message, error } });
  });
  return requests;
}
