import type { Fault } from './faults/nemesis.ts';
import type { Outcome } from './trial.ts';

const SHOWN_MOST = 20;

export function formatOutcome(outcome: Outcome): string {
  const { seed, kind, broken, requests, requested, messages, faultStats, answers } = outcome;
  const injections = Map.groupBy(faultStats.injections, ({ fault }) => fault);
  const output = Object.entries(answers).map(([words, n]) => `${words} × ${n}`);
  return [
    `seed ${seed} (database ${kind}) ${broken.length === 0 ? '✓' : '✗'}`,
    `  asked      ${requests} requests for ${requested} messages; ${messages} stand`,
    `  answered   ${output.join(', ')}`,
    `  repeated   ${outcome.unsure} requests had a try without an answer; ${outcome.replays} first answers came again`,
    `  killed     ${[...injections].map(([fault, list]) => `${fault} × ${list.length}`).join(', ')}`,
    `             the app ${faultStats.appKills} times, ${faultStats.met} of them with requests under way`,
    `  recovered  ${[...injections].map(([fault, list]) => worst(fault, list)).join(', ')}`,
    `  told       ${outcome.webhooks.events} events to webhooks, by ${outcome.webhooks.posts} posts`,
    `  drained    ${(outcome.drainedMs / 1000).toFixed(1)} s after the last request; ${outcome.resubmitted} messages went to their phone again, under the same id`,
    `  corrected  ${outcome.corrected} messages that were given back had arrived, and were charged again`,
    ...broken.slice(0, SHOWN_MOST).map(({ rule, what }) => `  ✗ ${rule}: ${what}`),
    ...(broken.length > SHOWN_MOST ? [`  ✗ and ${broken.length - SHOWN_MOST} more`] : []),
  ].join('\n');
}

function worst(fault: Fault, injections: readonly { recoveredMs: number }[]): string {
  const ms = Math.max(...injections.map(({ recoveredMs }) => recoveredMs));
  return `${fault} ${(ms / 1000).toFixed(1)} s`;
}
