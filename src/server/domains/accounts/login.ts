import { type SignedIn, loginUser } from '#contract/accounts.ts';
import { Refusal } from '#contract/refusals.ts';
import { type Call, type KeptAct, on } from '#server/platform/act.ts';
import type { Sql } from '#server/platform/database.ts';
import { passwordFits } from '#server/platform/passwords.ts';
import { hmac } from '#server/platform/secrets.ts';
import type { AccountsDeps } from './deps.ts';
import { addressMustWait, countWrong, forgetTries, takeTry } from './login-tries.ts';
import { type AccountStatus, userOf } from './people.ts';
import { startSession } from './sessions.ts';

export const loggingIn = (deps: AccountsDeps): KeptAct =>
  on(loginUser, async (call, { phone, password, captcha }) => {
    await deps.captcha.demand('user_login', captcha);
    const signedIn = await login(deps, { phone, password }, call);
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    return signedIn;
  });

/**
 * Signs a person in. A number that nobody has costs the same time and gets the same answer as a
 * wrong password.
 *
 * Five tries in a quarter of an hour are free; then each is followed by a wait that doubles up to
 * five minutes. Tries from an address where the person signed in before are counted apart, so that
 * strangers cannot keep them out.
 *
 * @throws Refusal `credentials_wrong`, `account_suspended` (only after the right password), or
 *   `too_many_requests` with the seconds to wait.
 */
export async function login(
  deps: Pick<AccountsDeps, 'house' | 'secrets'>,
  { phone, password }: { phone: string; password: string },
  { ip, agent }: Pick<Call, 'ip' | 'agent'>,
): Promise<SignedIn> {
  const { house, secrets } = deps;
  const addressWait = await addressMustWait(house, ip);
  if (addressWait > 0) throw new Refusal('too_many_requests', { seconds: addressWait });

  const person = await findByPhone(house, phone, ip);
  const place = person?.was_here ? ip : '';
  const subject = hmac(secrets.key('pepper'), 'login', phone, place).toString('hex').slice(0, 32);
  const wait = await takeTry(house, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });

  const fits = await passwordFits(password, person?.password_hash);
  if (!person || !fits) {
    await countWrong(house, ip);
    throw new Refusal('credentials_wrong', {});
  }
  await forgetTries(house, subject);
  if (person.status !== 'active') throw new Refusal('account_suspended', {});

  const { account_id: accountId, user_id: userId } = person;
  return house.begin(async (tx) => {
    const token = await startSession(tx, { accountId, userId, ip, agent });
    return { token, user: await userOf(tx, accountId, userId) };
  });
}

type Row = {
  account_id: string;
  user_id: string;
  password_hash: string;
  status: AccountStatus;
  was_here: boolean;
};

async function findByPhone(house: Sql, phone: string, ip: string): Promise<Row | undefined> {
  const [row] = await house<Row[]>`
    select u.account_id, u.user_id, u.password_hash, a.status, exists (
      select 1 from sessions s
      where (s.account_id, s.user_id) = (u.account_id, u.user_id) and s.ip = ${ip}
        and s.created_at > clock_timestamp() - interval '30 days'
    ) as was_here
    from user_phones p
    join users u on (u.account_id, u.user_id) = (p.account_id, p.user_id)
    join accounts a on a.account_id = u.account_id
    where p.phone = ${phone} and a.status <> 'closed'`;
  return row;
}
