import { gatewaySettings } from './gateways.ts';
import { oneOf, switched, text, whole } from './readers.ts';
import { sellerSettings } from './seller.ts';
import { optional, setting } from './setting.ts';

/** The settings that have to do with money. */
export const moneySettings = {
  WELCOME_BONUS: setting(
    'Saldo a new account begins with, in whole rupiah; a number that had an account before gets none.',
    whole(0, 10_000_000),
    '10000',
  ),
  WELCOME_BONUS_USE: setting(
    'What that saldo pays for until a first top-up, or until an operator approves: the simulator and the account’s own number (`own`), or everything (`all`).',
    oneOf('own', 'all'),
    'own',
  ),
  CLOCK: setting(
    'Whether the clock of money can be moved forward (`movable`), to see renewals and expiry without waiting; refused in production.',
    oneOf('real', 'movable'),
    'real',
  ),
  PPN: setting('Whether PPN is added to top-ups.', switched, 'off'),
  KODE_UNIK: setting(
    'Where the kode unik of a transfer goes: to the customer (`saldo`) or to us (`income`).',
    oneOf('saldo', 'income'),
    'saldo',
  ),
  FOUR_EYES_ABOVE: setting(
    'Above so many rupiah, corrections, refunds and payouts take two operators, and so does confirming a top-up without a bank line of exactly its amount.',
    whole(0, 1_000_000_000),
    '5000000',
  ),
  BANK_NAME: optional(
    'The bank that top-ups are transferred to. Required in production, with its number and holder; without them a local installation names a simulated bank.',
    text,
  ),
  BANK_NUMBER: optional('The account number that top-ups are transferred to.', text),
  BANK_HOLDER: optional('In whose name that account is.', text),
  ...gatewaySettings,
  ...sellerSettings,
};
