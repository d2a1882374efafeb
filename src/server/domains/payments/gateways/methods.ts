import type { TopupDeps } from '#server/domains/payments/deps.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import {
  TOPUP_MAX,
  TOPUP_MIN,
  TopupMethod,
  type TopupOffer,
  listTopupMethods,
} from '#contract/saldo.ts';
import { handle } from '#server/infra/acts.ts';
import { isSimulatedBank } from '#server/infra/config.ts';

type LimitsDeps = Pick<TopupDeps, 'prices' | 'config' | 'now'>;

const DAY_MINUTES = 1_440;
const QRIS_MINUTES = 30;

/** Limits of the amount before PPN, and the minutes that an order waits for its payment. */
export function limitsOf(
  deps: LimitsDeps,
  method: TopupMethod,
): { minimum: Rupiah; maximum: Rupiah; minutes: number } {
  const isQris = method === 'qris';
  const most = isQris ? baseWithin(deps, deps.config.QRIS_MAX) : TOPUP_MAX;
  return {
    minimum: rupiah(TOPUP_MIN),
    maximum: rupiah(Math.min(most, TOPUP_MAX)),
    minutes: isQris ? QRIS_MINUTES : DAY_MINUTES,
  };
}

export function offeredLimits(deps: LimitsDeps, method: TopupMethod): ReturnType<typeof limitsOf> {
  const { minimum, maximum, minutes } = limitsOf(deps, method);
  const { TOPUP_MINIMUM, TOPUP_MAXIMUM } = deps.config;
  return {
    minimum: rupiah(Math.max(minimum, TOPUP_MINIMUM)),
    maximum: rupiah(Math.min(maximum, TOPUP_MAXIMUM)),
    minutes,
  };
}

/** The largest base that does not exceed `total` with its PPN. */
function baseWithin({ prices, now }: LimitsDeps, total: number): number {
  const at = now();
  let base = Math.ceil((total * total) / (total + prices.ppnOf(rupiah(total), at))) + 1;
  while (base + prices.ppnOf(rupiah(base), at) > total) base -= 1;
  return base;
}

export const listMethodsHandler = (deps: TopupDeps) =>
  handle(listTopupMethods, async () => ({
    methods: TopupMethod().options.flatMap((method): TopupOffer[] => {
      const simulated =
        method === 'bank'
          ? isSimulatedBank(deps.config.BANK_NUMBER)
          : deps.gateways.forMethod(method)?.simulated;
      return simulated === undefined ? [] : [{ method, simulated, ...offeredLimits(deps, method) }];
    }),
    ppn: deps.prices.ppnOf(rupiah(TOPUP_MIN), deps.now()) > 0,
  }));
