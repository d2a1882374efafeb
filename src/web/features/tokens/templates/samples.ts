import { valueOrderOf, type Template } from '#contract/messages/templates.ts';
import type { Examples } from '#web/features/tokens/templates/labels.ts';
import { curlOf, type Sending } from '#web/features/tokens/samples.ts';

/** A call that sends a template, ready to be pasted into a terminal; a variable without an example says its name. */
export const sendSample = (
  sending: Sending,
  { name, language, body }: Pick<Template, 'name' | 'language' | 'body'>,
  examples: Examples,
): string => {
  const variables = valueOrderOf(body).map((one) => examples[one] || `isi ${one}`);
  const template = { name, language, ...(variables.length > 0 && { variables }) };
  return curlOf(sending, { to: sending.to, type: 'template', template });
};
