import { publicId } from '#contract/base/ids.ts';
import type { SessionRow } from '#contract/people.ts';
import { deviceName } from './device-name.ts';

export type StoredSession = { id: string; agent: string; ip: string; created: Date; used: Date };

/** A session as lists show it. @param current the id of the one that asks; left out for none of them. */
export const sessionRow = (
  { id, agent, ip, created, used }: StoredSession,
  current?: string,
): SessionRow => ({
  id: publicId('session', id),
  current: id === current,
  device: deviceName(agent),
  ip,
  created_at: created.toISOString(),
  last_used_at: used.toISOString(),
});
