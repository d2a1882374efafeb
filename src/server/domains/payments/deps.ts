import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import type { GatewayMethod, GatewayStatus } from './gateways/gateway.ts';
import type { Gateways } from './gateways/registry.ts';
import type { PaidOutcome } from './topups/pay.ts';

export type Settled =
  | PaidOutcome
  | 'pending'
  | 'expired'
  | 'cancelled'
  | 'review'
  | 'flagged'
  | 'unchanged';

export type OrderRow = {
  account_id: string;
  topup_id: string;
  provider: string;
  method: GatewayMethod;
  status: TopupStatus;
  simulated: boolean;
  base: number;
  ppn: number;
  provider_ref: string | null;
  created_at: Date;
  expires_at: Date;
};

/** For orders at gateways: of callbacks, polls, refunds and operators. */
export type OrderDeps = {
  allAccountsSql: Sql;
  gateways: Gateways;
  settle: (order: OrderRow, status: GatewayStatus) => Promise<Settled>;
  now: () => Date;
  report: (trouble: unknown) => void;
  onOutcome?: (outcome: { provider: string; outcome: string }) => void;
};

/** For a customer's top-ups. */
export type TopupDeps = OrderDeps & {
  sql: Sql;
  prices: Pick<Prices, 'ppnOf'>;
  config: Pick<
    Config,
    | 'KODE_UNIK'
    | 'BANK_NAME'
    | 'BANK_NUMBER'
    | 'BANK_HOLDER'
    | 'QRIS_MAX'
    | 'TOPUP_MAXIMUM'
    | 'TOPUP_MINIMUM'
  >;
};

type ProofUpload = { accountId: string; userId: string; uploadId: string; purpose: 'proof' };

/** For the customers' procedures. */
export type PaymentsDeps = TopupDeps & {
  prices: Pick<Prices, 'message'>;
  /** Uses a finished upload, once, in the transaction that stores its file. @returns the id of the file. */
  claimUpload: (tx: Tx, wanted: ProofUpload) => Promise<string>;
  /** The file of an upload that was used before. */
  claimedFile: (tx: Tx, wanted: ProofUpload) => Promise<string | undefined>;
  describeFile: (
    tx: Tx,
    file: { accountId: string; fileId: string },
  ) => Promise<{ name: string; mime: string; sha256: Buffer }>;
};
