import type { TracingOptions } from './options.ts';
import type { Tracing } from './tracing.ts';

/**
 * Opens tracing where an endpoint is set, and answers nothing elsewhere: then no module of OpenTelemetry is
 * loaded (docs/decisions/026-operations-and-traces.md).
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { config } = options;
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (config.OTEL_SDK_DISABLED === 'true' || endpoint === undefined) return undefined;
  const { openRecorder } = await import('./recorder.ts');
  return openRecorder(options);
}
