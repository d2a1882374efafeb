import * as books from '#contract/operator/money/books.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { lastSeal, sealsPage, storeCheck, verifySeals } from '#server/domains/ledger/ledger.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { overviewOf } from './books/overview.ts';
import { reconcile } from './books/reconcile.ts';
import type { DeskDeps } from './deps.ts';
import { changePlan, changePpn, changePrice, deskPlans, priceTables } from './prices.ts';

/** The overview, the books, prices and plans. */
export const booksActs = (deps: DeskDeps): readonly ActHandler[] => [
  handle(books.moneyOverview, ({ caller }) => overviewOf(deps, caller.userId)),
  handle(books.listSeals, (_, input) => sealsPage(deps.allAccountsSql, input)),
  handle(books.verifySeal, () => newestSeal(deps)),
  handle(books.runCheck, () => storeCheck(deps)),
  handle(books.runReconciliation, () => reconcile(deps)),
  handle(books.getPrices, () => priceTables(deps)),
  handle(books.setPrice, ({ caller }, input) => changePrice(deps, caller.userId, input)),
  handle(books.setPpn, ({ caller }, input) => changePpn(deps, caller.userId, input)),
  handle(books.listDeskPlans, async () => ({ plans: await deskPlans(deps) })),
  handle(books.savePlan, ({ caller }, input) => changePlan(deps, caller.userId, input)),
];

/**
 * Hashes the rows of the newest seal again.
 *
 * @throws Refusal `nothing_sealed`.
 */
async function newestSeal({ allAccountsSql }: DeskDeps) {
  const seal = await lastSeal(allAccountsSql);
  if (!seal) throw new Refusal('nothing_sealed', {});
  const { difference } = await verifySeals(allAccountsSql, { newestOnly: true });
  return { ok: difference === undefined, day: seal.day, why: difference?.why ?? null };
}
