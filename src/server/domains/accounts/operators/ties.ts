import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** The origin of an operator's rights; `vouched`: declared independent from the installation's terminal. */
type TieKind = 'invited' | 'roles' | 'factor_reset' | 'vouched';

export type Tie = { operatorId: string; by: string | null; kind: TieKind; at: Date };

/** Writes down that one operator depends on another. */
export async function recordTie(
  tx: Sql | Tx,
  { operatorId, by, kind }: Pick<Tie, 'operatorId' | 'by' | 'kind'>,
): Promise<void> {
  await tx`
    insert into operator_ties (tie_id, operator_id, by_operator, kind)
    values (${newId()}, ${operatorId}, ${by}, ${kind})`;
}

/** Ties between operators: those tied to each other count as one. */
export type OperatorTies = {
  /** Operators who are no second person beside this one, this one included: no age ends an invitation. */
  related: readonly string[];
  /** Operators whose sums count with this one's, this one included: tied within seven days. */
  together: readonly string[];
  /** Invited, given a role of money, or without their second factor within seven days: decides on nothing of others. */
  isNew: boolean;
};

const NEW_MS = 7 * 86_400_000;

/** The ties of an operator, by the database's clock: the clock of money may be moved. */
export async function tiesOf(sql: Sql | Tx, operatorId: string): Promise<OperatorTies> {
  const found = await sql<(Tie & { now: Date })[]>`
    select operator_id as "operatorId", by_operator as by, kind, at, clock_timestamp() as now
    from operator_ties order by at, tie_id`;
  return readTies(found, operatorId, found[0]?.now ?? new Date());
}

/** Pure: what ties, the oldest first, say of one operator. */
export function readTies(all: readonly Tie[], operatorId: string, now: Date): OperatorTies {
  const valid = all.filter(
    (tie, place) =>
      tie.kind !== 'vouched' &&
      !all.some(
        (later, at) =>
          at > place && later.kind === 'vouched' && later.operatorId === tie.operatorId,
      ),
  );
  const isRecent = ({ at }: Tie) => now.getTime() - at.getTime() < NEW_MS;
  const recent = valid.filter(isRecent);
  return {
    related: relatives(
      valid.filter(({ kind }) => kind !== 'factor_reset'),
      operatorId,
    ),
    together: relatives(recent, operatorId),
    isNew: recent.some((tie) => tie.operatorId === operatorId),
  };
}

/** Everybody who shares an origin: whom one made, who made them, and whom the same operator made. */
function relatives(ties: readonly Tie[], operatorId: string): string[] {
  const own = origins(ties, operatorId);
  const others = new Set(ties.flatMap((tie) => [tie.operatorId, tie.by ?? []]).flat());
  others.delete(operatorId);
  const related = [...others].filter((other) => !own.isDisjointFrom(origins(ties, other)));
  return [operatorId, ...related];
}

/** An operator and the operators their rights come from. */
function origins(ties: readonly Tie[], operatorId: string): Set<string> {
  const found = new Set([operatorId]);
  for (const one of found) {
    for (const { operatorId: made, by } of ties) if (made === one && by !== null) found.add(by);
  }
  return found;
}

/** Whether an operator is a second person for what another proposed. */
export const isSecondFor = ({ related, isNew }: OperatorTies, proposerId: string): boolean =>
  !isNew && !related.includes(proposerId);
