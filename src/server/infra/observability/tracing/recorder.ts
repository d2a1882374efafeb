import { AsyncLocalStorage } from 'node:async_hooks';
import { type SpanContext, SpanKind, TraceFlags, isSpanContextValid } from '@opentelemetry/api';
import { attributesOf, operations, requestAttributes } from './attributes.ts';
import type { TracingOptions } from './options.ts';
import { type Ended, type Spans, openSpans } from './spans.ts';
import type { AnsweredRequest, Call, Creation, Step, Tracing } from './tracing.ts';

/** Records what `Tracing` says; docs/running/traces.md has what comes of it. */
export const openRecorder = (options: TracingOptions): Tracing => new Recorder(openSpans(options));

/** A request while it is answered. */
class TracedRequest {
  readonly began = performance.now();
  readonly caller: SpanContext | undefined;
  /** Its span, once a message of it is recorded: in the trace of the first of those. */
  span: SpanContext | undefined;
  /** The first spans of the recorded messages that it made. */
  readonly made: SpanContext[] = [];
  /** It made messages, recorded or not. */
  hasMade = false;

  constructor(traceparent: string | undefined) {
    this.caller = callerOf(traceparent);
  }
}

/** A message that is recorded, and its first span. */
type Recorded = { step: Step; root: SpanContext };

type Timed = Pick<Call | Creation, 'operation' | 'began'> & { ended: number };

/**
 * Writes spans down when what they tell of has ended. The first span of a message has ids that follow from its
 * own, so that every process knows what is above its spans without having been told.
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
    // Of what it made nothing is recorded: then neither is it.
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

  /** The span of a call for several messages: in the trace of the first of those that are recorded, with links to all. */
  #recordBatch(
    { operation, began, ended }: Timed,
    steps: readonly Step[],
    recorded: readonly Recorded[],
  ): SpanContext | undefined {
    const [first] = recorded;
    if (!first || steps.length < 2) return undefined;
    // One message may have gone through several states in a call.
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

  /** The first span of a message: below its request's where that is in its trace, else with a link to it. */
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

/**
 * The first span of a message: its trace has the 128 bits of the message's id, and the span the last 64, which are
 * chance.
 */
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

/** The caller's span, from a `traceparent` as the W3C has it; nothing for one that is none. */
function callerOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceparentLike.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(caller) ? caller : undefined;
}
