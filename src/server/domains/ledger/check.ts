import { SNAPSHOT } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import {
  deskInvariants,
  type Invariant,
  invoiceInvariants,
  correctionInvariants,
  messageInvariants,
  paymentInvariants,
  planInvariants,
  walletInvariants,
} from './invariants.ts';

/** One invariant of docs/money.md#invariants, as it was found. */
export type Finding = {
  invariant: string;
  /** What the invariant says. */
  description: string;
  ok: boolean;
  /** What breaks it: at most 100 rows. */
  offenders: readonly object[];
};

/** Rows shown of what breaks an invariant. */
const OFFENDERS_MAX = 100;

/**
 * Checks the invariants of the money in one snapshot, so that it may run while money moves.
 *
 * @param allAccountsSql a pool that sees every account.
 */
export async function checkLedger(allAccountsSql: Sql): Promise<Finding[]> {
  return allAccountsSql.begin(checkLedgerIn, SNAPSHOT);
}

/** The same in a transaction that was begun as a `SNAPSHOT`. */
export async function checkLedgerIn(tx: Tx): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, description, broken } of invariants) {
    const rows = await broken(tx);
    const offenders = rows.slice(0, OFFENDERS_MAX);
    findings.push({ invariant, description, ok: rows.length === 0, offenders });
  }
  return findings;
}

const numberOf = ({ invariant }: Invariant) => Number(invariant.slice(1)) || Infinity;

const invariants = [
  ...walletInvariants,
  ...messageInvariants,
  ...correctionInvariants,
  ...planInvariants,
  ...paymentInvariants,
  ...invoiceInvariants,
  ...deskInvariants,
].sort((one, other) => numberOf(one) - numberOf(other));
