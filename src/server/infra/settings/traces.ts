import { address, decimal, oneOf, text, whole } from './readers.ts';
import { optional, setting } from './setting.ts';

/** Where traces go, by the standard variables of OpenTelemetry; those not here are read by its exporter as it documents them. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'Where a collector takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is added. Without it there are no traces, and they cost nothing ([traces](running/traces.md)).',
    address,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    'The same with its whole path, in place of it.',
    address,
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    'How spans travel to the collector.',
    oneOf('http/protobuf'),
    'http/protobuf',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'Headers of each call of the collector, such as its key: `name=value`, separated by commas.',
    text,
    { secret: true },
  ),
  OTEL_SERVICE_NAME: optional(
    'What this service is called in traces. Without it `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `kabari`.',
    text,
  ),
  OTEL_RESOURCE_ATTRIBUTES: optional(
    'What else each trace says of this process: `name=value`, separated by commas.',
    text,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'Which messages are traced: all, none, or a share of them. Each process decides by the message’s id, so all of them must have the same; whether a caller records its own trace does not count, with `parentbased_` or without.',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    'The share, of `traceidratio`: from 0 to 1.',
    decimal(0, 1),
    '1',
  ),
  OTEL_BSP_SCHEDULE_DELAY: setting(
    'After how many milliseconds spans are sent at the latest.',
    whole(10, 600_000),
    '5000',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: setting(
    'Spans that may wait to be sent; those beyond are dropped.',
    whole(1, 15_000),
    '8192',
  ),
  OTEL_SDK_DISABLED: setting(
    'Whether traces are off (`true`) although the endpoint is set, as for a whole machine.',
    oneOf('true', 'false'),
    'false',
  ),
};
