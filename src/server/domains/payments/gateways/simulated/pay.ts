import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { handle } from '#server/infra/acts/act.ts';
import type { SimulatedGateway } from './simulated.ts';

/** Somebody pays at the simulated gateway; where there is none, the act does not exist. */
export const simulatedPaymentHandler = (simulated: SimulatedGateway | undefined) =>
  handle(simulatedPayment, async (_call, { topup_id, outcome }) => {
    if (!simulated) throw new Refusal('act_unknown', {});
    return { done: simulated.happen(publicId('topup', topup_id), outcome) };
  });
