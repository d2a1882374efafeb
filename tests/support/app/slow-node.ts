// A whole web node in a separate process, with shorter timeouts for slow callers: `fork` it with the database's
// address, a data folder and a folder of a web app.
import { openHttp } from '#server/app/http.ts';
import { readWebApp } from '#server/http/site.ts';
import { openContainer } from '#server/app/container.ts';
import { readConfig } from '#server/infra/config.ts';
import { openLog } from '#server/infra/observability/log.ts';

const [url = '', dataFolder = '', webFolder = '', limits = '{}'] = process.argv.slice(2);
const config = readConfig({ SIMULATOR_SPEED: '0', LOG_LEVEL: 'warn' });
const log = openLog({ level: config.LOG_LEVEL }, process.stderr);
const webApp = await readWebApp(webFolder);
const container = await openContainer({ config, log, url, dataFolder, build: webApp.build });
const { app, closeStreams } = openHttp(container, {
  webApp,
  worker: undefined,
  open: () => true,
  limits: JSON.parse(limits),
});
await app.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
const address = app.server.address();
if (typeof address !== 'object' || address === null) throw new Error('no address');

process.on('message', () => {
  app.server.getConnections((_error, count) => process.send?.({ connections: count }));
});
process.on('disconnect', () => {
  closeStreams();
  app.server.closeAllConnections();
  void app
    .close()
    .then(() => container.close())
    .finally(() => process.exit());
});
process.send?.({ port: address.port });
