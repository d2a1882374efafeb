import { type Attributes, SpanKind } from '@opentelemetry/api';
import { publicId } from '#contract/base/ids.ts';
import type { AnsweredRequest, Creation, Facts, Operation, Step } from './tracing.ts';

// Names of the semantic conventions 1.45. Those of HTTP are stable; those of messaging are not yet, and so stand
// here by themselves, as the conventions ask of whoever uses them.

/** How the spans of an operation are marked. */
type Marks = { kind: SpanKind; attributes: Attributes; batch: Attributes };

/**
 * @param type what the conventions call it; left out for what they have no word for.
 * @param batchType the same of a call for several messages, where it differs.
 */
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

export const operations: Readonly<Record<Operation | Creation['operation'], Marks>> = {
  accept: marks('accept', SpanKind.PRODUCER, 'create', 'send'),
  receive: marks('receive', SpanKind.PRODUCER, 'create', 'send'),
  claim: marks('claim', SpanKind.CLIENT, 'receive'),
  send: marks('send', SpanKind.CONSUMER, 'process'),
  settle: marks('settle', SpanKind.CLIENT, 'settle'),
  publish: marks('publish', SpanKind.INTERNAL),
  webhook: marks('webhook', SpanKind.CLIENT),
  live: marks('live', SpanKind.INTERNAL),
};

/** What a span says of a message: of all facts, those that are on this list. */
export function attributesOf({ messageId, ...facts }: Step): Attributes {
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

/** The span of a request; a server's span fails by 5xx alone. */
export const requestAttributes = ({
  method,
  route,
  scheme,
  status,
  requestId,
}: AnsweredRequest) => ({
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
