import { type SpanContext, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { newId } from '#server/infra/ids.ts';
import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { TracingOptions } from './options.ts';

/** Spans that go nowhere are named in the log this often at most. */
const TELL_MS = 60_000;

/** Gives spans their ids: those that follow from a message where they were set, chance elsewhere. */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: Partial<Pick<SpanContext, 'traceId' | 'spanId'>> = {};

  /** Has the span that `start` makes, at once, the ids given. */
  with<T>(ids: Partial<Pick<SpanContext, 'traceId' | 'spanId'>>, start: () => T): T {
    this.#next = ids;
    try {
      return start();
    } finally {
      this.#next = {};
    }
  }

  generateTraceId = (): string => this.#next.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#next.spanId ?? this.#random.generateSpanId();
}

/**
 * Which traces are recorded. Whether a caller's own trace is does not count, so that what
 * `parentbased_` adds is nothing here: each process decides by the id alone, and all decide the same.
 */
export function samplerOf(
  name: Config['OTEL_TRACES_SAMPLER'],
  ratio: Config['OTEL_TRACES_SAMPLER_ARG'],
): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** The SDK's provider: spans wait in a bounded queue, and those beyond it, or that nobody takes, are dropped. */
export function openProvider(
  { config, log, version }: TracingOptions,
  idGenerator: IdGenerator,
  sampler: Sampler,
): TracerProvider {
  const own = resourceFromAttributes({
    'service.name': 'kabari',
    'service.version': version,
    'service.instance.id': newId(),
    'kabari.role': config.ROLE,
  });
  const tell = throttled(log);
  // What the SDK says is of its own queue and of settings; errors of an export are told below.
  diag.setLogger({ ...silent, warn: (words) => tell(undefined, words) });
  const processor = new BatchSpanProcessor({
    exporter: tellingExporter(new OTLPTraceExporter(), tell, log),
    maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_QUEUE_SIZE, EXPORT_MAX),
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
  });
  return new TracerProvider({
    resource: own.merge(resourceFromAttributes(envDetector.detect().attributes ?? {})),
    sampler,
    idGenerator,
    spanProcessors: [processor],
  });
}

/** Spans of one request to the collector. */
const EXPORT_MAX = 512;

const nothing = () => undefined;
const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing, verbose: nothing };

type Tell = (error: unknown, words: string) => void;

/** Says it once a minute at most. */
function throttled(log: Log): Tell {
  let toldAt = -Infinity;
  return (err, words) => {
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log.warn({ ...(err !== undefined && { err }), reason: words }, 'traces are incomplete');
  };
}

/** An exporter that tells when it fails, and when it works again. */
function tellingExporter(exporter: SpanExporter, tell: Tell, log: Log): SpanExporter {
  let lost = 0;
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        // 0: taken.
        if (result.code !== 0) {
          lost += spans.length;
          tell(result.error, 'spans cannot be exported and are dropped');
        } else if (lost > 0) {
          log.info({ count: lost }, 'spans are exported again; some were dropped');
          lost = 0;
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
