// Reads the OTLP exporter's requests: the messages of opentelemetry/proto/trace/v1/trace.proto, as far as tests need.

type Attribute = string | number | boolean;

export type Span = {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unspecified';
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
  attributes: Record<string, Attribute>;
  links: { traceId: string; spanId: string }[];
  isFailed: boolean;
  resource: Record<string, Attribute>;
};

type Field = { number: number; bytes: Buffer; value: bigint };

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2n;

/** The spans of an `ExportTraceServiceRequest`. @throws Error for bytes that are no such message */
export function spansIn(request: Buffer): Span[] {
  return all(fieldsOf(request), 1).flatMap((resourceSpans) => {
    const parts = fieldsOf(resourceSpans);
    const resource = attributesOf(all(fieldsOf(first(parts, 1)), 1));
    return all(parts, 2).flatMap((scopeSpans) =>
      all(fieldsOf(scopeSpans), 2).map((span) => ({ ...spanOf(fieldsOf(span)), resource })),
    );
  });
}

const spanOf = (fields: readonly Field[]): Omit<Span, 'resource'> => ({
  traceId: first(fields, 1).toString('hex'),
  spanId: first(fields, 2).toString('hex'),
  parentSpanId: first(fields, 4).toString('hex'),
  name: first(fields, 5).toString('utf8'),
  kind: kinds[Number(valueOf(fields, 6))] ?? 'unspecified',
  start: valueOf(fields, 7),
  end: valueOf(fields, 8),
  attributes: attributesOf(all(fields, 9)),
  links: all(fields, 13).map((link) => {
    const parts = fieldsOf(link);
    return { traceId: first(parts, 1).toString('hex'), spanId: first(parts, 2).toString('hex') };
  }),
  isFailed: valueOf(fieldsOf(first(fields, 15)), 3) === ERROR,
});

function attributesOf(pairs: readonly Buffer[]): Record<string, Attribute> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const parts = fieldsOf(pair);
      return [first(parts, 1).toString('utf8'), anyValue(fieldsOf(first(parts, 2)))];
    }),
  );
}

function anyValue(fields: readonly Field[]): Attribute {
  const [field] = fields;
  if (field?.number === 1) return field.bytes.toString('utf8');
  if (field?.number === 2) return field.value === 1n;
  if (field?.number === 3) return Number(field.value);
  throw new Error(`an attribute of another type: ${field?.number}`);
}

const all = (fields: readonly Field[], number: number): Buffer[] =>
  fields.filter((field) => field.number === number).map(({ bytes }) => bytes);

const first = (fields: readonly Field[], number: number): Buffer =>
  all(fields, number)[0] ?? Buffer.alloc(0);

const valueOf = (fields: readonly Field[], number: number): bigint =>
  fields.find((field) => field.number === number)?.value ?? 0n;

function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw new Error('the message ends within a field');
    return message.subarray(at, (at += length));
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const type = tag & 7;
    if (type === 0) fields.push({ number, bytes: Buffer.alloc(0), value: varint() });
    else if (type === 1) {
      const bytes = take(8);
      fields.push({ number, bytes, value: bytes.readBigUInt64LE() });
    } else if (type === 2) fields.push({ number, bytes: take(Number(varint())), value: 0n });
    else if (type === 5) {
      const bytes = take(4);
      fields.push({ number, bytes, value: BigInt(bytes.readUInt32LE()) });
    } else throw new Error(`a field of an unknown type: ${type}`);
  }
  return fields;
}
