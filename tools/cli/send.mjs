/** `kabari send`, `balance` and `me`. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { EXIT, Stop, jsonLine, printable, rupiah } from './terminal.mjs';

const kindsByLink = ['image', 'video', 'audio', 'document'];

/**
 * Sends one message. Retries under one key while the service is busy: it is sent, and charged, once.
 *
 * @returns the exit code.
 */
export async function send({ api, given, options, print, readInput }) {
  const [to, ...words] = given;
  const text =
    words.length === 1 && words[0] === '-'
      ? (await readInput()).replace(/\r?\n$/, '')
      : words.join(' ');
  const kinds = [...kindsByLink, 'file'].filter((kind) => options[kind] !== undefined);
  if (to === undefined || (text === '' && kinds.length === 0)) {
    throw new Stop('To whom, and what? kabari send <to> <text>', EXIT.usage);
  }
  if (kinds.length > 1) throw new Stop('One file a message.', EXIT.usage);
  const key = options.key ?? randomUUID();
  const content =
    kinds[0] === 'file'
      ? await uploaded(api, options.file, { text, key })
      : contentOf(kinds[0], options, text);
  const accepted = await api.post(
    '/v1/messages',
    {
      to,
      ...content,
      ...(options.ref !== undefined && { ref: options.ref }),
      ...(options.at !== undefined && { send_at: options.at }),
    },
    key,
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

/** Uploads a local file, and sends it with the type that the service detected. */
async function uploaded(api, path, { text, key }) {
  const form = new FormData();
  form.append('file', new Blob([await bytesOf(path)]), basename(path));
  const { id, mime_type: type } = await api.upload('/v1/media', form, key);
  const kind = ['image', 'video', 'audio'].find((one) => type.startsWith(`${one}/`)) ?? 'document';
  if (kind === 'audio') refuseWords(text);
  return { type: kind, [kind]: { id }, ...(text !== '' && { caption: text }) };
}

async function bytesOf(path) {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Stop(`${printable(path)} cannot be read (${error.code ?? 'unknown'}).`, EXIT.usage);
  }
}

/** A voice message has no caption. */
function refuseWords(text) {
  if (text !== '') throw new Stop('An audio has no text.', EXIT.usage);
}

function contentOf(kind, options, text) {
  if (kind === undefined) return { type: 'text', text: { body: text } };
  const link = options[kind];
  if (!/^https?:\/\//i.test(link)) {
    throw new Stop(
      `--${kind} takes a link: https://…; a file of yours goes by --file.`,
      EXIT.usage,
    );
  }
  if (kind === 'audio') refuseWords(text);
  return { type: kind, [kind]: { link }, ...(text !== '' && { caption: text }) };
}

/** @returns the exit code. */
export async function balance({ api, options, print }) {
  const found = await api.get('/v1/balance');
  const { available, held } = found;
  print(options.json ? jsonLine(found) : `${rupiah(available)} available, ${rupiah(held)} held`);
  return EXIT.done;
}

/** The account of the key, and its permissions. @returns the exit code. */
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
