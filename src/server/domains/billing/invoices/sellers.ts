import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type SellerDeps = {
  allAccountsSql: Sql;
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
  now: () => Date;
};

/**
 * Writes down who sells, as the settings say it, when that is another than the newest: invoices copy it when
 * they are issued. Nodes that start at once may write the same twice, which changes nothing.
 */
export async function recordSeller({ allAccountsSql, config, log, now }: SellerDeps) {
  if (config.production && config.PPN && config.SELLER_NPWP === undefined) {
    log.warn(
      'PPN is on and SELLER_NPWP is not set: invoices show PPN without the NPWP of the seller',
    );
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
