import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { interleaved, median } from '#bench/lib/rounds.ts';
import { table } from '#bench/lib/results.ts';
import { type Part, forEach } from './part.ts';
import { type Steady, type SteadySubject, measureSteady, openSteady } from './steady.ts';

const RATE = Number(process.env['TRACES_RATE'] ?? 100);
const FOR_MS = Number(process.env['TRACES_MS'] ?? 20_000);
const WARM_MS = Number(process.env['TRACES_WARM_MS'] ?? 10_000);

async function openSink() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://127.0.0.1:${port}`, close };
}

const cpuOf = ({ cpu, read }: Steady, of: 'appMs' | 'postgresMs'): number => cpu[of] / read;

/**
 * Measures without traces, with all messages traced, and with one in a hundred; also for the other checkout if there is
 * one.
 */
async function measure({ against, rounds }: Parameters<Part['run']>[0]): Promise<string> {
  const sink = await openSink();
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint };
  const some = { ...all, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' };
  const subjects: Record<string, SteadySubject> = {};
  try {
    if (against !== undefined) subjects['against, without'] = await openSteady(against);
    subjects['without'] = await openSteady(undefined);
    subjects['1 % traced'] = await openSteady(undefined, { env: some });
    subjects['all traced'] = await openSteady(undefined, { env: all });
    const round = (ms: number) =>
      forEach(subjects, (subject) => () => measureSteady(subject, RATE, ms));
    await interleaved(1, round(WARM_MS));
    const measured = await interleaved(rounds, round(FOR_MS));
    const rows = Object.entries(measured).map(([name, found]) => [
      name,
      median(found.map((one) => cpuOf(one, 'appMs'))).toFixed(3),
      median(found.map((one) => cpuOf(one, 'postgresMs'))).toFixed(3),
      median(found.map(({ load }) => load.p50Ms)).toFixed(1),
      median(found.map(({ othersBusy }) => othersBusy)).toFixed(2),
    ]);
    return [
      `${RATE} messages a second for ${FOR_MS / 1000} s, lifelike phones, tabs open, one process, a collector that ` +
        `takes everything; ${rounds} interleaved rounds, medians.`,
      table(
        [
          '',
          'app CPU, ms a message',
          'PostgreSQL CPU, ms a message',
          'accepted after, p50 ms',
          'processors that others kept busy',
        ],
        rows,
      ),
    ].join('\n\n');
  } finally {
    for (const subject of Object.values(subjects)) await subject.close();
    sink.close();
  }
}

export const traces: Part = { name: 'traces', title: 'Way: traces', run: measure };
