import { toPairs } from '#contract/base/form.ts';
import { type RunningApp, codeIn, solved } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Ask = RunningApp['ask'];
type Answer = Awaited<ReturnType<Ask>>['body'];

export type Person = {
  at: (node: string) => { ask: Ask };
  signIn: (node: string) => Promise<void>;
};

const PHONE = '6281234567890';
const PASSWORD = 'sepeda biru di garasi';

/** Registers at one node with the code that another one shows, and stays signed in. */
export async function registerPerson(node: string, other: string): Promise<Person> {
  let [cookie, session] = ['', ''];
  const at: Person['at'] = (address) => ({
    ask: async (act, fields) => {
      const body = new URLSearchParams(toPairs({ act, token: session, fcm: '', ...fields }));
      const headers = { 'sec-fetch-site': 'same-origin', cookie };
      const response = await fetch(`${address}/api`, { method: 'POST', body, headers });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      const answer = (await response.json()) as Answer;
      if (answer.code !== 1) throw new Error(`${act} at ${address}: ${JSON.stringify(answer)}`);
      return { status: response.status, body: answer, headers: {} };
    },
  });
  const change = (address: string, act: string, fields: Record<string, unknown>) =>
    at(address).ask(act, { key: crypto.randomUUID(), ...fields });
  const registered = await change(node, 'user_register', {
    name: 'Toko Ani',
    phone: PHONE,
    password: PASSWORD,
    agree: '1',
    captcha: await solved(at(node), 'user_register'),
  });
  const code = await waitFor(async () => (await codeIn(at(other), PHONE)) ?? false);
  const { challenge } = registered.body.data;
  const signed = await change(other, 'user_verify_otp', { challenge, code });
  session = signed.body.data.token;
  return {
    at: (address) => ({
      ask: (act, fields) => at(address).ask(act, { key: crypto.randomUUID(), ...fields }),
    }),
    signIn: async (address) => {
      const captcha = await solved(at(address), 'user_login');
      const login = { token: '', phone: PHONE, password: PASSWORD, captcha };
      session = (await change(address, 'user_login', login)).body.data.token;
    },
  };
}
