import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type SpanContext,
  SpanKind,
  TraceFlags,
  isSpanContextValid,
  type Attributes,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  diag,
} from '@opentelemetry/api';
import type { TracingOptions } from './options.ts';
import type {
  AnsweredRequest,
  Call,
  Creation,
  Step,
  Tracing,
  Facts,
  Operation,
} from './tracing.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  SamplingDecision,
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
import { withTimeout } from '#server/infra/with-timeout.ts';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { newId } from '#server/infra/ids.ts';
import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';

const CLOSE_MS_MAX = 5_000;

type Ended = {
  name: string;
  kind: SpanKind;
  /** By `performance.now()`. */
  began: number;
  ended: number;
  parent?: SpanContext | undefined;
  ids?: Partial<Pick<SpanContext, 'traceId' | 'spanId'>>;
  links?: readonly SpanContext[];
  attributes: Attributes;
  isFailed?: boolean;
};

type Spans = {
  /** The same for one id in every process. */
  isRecorded: (traceId: string) => boolean;
  record: (span: Ended) => SpanContext;
  newSpanId: () => string;
  close: () => Promise<void>;
};

function openSpans(options: TracingOptions): Spans {
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

/** A larger difference means that the system's clock was set or has drifted. */
const CLOCK_MS = 20;

/**
 * Converts `performance.now()` to milliseconds since 1970. The offset is constant unless the system's clock is set,
 * so spans of a process keep their order, even within a millisecond.
 */
function openClock(): () => number {
  let originMs = performance.timeOrigin;
  return () => {
    const found = Date.now() - performance.now();
    if (Math.abs(found - originMs) > CLOCK_MS) originMs = found;
    return originMs;
  };
}

const WARN_EVERY_MS = 60_000;

class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: Partial<Pick<SpanContext, 'traceId' | 'spanId'>> = {};

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
 * The sampler. A caller's own sampling decision is ignored, so `parentbased_` has no effect: each process decides by
 * the trace id alone, and all decide the same.
 */
function samplerOf(
  name: Config['OTEL_TRACES_SAMPLER'],
  ratio: Config['OTEL_TRACES_SAMPLER_ARG'],
): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** A bounded queue; spans beyond it, or rejected by the collector, are dropped. */
function openProvider(
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
  const warn = throttled(log);
  // The SDK logs its own queue and settings; export errors are logged below.
  diag.setLogger({ ...silent, warn: (words) => warn(undefined, words) });
  const processor = new BatchSpanProcessor({
    exporter: loggingExporter(new OTLPTraceExporter(), warn, log),
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

const EXPORT_MAX = 512;

const ignore = () => undefined;
const silent = { error: ignore, warn: ignore, info: ignore, debug: ignore, verbose: ignore };

type Warn = (error: unknown, words: string) => void;

function throttled(log: Log): Warn {
  let loggedAt = -Infinity;
  return (err, words) => {
    if (performance.now() - loggedAt < WARN_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn({ ...(err !== undefined && { err }), reason: words }, 'traces are incomplete');
  };
}

function loggingExporter(exporter: SpanExporter, warn: Warn, log: Log): SpanExporter {
  let lost = 0;
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        // 0: success.
        if (result.code !== 0) {
          lost += spans.length;
          warn(result.error, 'spans cannot be exported and are dropped');
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

// Names of the semantic conventions 1.45. Those of HTTP are stable; those of messaging are not, and are copied here
// as the conventions recommend.

type Marks = { kind: SpanKind; attributes: Attributes; batch: Attributes };

/** @param type the conventions' operation type. @param batchType if it differs for several. */
function marks(
  operation: Operation | Creation['operation'],
  kind: SpanKind,
  type?: string,
  batchType = type,
): Marks {
  const common = { 'messaging.system': 'kabari', 'messaging.operation.name': operation };
  const typed = (word?: string) => ({
    ...common,
    ...(word !== undefined && { 'messaging.operation.type': word }),
  });
  return { kind, attributes: typed(type), batch: typed(batchType) };
}

const operations: Readonly<Record<Operation | Creation['operation'], Marks>> = {
  accept: marks('accept', SpanKind.PRODUCER, 'create', 'send'),
  receive: marks('receive', SpanKind.PRODUCER, 'create', 'send'),
  claim: marks('claim', SpanKind.CLIENT, 'receive'),
  send: marks('send', SpanKind.CONSUMER, 'process'),
  settle: marks('settle', SpanKind.CLIENT, 'settle'),
  publish: marks('publish', SpanKind.INTERNAL),
  webhook: marks('webhook', SpanKind.CLIENT),
  live: marks('live', SpanKind.INTERNAL),
};

function attributesOf({ messageId, ...facts }: Step): Attributes {
  const { account, token, type, channel, attempt, outcome, failure, httpStatus }: Facts = facts;
  return {
    'messaging.message.id': publicId('message', messageId),
    ...(account !== undefined && { 'kabari.account.id': publicId('account', account) }),
    ...(token !== undefined && { 'kabari.token.id': publicId('token', token) }),
    ...(type !== undefined && { 'kabari.message.type': type }),
    ...(channel !== undefined && { 'kabari.channel': channel }),
    ...(attempt !== undefined && { 'kabari.attempt': attempt }),
    ...(outcome !== undefined && { 'kabari.outcome': outcome }),
    ...(failure !== undefined && failure !== null && { 'error.type': failure }),
    ...(httpStatus !== undefined &&
      httpStatus !== null && { 'http.response.status_code': httpStatus }),
  };
}

/** The span of a request; a server's span fails only on 5xx. */
const requestAttributes = ({ method, route, scheme, status, requestId }: AnsweredRequest) => ({
  name: `${method} ${route}`,
  kind: SpanKind.SERVER,
  isFailed: status >= 500,
  attributes: {
    'http.request.method': method,
    'http.route': route,
    'url.scheme': scheme,
    'http.response.status_code': status,
    'kabari.request.id': requestId,
    ...(status >= 500 && { 'error.type': String(status) }),
  },
});

/** Records traces as described in docs/running/traces.md. */
export const openRecorder = (options: TracingOptions): Tracing => new Recorder(openSpans(options));

class TracedRequest {
  readonly began = performance.now();
  readonly caller: SpanContext | undefined;
  /** Its span, once one of its messages is recorded: in the trace of the first of those. */
  span: SpanContext | undefined;
  /** The first spans of the recorded messages that it created. */
  readonly made: SpanContext[] = [];
  /** It created messages, recorded or not. */
  hasMade = false;

  constructor(traceparent: string | undefined) {
    this.caller = callerOf(traceparent);
  }
}

type Recorded = { step: Step; root: SpanContext };

type Timed = Pick<Call | Creation, 'operation' | 'began'> & { ended: number };

/**
 * Records spans when they have ended. The ids of a message's first span follow from the message's id, so every
 * process can derive the parent of its spans.
 */
class Recorder implements Tracing {
  readonly #spans: Spans;
  readonly #requests = new AsyncLocalStorage<TracedRequest>();

  constructor(spans: Spans) {
    this.#spans = spans;
  }

  readonly created = (creation: Creation): void => {
    const timed = { ...creation, ended: performance.now() };
    const found = creation.requests.map(({ cause, messages }) => {
      const request = cause instanceof TracedRequest ? cause : undefined;
      if (request && messages.length > 0) request.hasMade = true;
      return { request, recorded: this.#recordedOf(messages) };
    });
    const recorded = found.flatMap((one) => one.recorded);
    const steps = creation.requests.flatMap(({ messages }) => messages);
    const batch = this.#recordBatch(timed, steps, recorded);
    for (const { request, recorded: own } of found) {
      for (const one of own) this.#recordRoot(timed, one, { request, batch });
    }
  };

  readonly did = ({ ended = performance.now(), steps, ...call }: Call): void => {
    const timed = { ...call, ended };
    const recorded = this.#recordedOf(steps);
    const batch = this.#recordBatch(timed, steps, recorded);
    for (const { step, root } of recorded) {
      this.#spans.record({
        ...spanOf(timed, step),
        parent: root,
        ...(batch && { links: [batch] }),
      });
    }
  };

  readonly cause = () => this.#requests.getStore();
  readonly begin = (traceparent: string | undefined) => new TracedRequest(traceparent);

  readonly answering = (request: object, work: () => void): void =>
    request instanceof TracedRequest ? this.#requests.run(request, work) : work();

  readonly answered = (request: object, facts: AnsweredRequest): void => {
    if (!(request instanceof TracedRequest)) return;
    const { began, caller, made, span } = request;
    // None of its messages is recorded, so the request is not either.
    if (request.hasMade && !span) return;
    const links = [...(caller ? [caller] : []), ...made.slice(1)];
    const ended = performance.now();
    const own = { ...requestAttributes(facts), began, ended, links };
    this.#spans.record({ ...own, ...(span && { ids: span }) });
  };

  readonly close = () => this.#spans.close();

  #recordedOf(steps: readonly Step[]): Recorded[] {
    return steps.flatMap((step) => {
      const root = rootOf(step.messageId);
      return this.#spans.isRecorded(root.traceId) ? [{ step, root }] : [];
    });
  }

  /**
   * The span of a call for several messages, in the trace of the first recorded one, linked to all.
   */
  #recordBatch(
    { operation, began, ended }: Timed,
    steps: readonly Step[],
    recorded: readonly Recorded[],
  ): SpanContext | undefined {
    const [first] = recorded;
    if (!first || steps.length < 2) return undefined;
    const messages = new Set(steps.map(({ messageId }) => messageId)).size;
    if (messages < 2) return undefined;
    const roots = new Map(recorded.map(({ root }) => [root.traceId, root]));
    return this.#spans.record({
      name: `${operation} batch`,
      kind: SpanKind.CLIENT,
      began,
      ended,
      parent: first.root,
      links: [...roots.values()],
      attributes: { ...operations[operation].batch, 'messaging.batch.message_count': messages },
    });
  }

  /** A child of its request's span if in the same trace, else linked to it. */
  #recordRoot(
    timed: Timed,
    { step, root }: Recorded,
    { request, batch }: { request: TracedRequest | undefined; batch: SpanContext | undefined },
  ): void {
    if (request) {
      request.span ??= { ...root, spanId: this.#spans.newSpanId(), isRemote: false };
      request.made.push(root);
    }
    const above = request?.span;
    const isOwn = above?.traceId === root.traceId;
    this.#spans.record({
      ...spanOf(timed, step),
      ids: root,
      parent: isOwn ? above : undefined,
      links: [batch, isOwn ? undefined : above].filter((one) => one !== undefined),
    });
  }
}

/** The trace id is the message's id (128 bits), the span id its last, random 64 bits. */
function rootOf(messageId: string): SpanContext {
  const traceId = messageId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function spanOf({ operation, began, ended }: Timed, step: Step): Ended {
  const { kind, attributes } = operations[operation];
  return {
    name: step.of === undefined ? operation : `${operation} ${step.of}`,
    kind,
    began,
    ended,
    attributes: { ...attributes, ...attributesOf(step) },
    isFailed: step.failure !== undefined && step.failure !== null,
  };
}

const traceparentLike = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The caller's span from a W3C `traceparent`; undefined if it is invalid. */
function callerOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceparentLike.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(caller) ? caller : undefined;
}
