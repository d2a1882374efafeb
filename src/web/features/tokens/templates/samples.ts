import { valueOrderOf, type Template, type TemplateFile } from '#contract/messages/templates.ts';
import type { Examples } from '#web/features/tokens/templates/labels.ts';
import { curlOf, type Sending } from '#web/features/tokens/samples.ts';

const sampleFiles: Record<TemplateFile, string> = {
  image: 'https://toko.example/promo.jpg',
  video: 'https://toko.example/promo.mp4',
  document: 'https://toko.example/tagihan.pdf',
};

const sampleValues = { url: 'A-17', code: 'HEMAT20' } as const;

type Sent = Pick<
  Template,
  'name' | 'language' | 'body' | 'header_file' | 'header_variable' | 'button_values'
>;

/** A terminal command that sends a template; a variable without an example shows its name. */
export const sendSample = (
  sending: Sending,
  { name, language, body, button_values: values, ...template }: Sent,
  examples: Examples,
): string => {
  const variables = valueOrderOf(body).map((one) => examples[one] || `isi ${one}`);
  const header = headerOf(template);
  const buttons = values.map(({ index, takes }) => ({ index, text: sampleValues[takes] }));
  const given = {
    name,
    language,
    ...(variables.length > 0 && { variables }),
    ...(header && { header }),
    ...(buttons.length > 0 && { buttons }),
  };
  return curlOf(sending, { to: sending.to, type: 'template', template: given });
};

function headerOf({ header_file, header_variable }: Pick<Sent, 'header_file' | 'header_variable'>) {
  if (header_file !== null) return { link: sampleFiles[header_file] };
  return header_variable === null ? undefined : { text: `isi ${header_variable}` };
}
