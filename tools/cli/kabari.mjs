#!/usr/bin/env node
/** The command line of Kabari's API (docs/cli.md). Plain Node, nothing to build or install. */
import { parseArgs } from 'node:util';
import { arrayBuffer as bytesOf } from 'node:stream/consumers';
import { openApi } from './api.mjs';
import { forward, tail } from './events.mjs';
import { replay } from './replay.mjs';
import { balance, me, send } from './send.mjs';
import { EXIT, Stop } from './terminal.mjs';

const text = { type: 'string' };
const flag = { type: 'boolean' };

const commands = {
  send: {
    usage: 'send <to> <text>',
    says: 'Sends a text ("-" reads it from the standard input), or --file <path>.',
    options: {
      file: text,
      image: text,
      video: text,
      audio: text,
      document: text,
      ref: text,
      at: text,
      key: text,
      json: flag,
    },
    run: send,
  },
  tail: {
    usage: 'tail',
    says: 'Shows events as they happen.',
    options: { after: text, json: flag },
    run: tail,
  },
  forward: {
    usage: 'forward http://localhost:…',
    says: 'Posts events to a program on this machine, as webhooks.',
    options: { after: text },
    run: forward,
  },
  replay: {
    usage: 'replay <whd_…>, or --from <time>',
    says: 'Sends deliveries of the webhook anew.',
    options: { from: text, to: text, all: flag, json: flag },
    run: replay,
  },
  balance: { usage: 'balance', says: 'The saldo.', options: { json: flag }, run: balance },
  me: {
    usage: 'me',
    says: 'Whose key it is, and what it may do.',
    options: { json: flag },
    run: me,
  },
};

const help = () => `kabari: messages from the command line (docs/cli.md)

${Object.values(commands)
  .map(({ usage, says }) => `  kabari ${usage.padEnd(34)} ${says}`)
  .join('\n')}

  KABARI_KEY   the key of a token, from the page Nomor
  KABARI_URL   where Kabari answers; without it http://localhost:3000
`;

/** Standard input as text. @throws {Stop} for invalid UTF-8, which would be sent altered. */
async function readInput() {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(process.stdin));
  } catch (error) {
    if (error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new Stop('The standard input is not UTF-8, so nothing was sent.', EXIT.usage);
  }
}

/** @returns the exit code. */
async function run([name, ...rest], { env, print, warn, signal }) {
  if (name === undefined || name === 'help' || name === '--help') {
    print(help());
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new Stop(`There is no command of this name. See: kabari help`, EXIT.usage);
  let read;
  try {
    read = parseArgs({ args: rest, options: command.options, allowPositionals: true });
  } catch (error) {
    throw new Stop(`${error.message}\nkabari ${command.usage}`, EXIT.usage);
  }
  const api = openApi(env, { warn, signal });
  const { positionals: given, values: options } = read;
  return command.run({
    api,
    given,
    options,
    print,
    warn,
    env,
    readInput,
  });
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
// A closed output, as by `head`, ends this.
process.stdout.on('error', () => process.exit(EXIT.done));

try {
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    print: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
    signal: ending.signal,
  });
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  if (error.message !== '') process.stderr.write(`kabari: ${error.message}\n`);
  process.exitCode = error.code;
}
