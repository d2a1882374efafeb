import { cleanedName } from '#contract/base/names.ts';
import { PHONE_DIGITS_MAX, normalizePhone, visibleText } from '#contract/base/written-number.ts';
import type { Card } from '#contract/messages/sending.ts';
import { CARD_MAX } from '#contract/rest/endpoint.ts';

/** A contact card as stored in `messages.body`; it may have no phone. */
export type ContactBody = {
  name: string;
  phone?: string;
  phones?: string[];
  organization?: string;
  email?: string;
};

/** Cards read per message: many more than an app sends at once. */
export const CARDS_MAX = 257;
const PHONES_MAX = 50;
const EMAIL_MAX = 254;

/** A card in stored form: each text on one line of bounded length, each phone once, as digits. */
export function inboundCard({ name, phones: written, organization, email }: Card): ContactBody {
  const phones = [...new Set(written.slice(0, PHONES_MAX).flatMap(digitsOf))];
  const [phone] = phones;
  const company = cleanedName(organization ?? '', CARD_MAX.organization);
  const address = cleanedName(email ?? '', EMAIL_MAX);
  return {
    name: cleanedName(name, CARD_MAX.name) ?? '',
    ...(phone !== undefined && { phone }),
    ...(phones.length > 1 && { phones }),
    ...(company !== undefined && { organization: company }),
    ...(address !== undefined && { email: address }),
  };
}

/** A written phone up to an extension or a second number: `+62 21 555-1234 ext. 12`, `0812… / 0813…`. */
const ONE_PHONE = /[+(]*\d[^\p{L};,#/]*/u;

function digitsOf({ written, whatsapp }: Card['phones'][number]): string[] {
  const [one = ''] = ONE_PHONE.exec(visibleText(written)) ?? [];
  return [whatsapp ?? '', normalizePhone(one)]
    .map((digits) => digits.replace(/\D/g, ''))
    .filter((digits) => digits !== '' && digits.length <= PHONE_DIGITS_MAX)
    .slice(0, 1);
}

/** The provider's id of a card among several of one message; the first has the message's own. */
export const idOfCard = (messageId: string, index: number): string =>
  index === 0 ? messageId : `${messageId}#${index}`;

/** The network's id of the message that a card came with; other ids unchanged. */
export const networkIdOf = (providerId: string): string => providerId.replace(/#\d+$/, '');
