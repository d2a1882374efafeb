import type { BillingDeps } from '#server/domains/billing/deps.ts';
import type { SellerFact } from '#contract/operator/books.ts';
import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

type Named = Pick<Config, 'SELLER_NPWP' | 'SELLER_ADDRESS'>;

const missingOf = ({ SELLER_NPWP, SELLER_ADDRESS }: Named): SellerFact[] => [
  ...(SELLER_NPWP?.trim() ? [] : (['npwp'] as const)),
  ...(SELLER_ADDRESS?.trim() ? [] : (['address'] as const)),
];

/** Missing facts of the newest seller, and the number of paid top-ups that wait for an invoice with PPN. */
export async function readSellerGaps(
  allAccountsSql: Sql | Tx,
): Promise<{ missing: SellerFact[]; invoices_waiting: number }> {
  const [[newest], [waiting]] = await Promise.all([
    allAccountsSql<{ npwp: string | null; address: string | null; adds_ppn: boolean }[]>`
      select npwp, address, adds_ppn from sellers order by valid_from desc limit 1`,
    allAccountsSql<{ count: number }[]>`
      select count(*) as count from invoices i
      join topups t on t.account_id = i.account_id and t.topup_id = i.invoice_id
      where i.kind = 'topup' and i.status = 'open' and t.status = 'paid'`,
  ]);
  const count = waiting?.count ?? 0;
  const { npwp, address } = newest ?? {};
  const isNeeded = newest?.adds_ppn === true || count > 0;
  return {
    missing: isNeeded
      ? missingOf({ SELLER_NPWP: npwp ?? undefined, SELLER_ADDRESS: address ?? undefined })
      : [],
    invoices_waiting: count,
  };
}

const ISSUED_AT_ONCE = 100;

/** Issues the waiting invoices once the seller is complete, in the order of their payments. */
export async function issueWaitingInvoices({
  allAccountsSql,
  now,
}: Pick<BillingDeps, 'allAccountsSql' | 'now'>): Promise<void> {
  for (;;) {
    const [issued] = await allAccountsSql<{ count: number }[]>`
      select issue_waiting_invoices(${now()}, ${ISSUED_AT_ONCE}) as count`;
    if ((issued?.count ?? 0) < ISSUED_AT_ONCE) return;
  }
}

/**
 * Records the seller from the settings if it differs from the newest one; invoices copy it at issue. Nodes that start
 * at the same time may record it twice, which is harmless.
 */
export async function recordSeller({
  allAccountsSql,
  config,
  log,
  now,
}: Pick<BillingDeps, 'allAccountsSql' | 'now'> & {
  config: Pick<
    Config,
    | 'SELLER_NAME'
    | 'SELLER_ADDRESS'
    | 'SELLER_NPWP'
    | 'SELLER_EMAIL'
    | 'SELLER_PHONE'
    | 'PPN'
    | 'production'
  >;
  log: Pick<Log, 'warn'>;
}) {
  const missing = config.PPN ? missingOf(config) : [];
  if (config.production && missing.length > 0) {
    log.warn('PPN is on and the seller lacks NPWP or address: invoices with PPN wait');
  }
  const { SELLER_NAME, SELLER_ADDRESS, SELLER_NPWP, SELLER_EMAIL, SELLER_PHONE, PPN } = config;
  await allAccountsSql`
    with given as (
      select ${SELLER_NAME}::text as name, ${SELLER_ADDRESS ?? null}::text as address,
        ${SELLER_NPWP ?? null}::text as npwp, ${SELLER_EMAIL ?? null}::text as email,
        ${SELLER_PHONE ?? null}::text as phone, ${PPN}::boolean as adds_ppn
    ), newest as (
      select name, address, npwp, email, phone, adds_ppn, valid_from from sellers
      order by valid_from desc limit 1
    )
    insert into sellers (valid_from, name, address, npwp, email, phone, adds_ppn)
    select greatest(${now()}::timestamptz,
        (select valid_from + interval '1 microsecond' from newest)), given.*
    from given where not exists (
      select from newest where (newest.name, newest.address, newest.npwp, newest.email, newest.phone,
        newest.adds_ppn) is not distinct from (given.name, given.address, given.npwp, given.email,
        given.phone, given.adds_ppn)
    )
    on conflict (valid_from) do nothing`;
}
