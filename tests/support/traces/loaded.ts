// Preloaded into a process by `--import`: writes the name of each loaded OpenTelemetry module, one per line, to the
// file in LOADED_MODULES.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADED_MODULES'] ?? '';

registerHooks({
  load: (url, context, next) => {
    if (url.includes('@opentelemetry')) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
