import { type TemplateFile, variablesOf } from '#contract/messages/templates.ts';
import type { TemplateButtonKind } from '#server/domains/channels/channels.ts';
import { listAt, textAt } from '#server/infra/net/json-values.ts';

const files: ReadonlyMap<string, TemplateFile> = new Map([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);

/** The component of a type; undefined where there is none. */
export const partOf = (components: readonly unknown[], type: string): unknown =>
  components.find((one) => textAt(one, 'type') === type);

/** The kind of the file in a header. */
export const fileAbove = (header: unknown): TemplateFile | null =>
  files.get(textAt(header, 'format') ?? '') ?? null;

/** What a button says. Of one that copies a coupon Meta writes the words itself, and may not name them. */
export const titleOf = (button: unknown): string => textAt(button, 'text') ?? 'Salin kode';

/** What a button takes of each message. */
export function kindOf(button: unknown): TemplateButtonKind {
  switch (textAt(button, 'type')) {
    case 'QUICK_REPLY':
      return 'reply';
    case 'COPY_CODE':
      return 'code';
    case 'URL':
      return hasVariable(textAt(button, 'url')) ? 'url' : 'fixed';
    default:
      return 'fixed';
  }
}

const hasVariable = (text = ''): boolean => variablesOf(text).length > 0;

const unfitButtons: ReadonlySet<string> = new Set(['OTP', 'FLOW', 'CATALOG', 'MPM', 'SPM']);
const unfitComponents: ReadonlySet<string> = new Set(['CAROUSEL', 'LIMITED_TIME_OFFER']);

/** Why a template cannot be sent from here although Meta approves it; undefined where it can. */
export function unfitReason(components: readonly unknown[]): string | undefined {
  const header = partOf(components, 'HEADER');
  const format = textAt(header, 'format') ?? 'TEXT';
  if (format === 'LOCATION')
    return 'Templat dengan lokasi di atasnya belum dapat dikirim dari sini.';
  if (format !== 'TEXT' && !files.has(format))
    return 'Templat dengan judul seperti ini belum dapat dikirim dari sini.';
  if (components.some((one) => unfitComponents.has(textAt(one, 'type') ?? '')))
    return 'Templat dengan kartu geser atau penawaran terbatas belum dapat dikirim dari sini.';
  const buttons = listAt(partOf(components, 'BUTTONS'), 'buttons');
  return buttons.some((button) => unfitButtons.has(textAt(button, 'type') ?? ''))
    ? 'Templat dengan tombol formulir atau katalog belum dapat dikirim dari sini.'
    : undefined;
}
