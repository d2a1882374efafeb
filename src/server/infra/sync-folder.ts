import { open } from 'node:fs/promises';

/** Makes a change of names in a folder last; where folders cannot be synced, the system does it alone. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
