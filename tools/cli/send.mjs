/** `kabari send`, `balance` and `me`. */
import { randomUUID } from 'node:crypto';
import { EXIT, Stop, jsonLine, printable, rupiah } from './terminal.mjs';

/** Kinds of files that a message may carry, by the option that names one. */
const files = ['image', 'video', 'audio', 'document'];

/**
 * Sends one message. It is repeated while the service is busy, under one key: it is sent, and charged, once.
 *
 * @returns the exit code.
 */
export async function send({ api, given, options, print, readInput }) {
  const [to, ...words] = given;
  const text =
    words.length === 1 && words[0] === '-'
      ? (await readInput()).replace(/\r?\n$/, '')
      : words.join(' ');
  const kinds = files.filter((kind) => options[kind] !== undefined);
  if (to === undefined || (text === '' && kinds.length === 0)) {
    throw new Stop('To whom, and what? kabari send <to> <text>', EXIT.usage);
  }
  if (kinds.length > 1) throw new Stop('One file a message.', EXIT.usage);
  const accepted = await api.post(
    '/v1/messages',
    {
      to,
      ...contentOf(kinds[0], options, text),
      ...(options.ref !== undefined && { ref: options.ref }),
      ...(options.at !== undefined && { send_at: options.at }),
    },
    options.key ?? randomUUID(),
  );
  if (options.json) print(jsonLine(accepted));
  else {
    const { id, status, price, saldo, duplicate, simulated } = accepted;
    const notes = [duplicate && 'sent before', simulated && 'simulated'].filter(Boolean);
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
    print(`${printable(id)} ${printable(status)}, ${rupiah(price)}; saldo ${rupiah(saldo)}${note}`);
  }
  return EXIT.done;
}

function contentOf(kind, options, text) {
  if (kind === undefined) return { type: 'text', text: { body: text } };
  const link = options[kind];
  if (!/^https?:\/\//i.test(link)) {
    throw new Stop(`--${kind} takes a link: https://…`, EXIT.usage);
  }
  // A voice message says nothing in writing.
  if (kind === 'audio' && text !== '') throw new Stop('An audio has no text.', EXIT.usage);
  return { type: kind, [kind]: { link }, ...(text !== '' && { caption: text }) };
}

/** @returns the exit code. */
export async function balance({ api, options, print }) {
  const found = await api.get('/v1/balance');
  const { available, held } = found;
  print(options.json ? jsonLine(found) : `${rupiah(available)} available, ${rupiah(held)} held`);
  return EXIT.done;
}

/** Whose key it is, and what it may do. @returns the exit code. */
export async function me({ api, options, print }) {
  const found = await api.get('/v1/me');
  if (options.json) print(jsonLine(found));
  else {
    const { account, token, scopes, simulated } = found;
    const phone = token.phone === null ? 'no phone' : `+${token.phone}`;
    print(printable(`${account.name}, token ${token.name}${simulated ? ' (simulated)' : ''}`));
    print(
      printable(`${token.status}, ${phone}; ${token.sent_today} of ${token.daily_limit} today`),
    );
    print(printable(`may: ${scopes.join(', ')}`));
  }
  return EXIT.done;
}
