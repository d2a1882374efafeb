import type { InputOf } from '#contract/base/act.ts';
import type { SimulatedPhone, simulatedScan } from '#contract/simulator.ts';
import { type ConnectDeps, connectLink, scanQr } from '#server/domains/tokens/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import { paced } from './outcomes.ts';
import { type PhoneDeps, readPhone } from './phone.ts';
import { json } from '#server/infra/postgres/sql.ts';

export type ScanDeps = PhoneDeps & {
  connecting: ConnectDeps;
  scanStandIn?: ((text: string, phone: string) => boolean) | undefined;
};

/** A phone takes this long to pair with the network, after its camera has read the QR. */
const PAIRING_MS = 1_500;

/**
 * The phone's camera has read a QR, or its owner typed the pairing code: the link is scanned now and
 * connected a moment later; this survives a crash, because it is stored in the database.
 *
 * @throws Refusal `qr_stale`, `link_gone` or `phone_taken`, as `scanQr` says.
 */
export async function scanFromPhone(
  deps: ScanDeps,
  { phone, text }: InputOf<typeof simulatedScan>,
): Promise<SimulatedPhone> {
  if (deps.scanStandIn?.(text.trim(), phone)) return readPhone(deps, phone);
  const pairingMs = paced(PAIRING_MS, deps.pace);
  const link = await scanQr(deps.connecting, text.trim(), phone, async (tx, scanned) => {
    const facts = { accountId: scanned.accountId, linkId: scanned.linkId };
    await tx`select schedule_pairing(${newId()}, ${phone}, ${json(facts)}, ${pairingMs})`;
  });
  if (pairingMs === 0) await connectLink(deps.connecting, link);
  deps.network.wake(pairingMs);
  return readPhone(deps, phone);
}
