import { Refusal } from '#contract/base/refusals.ts';
import { TOPUP_PROOFS_MAX, type Topup, proveTopup } from '#contract/saldo.ts';
import { lateNote } from '#server/domains/payments/topups/pay.ts';
import { findTopup, statusAt } from '#server/domains/payments/topups/topup.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

export type ProofDeps = {
  sql: Sql;
  now: () => Date;
  /** Uses a finished upload, once, in the transaction that names its file; gives the file's id. */
  claimUpload: (
    tx: Tx,
    wanted: { accountId: string; userId: string; uploadId: string; purpose: 'proof' },
  ) => Promise<string>;
  /** The file that an upload has become, where it was used before. */
  claimedFile: (
    tx: Tx,
    wanted: { accountId: string; userId: string; uploadId: string; purpose: 'proof' },
  ) => Promise<string | undefined>;
  describeFile: (
    tx: Tx,
    file: { accountId: string; fileId: string },
  ) => Promise<{ name: string; mime: string; sha256: Buffer }>;
};

export const proveTopupHandler = (deps: ProofDeps) =>
  handle(proveTopup, ({ caller: { accountId, userId } }, { topup_id, upload }) =>
    prove(deps, { accountId, userId, topupId: topup_id, uploadId: upload }),
  );

type Slip = { accountId: string; userId: string; topupId: string; uploadId: string };

/**
 * Keeps a slip with its top-up, in any state but paid and rejected: late money is still money. It moves no
 * money; it moves the top-up up in the operators' list, and one that has expired or was cancelled into review. A
 * repeat, with any key, gives the top-up as it is now.
 *
 * @throws Refusal `not_found`, `upload_gone`, `topup_already_paid`, `topup_closed`, `topup_proof_unneeded`,
 *   `topup_proof_limit`.
 */
function prove(deps: ProofDeps, slip: Slip): Promise<Topup> {
  const { accountId, userId, topupId, uploadId } = slip;
  const at = deps.now();
  return asAccount(deps.sql, accountId, async (tx) => {
    const [topup] = await tx<{ status: string; provider: string }[]>`
      select ${statusAt(tx, at)} as status, provider from topups
      where account_id = ${accountId} and topup_id = ${topupId} for no key update`;
    if (!topup) throw new Refusal('not_found', { what: 'Isi saldo' });
    const source = { accountId, userId, uploadId, purpose: 'proof' } as const;
    const used = await deps.claimedFile(tx, source);
    const [proof] = await tx`
      select from topup_proofs
      where account_id = ${accountId} and topup_id = ${topupId} and file_id = ${used ?? null}`;
    if (proof) return findTopup(tx, { accountId, topupId, now: at });
    if (topup.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (topup.status === 'rejected') throw new Refusal('topup_closed', {});
    if (topup.provider !== 'bank') throw new Refusal('topup_proof_unneeded', {});
    const [sent] = await tx<{ count: number }[]>`
      select count(*) as count from topup_proofs
      where account_id = ${accountId} and topup_id = ${topupId}`;
    if ((sent?.count ?? 0) >= TOPUP_PROOFS_MAX) {
      throw new Refusal('topup_proof_limit', { limit: TOPUP_PROOFS_MAX });
    }
    const fileId = await deps.claimUpload(tx, source);
    const { name, mime, sha256 } = await deps.describeFile(tx, { accountId, fileId });
    await tx`
      insert into topup_proofs (account_id, topup_id, file_id, name, mime, sha256, at)
      values (${accountId}, ${topupId}, ${fileId}, ${name}, ${mime}, ${sha256}, ${at})`;
    if (topup.status === 'expired' || topup.status === 'cancelled') {
      await tx`
        update topups set status = 'review', note = ${lateNote(topup.status) ?? null}
        where account_id = ${accountId} and topup_id = ${topupId}`;
    }
    return findTopup(tx, { accountId, topupId, now: at });
  });
}
