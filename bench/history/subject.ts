import { randomBytes } from 'node:crypto';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { type FilledAccount, fillMessages } from './fill.ts';

/** Enough people that none of them reaches the rate limit per person. */
const PEOPLE = 40;

export type Subject = FilledAccount & { peer: string; sessions: readonly string[] };

export async function fillSubjects(
  owner: Sql,
  options: { sizes: readonly number[]; days: number; end: Date },
): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const filled of await fillMessages(owner, options)) {
    const { accountId } = filled;
    const [some] = await owner<{ peer: string }[]>`
      select peer from conversations where account_id = ${accountId} and peer like '62812%'
      order by last_at desc limit 1`;
    subjects.push({ ...filled, peer: some?.peer ?? '', sessions: await signIn(owner, accountId) });
  }
  return subjects;
}

async function signIn(owner: Sql, accountId: string): Promise<string[]> {
  const tokens = Array.from(
    { length: PEOPLE },
    () => `kbs_${randomBytes(32).toString('base64url')}`,
  );
  for (const token of tokens) {
    const userId = newId();
    await owner`
      insert into users (account_id, user_id, name, phone, password_hash, role)
      values (${accountId}, ${userId}, 'Ani', '6281200000001', '-', 'customer')`;
    await owner`
      insert into sessions (token_hash, session_id, account_id, user_id, agent, ip)
      values (${sha256(token)}, ${newId()}, ${accountId}, ${userId}, 'bench', '127.0.0.1')`;
  }
  return tokens;
}
