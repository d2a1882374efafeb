import type { OutputOf } from '#contract/base/act.ts';
import type { Invoice } from '#contract/billing/invoices.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { DeskMessage, DeskToken, readCustomerMessage } from '#contract/operator/things.ts';
import type { Topup } from '#contract/saldo.ts';
import { customerOf, maskedPeer } from '#server/domains/accounts/accounts.ts';
import { invoiceOfAccount } from '#server/domains/billing/billing.ts';
import { messageForDesk, textForDesk, waitingOf } from '#server/domains/messages/messages.ts';
import { topupOfAccount } from '#server/domains/payments/payments.ts';
import { tokenOfAccount } from '#server/domains/tokens/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import type { CustomerDeps } from './detail.ts';

type MessageRef = { accountId: string; messageId: string };

/** The installation's own messages hold codes, and are nobody's to read. @throws Refusal `not_found`. */
async function refuseOwn({ allAccountsSql }: CustomerDeps, accountId: string): Promise<void> {
  if (await customerOf(allAccountsSql, accountId)) return;
  throw new Refusal('not_found', { what: 'Pelanggan' });
}

/** A customer's message without what it says, its number without the middle. @throws Refusal `not_found`. */
export async function customerMessage(deps: CustomerDeps, ref: MessageRef): Promise<DeskMessage> {
  await refuseOwn(deps, ref.accountId);
  const message = await messageForDesk(deps.allAccountsSql, ref);
  return { ...message, peer: maskedPeer(message.peer) };
}

/**
 * What a customer's message says. Who asked, and why, is stored before it is answered (docs/threats.md, T48).
 *
 * @throws Refusal `not_found`.
 */
export async function disclosedText(
  deps: CustomerDeps,
  { operatorId, reason, ...ref }: MessageRef & { operatorId: string; reason: string },
): Promise<OutputOf<typeof readCustomerMessage>> {
  await refuseOwn(deps, ref.accountId);
  const said = await textForDesk(deps.allAccountsSql, ref);
  await deps.allAccountsSql`
    insert into message_disclosures (account_id, disclosure_id, message_id, reason, operator_id, at)
    values (${ref.accountId}, ${newId()}, ${ref.messageId}, ${reason}, ${operatorId}, ${deps.now()})`;
  return said;
}

/** A customer's token. @throws Refusal `not_found`. */
export async function customerToken(
  deps: CustomerDeps,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<DeskToken> {
  await refuseOwn(deps, accountId);
  const [token, waiting] = await Promise.all([
    tokenOfAccount(deps.allAccountsSql, accountId, tokenId),
    waitingOf(deps.allAccountsSql, { accountId, tokenId }),
  ]);
  return { ...token, waiting };
}

/** A customer's top-up. @throws Refusal `not_found`. */
export async function customerTopup(
  deps: CustomerDeps,
  ref: { accountId: string; topupId: string },
): Promise<Topup> {
  await refuseOwn(deps, ref.accountId);
  return topupOfAccount(deps.allAccountsSql, { ...ref, now: deps.now() });
}

/** A customer's invoice. @throws Refusal `not_found`. */
export async function customerInvoice(
  deps: CustomerDeps,
  ref: { accountId: string; invoiceId: string },
): Promise<Invoice> {
  await refuseOwn(deps, ref.accountId);
  return invoiceOfAccount(deps.allAccountsSql, ref);
}
