import { expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { startCollector } from '#tests/support/traces/collector.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openTracing } from './open-tracing.ts';

async function tracingTo(settings: Record<string, string> = {}) {
  const collector = await startCollector();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await collector.close();
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...settings };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const lines: string[] = [];
  const log = openLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const tracing = await openTracing({ config: readConfig(env), log, version: '1.2.3' });
  if (!tracing) throw new Error('no traces');
  return { tracing, collector, lines };
}

const traceOf = (id: string): string => id.replaceAll('-', '');
const began = (): number => performance.now() - 5;
const answer = {
  method: 'POST',
  route: '/v1/messages',
  scheme: 'https',
  status: 202,
  requestId: 'req_1',
};

test('records no traces without an endpoint, or if they are switched off', async () => {
  const log = openLog({ level: 'silent' });
  const open = (env: Record<string, string>) =>
    openTracing({ config: readConfig(env), log, version: '1' });
  expect(await open({})).toBeUndefined();
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
  expect(await open({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});

test('records failures by code, and of requests only 5xx as failed', async () => {
  const { tracing, collector } = await tracingTo();
  const id = newId();
  const failed = { messageId: id, of: 'cloud', outcome: 'failed', failure: 'not_on_whatsapp' };
  tracing.did({ operation: 'send', began: began(), steps: [failed] });
  tracing.answered(tracing.begin(undefined), { ...answer, status: 404 });
  tracing.answered(tracing.begin('00-nonsense'), { ...answer, status: 503 });
  await tracing.close();
  expect(collector.spans).toMatchObject([
    {
      traceId: traceOf(id),
      parentSpanId: traceOf(id).slice(16),
      name: 'send cloud',
      isFailed: true,
      attributes: { 'error.type': 'not_on_whatsapp', 'kabari.outcome': 'failed' },
      resource: { 'service.name': 'kabari', 'service.version': '1.2.3' },
    },
    { name: 'POST /v1/messages', isFailed: false, links: [] },
    { name: 'POST /v1/messages', isFailed: true, attributes: { 'error.type': '503' }, links: [] },
  ]);
  const [, one, other] = collector.spans;
  expect(one!.attributes).not.toHaveProperty(['error.type']);
  expect(one!.traceId).not.toBe(other!.traceId);
  expect(Number(collector.spans[0]!.end - collector.spans[0]!.start)).toBeGreaterThan(4_900_000);
});

test('an incoming message begins a trace; two states of one message are no batch', async () => {
  const { tracing, collector } = await tracingTo();
  const id = newId();
  const messages = [{ messageId: id, type: 'image' }];
  tracing.created({ operation: 'receive', began: began(), requests: [{ messages }] });
  const steps = ['delivered', 'read'].map((of) => ({ messageId: id, of }));
  tracing.did({ operation: 'settle', began: began(), steps });
  await tracing.close();
  expect(collector.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['receive', ''],
    ['settle delivered', traceOf(id).slice(16)],
    ['settle read', traceOf(id).slice(16)],
  ]);
});

test('finds the request within its handler, also after a wait, and nowhere else', async () => {
  const { tracing, collector } = await tracingTo();
  const [one, other] = [tracing.begin(undefined), tracing.begin(undefined)];
  const found: unknown[] = [];
  await Promise.all(
    [one, other].map(
      (request) =>
        new Promise<void>((resolve) => {
          tracing.answering(request, () => {
            void Promise.resolve()
              .then(() => found.push(tracing.cause()))
              .then(() => resolve());
          });
        }),
    ),
  );
  expect(found[0]).toBe(one);
  expect(found[1]).toBe(other);
  expect(tracing.cause()).toBeUndefined();
  await tracing.close();
  expect(collector.spans).toEqual([]);
});

test.for([
  ['always_on', '0', 200],
  ['parentbased_always_on', '0', 200],
  ['always_off', '1', 0],
  ['parentbased_always_off', '1', 0],
  ['traceidratio', '1', 200],
  ['parentbased_traceidratio', '0', 0],
] as const)('the sampler %s at %s', async ([OTEL_TRACES_SAMPLER, share, count]) => {
  const { tracing, collector } = await tracingTo({
    OTEL_TRACES_SAMPLER,
    OTEL_TRACES_SAMPLER_ARG: share,
  });
  const steps = Array.from({ length: 200 }, () => ({ messageId: newId(), of: 'sent' }));
  tracing.did({ operation: 'settle', began: began(), steps });
  const request = tracing.begin('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
  tracing.answered(request, answer);
  await tracing.close();
  const names = collector.spans.map(({ name }) => name);
  expect(names.filter((name) => name === 'settle sent')).toHaveLength(count);
  expect(names.filter((name) => name === 'settle batch')).toHaveLength(count === 0 ? 0 : 1);
  expect(names.filter((name) => name === 'POST /v1/messages')).toHaveLength(count === 0 ? 0 : 1);
});

test('samples the configured share of messages, independent of the age of ids', async () => {
  const { tracing, collector } = await tracingTo({
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  });
  for (const at of [0, 60_000, 3_600_000]) {
    const steps = Array.from({ length: 3_000 }, (_, n) => ({
      messageId: newId(Date.now() + at + n),
    }));
    tracing.did({ operation: 'claim', began: began(), steps });
  }
  await tracing.close();
  const claimed = collector.spans.filter(({ name }) => name === 'claim');
  expect(claimed.length).toBeGreaterThan(750);
  expect(claimed.length).toBeLessThan(1_050);
});

test('drops spans beyond the queue, and logs it once', async () => {
  const { tracing, collector, lines } = await tracingTo({ OTEL_BSP_MAX_QUEUE_SIZE: '10' });
  const steps = Array.from({ length: 50 }, () => ({ messageId: newId() }));
  for (let n = 0; n < 3; n++) {
    tracing.did({ operation: 'claim', began: began(), steps });
    await waitFor(() => expect(collector.spans.length).toBeGreaterThanOrEqual(10 * (n + 1)));
  }
  await tracing.close();
  expect(collector.spans.length).toBeLessThan(150);
  expect(lines.filter((line) => line.includes('traces are incomplete'))).toHaveLength(1);
});
