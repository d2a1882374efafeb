// Preload it into a process, by `--import`: it writes the name of each module of OpenTelemetry that is loaded, a
// line each, to the file that LOADED_MODULES names.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADED_MODULES'] ?? '';

registerHooks({
  load: (url, context, next) => {
    if (url.includes('@opentelemetry')) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
