import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2_000_000_000;

/**
 * A parent folder for heavily written and synced data: in memory where the system offers it. A clone of a database
 * takes 15 ms there and 170 to 320 ms on a disk.
 */
export function fastFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
}
