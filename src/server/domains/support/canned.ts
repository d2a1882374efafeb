import { type QuickReply, REPLY_MAX } from '#contract/messages/sending.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';

export async function listCanned({
  allAccountsSql,
}: Pick<SupportDeps, 'allAccountsSql'>): Promise<QuickReply[]> {
  const found = await allAccountsSql<QuickReply[]>`
    select name, text, updated_at from support_canned order by name`;
  return [...found];
}

/** Saves a ready answer or replaces its text. @throws Refusal `canned_too_many`. */
export function saveCanned(
  { allAccountsSql, now }: Pick<SupportDeps, 'allAccountsSql' | 'now'>,
  { operatorId, ...reply }: Omit<QuickReply, 'updated_at'> & { operatorId: string },
): Promise<QuickReply> {
  const { name, text } = reply;
  const at = now();
  return allAccountsSql.begin(async (tx) => {
    // One at a time: two that add the last one would both pass the limit.
    await tx`select pg_advisory_xact_lock(hashtextextended('support_canned', 0))`;
    await tx`
      insert into support_canned (name, text, updated_by, updated_at)
      values (${name}, ${text}, ${operatorId}, ${at})
      on conflict (name) do update set text = excluded.text, updated_by = excluded.updated_by,
        updated_at = excluded.updated_at`;
    const [counted] = await tx<{ replies: number }[]>`
      select count(*) as replies from support_canned`;
    if ((counted?.replies ?? 0) > REPLY_MAX.all) throw new Refusal('canned_too_many', {});
    return { ...reply, updated_at: at };
  });
}

/** @throws Refusal `not_found`. */
export async function deleteCanned(
  { allAccountsSql }: Pick<SupportDeps, 'allAccountsSql'>,
  name: string,
): Promise<void> {
  const { count } = await allAccountsSql`delete from support_canned where name = ${name}`;
  if (count === 0) throw new Refusal('not_found', { what: 'Jawaban' });
}
