import {
  type Attributes,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { withTimeout } from '#server/infra/with-timeout.ts';
import type { TracingOptions } from './options.ts';
import { SpanIds, openProvider, samplerOf } from './provider.ts';

const CLOSE_MS_MAX = 5_000;

/** A span that has ended. */
export type Ended = {
  name: string;
  kind: SpanKind;
  /** By `performance.now()`. */
  began: number;
  ended: number;
  /** The span above; without one it begins its trace. */
  parent?: SpanContext | undefined;
  /** Its own ids, where they are not chance. */
  ids?: Partial<Pick<SpanContext, 'traceId' | 'spanId'>>;
  links?: readonly SpanContext[];
  attributes: Attributes;
  isFailed?: boolean;
};

/** Where spans are written down, once they have ended. */
export type Spans = {
  /** Whether a trace is recorded: of one id always the same, in every process. */
  isRecorded: (traceId: string) => boolean;
  record: (span: Ended) => SpanContext;
  newSpanId: () => string;
  /** Sends what is left, for five seconds at most. */
  close: () => Promise<void>;
};

/** Opens the SDK. */
export function openSpans(options: TracingOptions): Spans {
  const { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG } = options.config;
  const ids = new SpanIds();
  const sampler = samplerOf(OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG);
  const provider = openProvider(options, ids, sampler);
  const tracer = provider.getTracer('kabari', options.version);
  const originNow = openClock();
  return {
    isRecorded: (traceId) =>
      sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []).decision ===
      SamplingDecision.RECORD_AND_SAMPLED,
    record: ({ name, kind, began, ended, ids: own = {}, links = [], ...more }) => {
      const { parent, attributes, isFailed } = more;
      const above = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const originMs = originNow();
      const facts = {
        kind,
        startTime: originMs + began,
        attributes,
        links: links.map((context) => ({ context })),
      };
      const span = ids.with(own, () => tracer.startSpan(name, facts, above));
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(originMs + ended);
      return span.spanContext();
    },
    newSpanId: ids.generateSpanId,
    close: () =>
      withTimeout<void>(
        provider.shutdown().catch(() => undefined),
        CLOSE_MS_MAX,
        () => undefined,
      ),
  };
}

/** Beyond this many milliseconds the system's clock was set, or has run apart from ours. */
const CLOCK_MS = 20;

/**
 * What makes times of `performance.now()` milliseconds since 1970: the same as long as the system's clock stands, so
 * that spans of a process keep their order, also within a millisecond.
 */
function openClock(): () => number {
  let originMs = performance.timeOrigin;
  return () => {
    const found = Date.now() - performance.now();
    if (Math.abs(found - originMs) > CLOCK_MS) originMs = found;
    return originMs;
  };
}
