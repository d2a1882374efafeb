/** `kabari replay`: resends deliveries of the token's webhook. */
import { randomUUID } from 'node:crypto';
import { EXIT, Stop, jsonLine, printable } from './terminal.mjs';

/** Replays single deliveries by id, or those of a period. @returns the exit code. */
export function replay(call) {
  const isPeriod = call.options.from !== undefined;
  if (isPeriod === call.given.length > 0 || (!isPeriod && hasPeriodOptions(call.options))) {
    throw new Stop(
      'Which ones? kabari replay whd_… or kabari replay --from 2026-11-21T00:00:00+07:00',
      EXIT.usage,
    );
  }
  return isPeriod ? replayPeriod(call) : replayEach(call);
}

const hasPeriodOptions = ({ to, all }) => to !== undefined || all === true;

async function replayEach({ api, given, options, print }) {
  for (const id of given) {
    const path = `/v1/deliveries/${encodeURIComponent(id)}/replay`;
    const delivery = await api.post(path, undefined, randomUUID());
    const { id: own, seq, type, state } = delivery;
    print(options.json ? jsonLine(delivery) : printable(`${own} ${seq} ${type} ${state}`));
  }
  return EXIT.done;
}

async function replayPeriod({ api, options, print }) {
  const { from, to = new Date().toISOString(), all = false, json } = options;
  const period = { from, to, which: all ? 'all' : 'parked' };
  let replayed = 0;
  let more = true;
  // Replayed deliveries leave the set of abandoned ones; with all of them, the same ones would come again.
  while (more) {
    const answer = await api.post('/v1/deliveries/replay', period, randomUUID());
    replayed += answer.replayed;
    ({ more } = answer);
    if (all) break;
  }
  const rest = more ? '; more are left: go on with a later --from' : '';
  const said = `${replayed} ${replayed === 1 ? 'delivery is' : 'deliveries are'} sent anew${rest}`;
  print(json ? jsonLine({ replayed, more }) : said);
  return EXIT.done;
}
