import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Act, InputFor, OutputOf } from '#contract/act.ts';
import {
  type Challenge,
  type SignedIn,
  captchaChallenge,
  registerUser,
  verifyOtp,
} from '#contract/accounts.ts';
import { type AccountsDeps, accountsActs } from '#server/domains/accounts/accounts.ts';
import { openAltcha, openSessions } from '#server/domains/accounts/accounts.ts';
import type { Call, Nobody, Person } from '#server/platform/act.ts';
import { readConfig } from '#server/platform/config.ts';
import { readSecrets } from '#server/platform/secrets.ts';
import type { TestDatabase } from '#tests/database.ts';

type Sent = { phone: string; text: string; shown: string };
type Asker = { caller?: Person | Nobody; ip?: string; agent?: string };
type Guarded = InputFor<typeof captchaChallenge>['for'];

export const GOOD_PASSWORD = 'kuda-besi-di-tepi-sawah';

/**
 * The accounts domain with everything real but the phone network: what would be sent is in `sent`.
 * `perform` does what the portal's door does with an act: reads the input, checks the answer.
 */
export async function accountsHouse(db: TestDatabase, changes: Partial<AccountsDeps> = {}) {
  const secrets = await readSecrets(db.house);
  const sent: Sent[] = [];
  const deps: AccountsDeps = {
    sql: db.tenant,
    house: db.house,
    config: readConfig({}),
    log: { warn: () => undefined },
    secrets,
    sessions: openSessions(db.house),
    captcha: openAltcha(db.house, secrets, { rounds: 10, from: 1, to: 20 }),
    sendOtp: async (phone, text, shown) => void sent.push({ phone, text, shown }),
    onAccountOpened: async (tx, accountId) => void (await tx`select open_wallet(${accountId})`),
    build: 'test',
    ...changes,
  };
  const kept = new Map(accountsActs(deps).map((one) => [one.act.name, one]));

  async function perform<A extends Act>(
    act: A,
    input: InputFor<A>,
    { caller = { kind: 'nobody' }, ip = '203.0.113.7', agent = 'Firefox' }: Asker = {},
  ): Promise<OutputOf<A>> {
    const keeper = kept.get(act.name);
    if (!keeper) throw new Error(`nobody keeps ${act.name}`);
    const call: Call = {
      caller,
      key: crypto.randomUUID(),
      ip,
      agent,
      requestId: 'test',
      signal: new AbortController().signal,
    };
    const answer = await keeper.handle(call, act.input.parse(input) as never);
    return act.output.parse(answer) as OutputOf<A>;
  }

  const solved = async (act: Guarded, asker: Asker = {}): Promise<string> => {
    const { challenge } = await perform(captchaChallenge, { for: act }, asker);
    const solution = await solveChallenge({ challenge: challenge as never, deriveKey });
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  };

  const register = async (
    phone: string,
    given: { name?: string; password?: string } = {},
    asker: Asker = {},
  ): Promise<Challenge> =>
    perform(
      registerUser,
      {
        name: 'Toko Ani',
        password: GOOD_PASSWORD,
        ...given,
        phone,
        agree: '1',
        captcha: await solved('user_register', asker),
      },
      asker,
    );

  /** The code that was sent last to a phone. */
  const codeFor = (phone: string): string => {
    const last = sent.findLast((one) => one.phone === phone);
    return /\d{6}/.exec(last?.text ?? '')?.[0] ?? '';
  };

  const customer = async (phone: string, asker: Asker = {}): Promise<SignedIn> => {
    const { challenge } = await register(phone, {}, asker);
    return perform(verifyOtp, { challenge, code: codeFor(phone) }, asker);
  };

  return { deps, sent, perform, solved, register, codeFor, customer };
}

export type AccountsHouse = Awaited<ReturnType<typeof accountsHouse>>;
