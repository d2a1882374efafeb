import { randomUUID } from 'node:crypto';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup } from '#contract/saldo.ts';
import { claimUpload, claimedFile, describeFile } from '#server/domains/media/media.ts';
import { type Prices, openPrices } from '#server/domains/pricing/pricing.ts';
import { type Gateways, noGateways } from '#server/domains/payments/gateways/registry.ts';
import { placeTopup } from '#server/domains/payments/topups/create.ts';
import { openSettle } from '#server/domains/payments/gateways/orders.ts';
import { receiveBankLine } from '#server/domains/payments/payments.ts';
import type { Call, ActHandler } from '#server/infra/acts.ts';
import { newId } from '#server/infra/ids.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';

/** 21 November 2026, 09.00 WIB. */
export const MORNING = new Date('2026-11-21T02:00:00Z');

export function clockAt(start = MORNING) {
  let ms = start.getTime();
  return {
    now: () => new Date(ms),
    pass: (hours: number) => {
      ms += hours * 3_600_000;
    },
  };
}

/** A complete seller, so that invoices with PPN need not wait. */
export async function completeSeller({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner`
    insert into sellers (valid_from, name, address, npwp, adds_ppn)
    values ('2026-01-01', 'PT Kabari Contoh', 'Jl. Braga 10, Bandung', '0123456789012345', true)
    on conflict do nothing`;
}

export type TopupApp = Awaited<ReturnType<typeof topupApp>>;

/** All dependencies of billing. `prices` must be closed; `using` does it. */
export async function topupApp(
  db: TestDatabase,
  {
    ppn = false,
    kodeUnik = 'saldo',
    gateways = noGateways,
    clock = clockAt(),
    fourEyesAbove = 5_000_000,
    fourEyesDayAbove = 25_000_000,
  }: {
    ppn?: boolean;
    kodeUnik?: 'saldo' | 'income';
    gateways?: Gateways;
    clock?: ReturnType<typeof clockAt>;
    fourEyesAbove?: number;
    fourEyesDayAbove?: number;
  } = {},
) {
  const config = {
    PPN: ppn,
    KODE_UNIK: kodeUnik,
    BANK_NAME: 'Bank Simulasi',
    BANK_NUMBER: '8800123456',
    BANK_HOLDER: 'PT Kabari Contoh',
    QRIS_MAX: 10_000_000,
    TOPUP_MINIMUM: 10_000,
    TOPUP_MAXIMUM: 100_000_000,
    FOUR_EYES_ABOVE: fourEyesAbove,
    FOUR_EYES_DAY_ABOVE: fourEyesDayAbove,
  };
  if (ppn) await completeSeller(db);
  const troubles: unknown[] = [];
  const statements = new Map<string, Buffer>();
  const prices: Prices = await openPrices({
    allAccountsSql: db.allAccountsSql,
    config,
    now: clock.now,
  });
  prices.close();
  const told = {
    allAccountsSql: db.allAccountsSql,
    now: clock.now,
    report: (trouble: unknown) => void troubles.push(trouble),
  };
  const deps = {
    ...told,
    sql: db.tenantSql,
    prices,
    config,
    gateways,
    settle: openSettle(told),
    claimUpload,
    claimedFile,
    describeFile,
    fileLink: (_accountId: string, fileId: string) => `/files/${fileId}`,
    uploads: {
      read: async (_owner: unknown, uploadId: string) => {
        const bytes = statements.get(uploadId);
        if (!bytes) throw new Refusal('upload_gone', {});
        return { bytes };
      },
      revert: async (_owner: unknown, uploadId: string) => void statements.delete(uploadId),
    },
  };
  let lines = 0;
  return {
    ...deps,
    deps,
    clock,
    troubles,
    upload: (text: string | Buffer): string => {
      const uploadId = newId();
      statements.set(uploadId, Buffer.from(text as string));
      return publicId('upload', uploadId);
    },
    topup: (accountId: string, base = 50_000, key: string = randomUUID()): Promise<Topup> =>
      placeTopup(deps, { accountId, key, base: rupiah(base) }),
    transfer: (amount: number, { reference = `TRX${(lines += 1)}`, at = clock.now() } = {}) =>
      receiveBankLine(deps, { amount: rupiah(amount), sender: 'ANI S', reference, at }),
  };
}

export function idOf(topup: Pick<Topup, 'id'>): string {
  const uuid = uuidOf('topup', topup.id);
  if (uuid === undefined) throw new Error(`not a top-up's id: ${topup.id}`);
  return uuid;
}

type Asker = { accountId: string; userId?: string; role?: 'customer' | 'operator' };

/** Performs an act as the endpoint would: parses the input and the result by their schemas. */
export async function perform(
  handlers: readonly ActHandler[],
  name: string,
  asker: Asker,
  fields: Record<string, unknown> = {},
): Promise<unknown> {
  const found = handlers.find(({ act }) => act.name === name);
  if (!found) throw new Error(`no handler for ${name}`);
  const call: Call = {
    caller: {
      kind: 'person',
      accountId: asker.accountId,
      userId: asker.userId ?? randomUUID(),
      sessionId: randomUUID(),
      role: asker.role ?? 'customer',
      operatorRoles: asker.role === 'operator' ? ['admin'] : [],
    },
    key: randomUUID(),
    ip: '127.0.0.1',
    agent: 'test',
    device: 'hers',
    requestId: 'req',
  };
  const result = await found.handle(call, found.act.input.parse(fields) as never);
  if (found.act.list === undefined) return found.act.output.parse(result);
  const { rows, total } = result as { rows: unknown[]; total: number };
  return { rows: rows.map((row) => found.act.output.parse(row)), total };
}

export async function saldoOf(
  sql: TestDatabase['allAccountsSql'],
  accountId: string,
): Promise<{ available: Rupiah; topups: number }> {
  const [found] = await sql<{ available: Rupiah; topups: number }[]>`
    select w.available, count(e.seq) as topups
    from wallets w left join wallet_entries e on e.account_id = w.account_id and e.kind = 'topup'
    where w.account_id = ${accountId} group by w.available`;
  if (!found) throw new Error('no wallet');
  return found;
}
