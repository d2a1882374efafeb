import { sealedColumns } from '#server/app/jobs.ts';
import { refuseOtherKey, readSecrets, reseal } from '#server/infra/security/secrets.ts';
import { detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { Command } from './command.ts';
import { withInstallation } from './open.ts';

/** Seals everything with another SECRET_KEY, while the application runs. */
export const rotateKey: Command = {
  usage: 'rotate-key',
  says: 'seals everything with SECRET_KEY that SECRET_KEY_SECOND, the former key, has sealed; may be repeated',
  run: async ({ config: read, print }) => {
    const config = read();
    if (config.SECRET_KEY === undefined || config.SECRET_KEY_SECOND === undefined) {
      throw new StartError(
        'Set SECRET_KEY to a new key (openssl rand -base64 32) and SECRET_KEY_SECOND to the former one, restart, then run this again (docs/operating.md#another-secret_key).',
      );
    }
    return withInstallation(config, 'rotate-key', async ({ url }) => {
      const place = await detectTopology(url);
      const allAccountsSql = place.open({ max: 1, as: 'all accounts', name: 'rotate-key' });
      const counts = { resealed: 0, closed: 0 };
      try {
        const secrets = await readSecrets(allAccountsSql, config);
        await refuseOtherKey(allAccountsSql, secrets);
        await place.inEach(async () => {
          const found = await reseal(allAccountsSql, secrets, sealedColumns);
          counts.resealed += found.resealed;
          counts.closed += found.closed;
        });
      } finally {
        await allAccountsSql.end({ timeout: 1 });
        await place.close();
      }
      print(`${counts.resealed} values were sealed with SECRET_KEY.`);
      if (counts.closed > 0) {
        print(`${counts.closed} values open with neither key, and stay as they are.`);
        return 1;
      }
      print('When every node has the new key, remove SECRET_KEY_SECOND and restart.');
      return 0;
    });
  },
};
