/** Reads contacts from vCards (RFC 2426, RFC 6350). */
export type Card = {
  /** '' where it has none. */
  name: string;
  phones: {
    /** As the card has it. */
    written: string;
    /** Digits of the WhatsApp account behind it, where the card names one. */
    whatsapp?: string;
  }[];
  organization?: string;
  email?: string;
};

/** Phones of a card that are read. */
const PHONES_MAX = 50;

/** Reads the first contact of a vCard's text. Of several e-mails it keeps the first. */
export function readCard(text: string): Card {
  const [own = ''] = text.split(/^END:VCARD/im, 1);
  const lines = own.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const valuesOf = (property: string) => {
    const pattern = new RegExp(`^(?:[\\w-]+\\.)?${property}(;[^:]*)?:(.*)$`, 'is');
    return lines.flatMap((line) => {
      const [whole, parameters = '', value = ''] = pattern.exec(line) ?? [];
      return whole === undefined || value.trim() === '' ? [] : [{ parameters, value }];
    });
  };
  const first = (property: string) => valuesOf(property)[0]?.value ?? '';
  const phones = valuesOf('TEL').flatMap(({ parameters, value }) => {
    const written = plain(value).replace(/^tel:/i, '');
    const whatsapp = /waid=(\d+)/i.exec(parameters)?.[1];
    return /[\d０-９]/.test(written)
      ? [{ written, ...(whatsapp !== undefined && { whatsapp }) }]
      : [];
  });
  // Departments follow the organisation; of a name, the family's comes first.
  const [organization = ''] = partsOf(first('ORG'));
  const email = plain(first('EMAIL')).replace(/^mailto:/i, '');
  return {
    name: plain(first('FN')) || partsOf(first('N')).filter(Boolean).toReversed().join(' '),
    phones: phones.slice(0, PHONES_MAX),
    ...(organization !== '' && { organization }),
    ...(email !== '' && { email }),
  };
}

const plain = (value: string): string =>
  value.replace(/\\([\\,:;n])/gi, (_, sign: string) => (/n/i.test(sign) ? ' ' : sign)).trim();

const partsOf = (value: string): readonly string[] => value.split(/(?<!\\);/).map(plain);
