import type { TracingOptions } from './options.ts';
import type { Tracing } from './tracing.ts';

/**
 * Opens tracing if an endpoint is set; otherwise returns undefined and loads no module of OpenTelemetry
 * (docs/decisions/026-operations-and-traces.md).
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { config } = options;
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (config.OTEL_SDK_DISABLED === 'true' || endpoint === undefined) return undefined;
  const { openRecorder } = await import('./recorder.ts');
  return openRecorder(options);
}
