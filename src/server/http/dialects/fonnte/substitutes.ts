import { type Given, givenOf } from '#server/http/dialects/given.ts';

/** Lines that stand for what a message cannot show, at most. */
const LINES_MAX = 30;

/** A poll in words: the question, and its choices under numbers. */
export function insteadOfPoll(question: string | undefined, choices: string): string {
  const named = choices
    .split(',', LINES_MAX)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const lines = named.map((one, index) => `${index + 1}. ${one}`);
  return [...(question === undefined ? [] : [question]), ...lines].join('\n');
}

/**
 * Buttons, a template or a list in words: its message, what could be chosen, its footer. Their own vendor has shown
 * them to nobody since 2023. Undefined where none is given or it is no JSON.
 */
export function insteadOfButtons(given: Given): string | undefined {
  for (const name of ['buttonJSON', 'templateJSON', 'listJSON']) {
    const fields = givenOf(parsed(given.get(name)));
    const message = fields?.get('message');
    if (fields && typeof message === 'string' && message !== '') {
      const labels = labelsIn(fields.get('buttons')).map((label) => `• ${label}`);
      const footer = fields.get('footer');
      return [message, ...labels, ...(typeof footer === 'string' ? [footer] : [])].join('\n');
    }
  }
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** What could be chosen: the message of each button, or of each entry of the lists that they open. */
function labelsIn(buttons: unknown): string[] {
  const entries = fieldsIn(buttons).flatMap((button) => {
    const list = fieldsIn(button.get('list'));
    return list.length > 0 ? list : [button];
  });
  const labels = entries.map((entry) => entry.get('message'));
  return labels.filter((label) => typeof label === 'string').slice(0, LINES_MAX);
}

const fieldsIn = (list: unknown): Given[] =>
  Array.isArray(list) ? list.slice(0, LINES_MAX).flatMap((one) => givenOf(one) ?? []) : [];
