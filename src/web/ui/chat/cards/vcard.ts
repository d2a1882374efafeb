import { readCard } from '#contract/messages/sending.ts';
import { contactDigits, shortName } from '#web/ui/chat/chat.ts';

export type Contact = {
  name: string;
  phone: string;
  phones?: readonly string[];
  organization?: string;
  email?: string;
};

const LINE_OCTETS = 75;
const CRLF = '\r\n';
const encoder = new TextEncoder();

/** Escapes a vCard 3.0 value: `\`, `,`, `;` and line ends; drops other control characters. */
export const vcardText = (value: string): string =>
  value
    .replace(/[\\,;]/g, String.raw`\$&`)
    .replace(/\r\n|[\r\n\u2028\u2029]/g, String.raw`\n`)
    .replace(/\p{Cc}/gu, '');

/** Folds a line into pieces of at most 75 octets, never inside a character; each but the first begins with a blank. */
export function foldLine(line: string): string {
  let folded = '';
  let octets = 0;
  for (const letter of line) {
    const more = encoder.encode(letter).length;
    if (octets + more > LINE_OCTETS) {
      folded += `${CRLF} `;
      octets = 1;
    }
    folded += letter;
    octets += more;
  }
  return folded;
}

/** A contact as a vCard 3.0 (RFC 2426): lines end with CRLF; the number has its country code. */
export function vcardOf(contact: Contact): string {
  const { name, phone, phones = [], organization = '', email = '' } = contact;
  const digits = contactDigits(phone);
  const known = vcardText(shortName(name.toWellFormed())) || `+${digits}`;
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    // Indonesian names have no family name: all of it is the given name.
    `N:;${known};;;`,
    `FN:${known}`,
    ...(organization === '' ? [] : [`ORG:${vcardText(shortName(organization.toWellFormed()))}`]),
    ...[digits, ...phones.slice(1).map(contactDigits)]
      .filter((one) => one !== '')
      .map((one) => `TEL;TYPE=CELL,VOICE:+${one}`),
    ...(email === '' ? [] : [`EMAIL:${vcardText(email.toWellFormed())}`]),
    'END:VCARD',
  ];
  return lines.map((line) => foldLine(line) + CRLF).join('');
}

/** The file name of a contact: its name without characters unsafe in file names. */
export function vcardFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return `${[...plain].slice(0, 80).join('').trim() || 'kontak'}.vcf`;
}

/** The first contact in a vCard; `undefined` if it has no number. */
export function readVcard(text: string): Contact | undefined {
  const { name, phones } = readCard(text);
  const [phone] = phones;
  return phone && { name: shortName(name), phone: phone.written };
}
